/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.distributedlock;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockException} and its subclasses.
 */
class LockExceptionTests {

	private static final String NAME = "a\nERROR\u202eb";

	@ParameterizedTest
	@MethodSource("exceptions")
	void messagesAreASingleLine(LockException exception) {
		assertThat(exception.getMessage()).contains("a\\u000AERROR\\u202Eb").doesNotContain("\n", "\u202e");
		assertThat(exception.toString()).doesNotContain("\n", "\u202e");
		assertThat(exception.getLockName()).isEqualTo(NAME);
	}

	@ParameterizedTest
	@MethodSource("exceptions")
	void exceptionsSurviveSerialization(LockException exception) throws Exception {
		assertThat(copy(exception)).hasToString(exception.toString())
			.usingRecursiveComparison()
			.ignoringFields("stackTrace", "suppressedExceptions", "cause")
			.isEqualTo(exception);
	}

	@Test
	void timesAreWrittenAsInProperties() {
		LockInfo info = LockInfo.heldElsewhere("a", "shop-2", Duration.ofNanos(28_999_000_000L));
		assertThat(new LockNotAcquiredException("a", Duration.ofMillis(1500), info)).hasMessage(
				"Lock 'a' is held by instance 'shop-2', for at most 29s more unless renewed; not acquired within 1s500ms.");
	}

	static Stream<LockException> exceptions() {
		return Stream.of(new LockNotAcquiredException(NAME, Duration.ZERO, null),
				new LockNotAcquiredException(NAME, Duration.ZERO, LockInfo.heldElsewhere(NAME, NAME, Duration.ZERO)),
				new LockNotAcquiredException(NAME, Duration.ZERO, LockInfo.heldHere(NAME, NAME, NAME, null)),
				new LockNotAcquiredException(NAME, Duration.ZERO, LockInfo.heldByForeignClient(NAME, "12ab34cd", null)),
				new LockLostException(
						new LockEvent.Lost(NAME, NAME, Duration.ZERO, 1, Duration.ZERO, LossCause.LEASE_EXPIRED, NAME)),
				new LockUnavailableException(NAME, NAME, null), new LockConfigurationException(NAME, NAME, null),
				new LockInterruptedException(NAME), new InvalidLockNameException(NAME, NAME));
	}

	private static Object copy(Object original) throws Exception {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
			out.writeObject(original);
		}
		try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
			return in.readObject();
		}
	}

}
