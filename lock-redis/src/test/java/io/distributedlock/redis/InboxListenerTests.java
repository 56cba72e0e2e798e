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

package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.distributedlock.store.Grant;
import io.distributedlock.store.LockToken;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.DefaultMessage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link InboxListener}.
 */
class InboxListenerTests {

	@ParameterizedTest
	@ValueSource(strings = { "name", "two words", " leading", "trailing ", "a\tb", "é \uD83D\uDD12", "1 2 3" })
	void nameIsEverythingAfterTheFifthSpace(String name) {
		assertThat(toldOf("app@host~x:1z 1700000000000001 33 3000 -42 " + name))
			.containsExactly("granted " + new Grant(name, new LockToken("app@host~x", 71), 1_700_000_000_000_001L, 33,
					Duration.ofSeconds(3), -42));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "hello", "a:1 2 3", "a:1 1 1 1 1", "a 1 1 1 1 name", "a:1 x 1 1 1 name",
			"a:1 1 x 1 1 name", "a:1 1 1 x 1 name", "a:1 1 1 1 x name", "a:! 1 1 1 1 name", "a:1 1.5 1 1 1 name",
			"a:1 99999999999999999999 1 1 1 name" })
	void otherMessageIsNoGrant(String message) {
		assertThat(toldOf(message)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "a:1 0 1 1 1 name", "a:1 -1 1 1 1 name", "a:1 9007199254740992 1 1 1 name",
			"a:1 1 0 1 1 name", "a:1 1 1 0 1 name", "a:1 1 1 -1 1 name", "a:1 1 1 3001 1 name" })
	void messageWithImpossibleNumbersIsNoGrant(String message) {
		assertThat(toldOf(message)).isEmpty();
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void invalidMessageForgesNoLine(CapturedOutput output) {
		Logger logger = (Logger) LoggerFactory.getLogger(InboxListener.class);
		logger.setLevel(Level.DEBUG);
		try {
			toldOf("hello\nERROR forged\u2028\u202e" + "x".repeat(1000));
		}
		finally {
			logger.setLevel(null);
		}
		assertThat(output.toString().lines().filter((line) -> line.contains("forged"))).singleElement()
			.asString()
			.contains("hello\\u000AERROR forged\\u2028\\u202Ex")
			.hasSizeLessThan(500);
	}

	@Test
	void nonTextBytesAreNoGrant() {
		assertThat(toldOf(
				new String(new byte[] { (byte) 0xff, (byte) 0xfe, 0, ' ', ' ', ' ', 1 }, StandardCharsets.UTF_8)))
			.isEmpty();
	}

	@Test
	void failingListenerDoesNotReachTheClient() {
		InboxListener inbox = listener((told) -> {
			throw new IllegalStateException("on purpose");
		});
		assertThatNoException().isThrownBy(() -> inbox.onMessage(message("a:1 1 1 2 1 name"), null));
		assertThatNoException().isThrownBy(() -> inbox.onMessage(message("! a:1 name"), null));
		assertThatNoException().isThrownBy(() -> inbox.onChannelSubscribed(new byte[0], 1));
	}

	@ParameterizedTest
	@ValueSource(strings = { "name", "two words", " leading", "! ! !" })
	void revocationIsReported(String name) {
		assertThat(toldOf("! app@host~x:1z " + name)).containsExactly("revoked " + name + " of app@host~x:1z");
	}

	@ParameterizedTest
	@ValueSource(strings = { "! ", "! a:1", "! a name", "!a:1 name", "! a:! name", "a:1 ! name" })
	void otherMessageIsNoRevocation(String message) {
		assertThat(toldOf(message)).isEmpty();
	}

	private static List<String> toldOf(String message) {
		List<String> told = new ArrayList<>();
		listener(told::add).onMessage(message(message), null);
		return told;
	}

	private static DefaultMessage message(String body) {
		return new DefaultMessage(new byte[0], body.getBytes(StandardCharsets.UTF_8));
	}

	private static InboxListener listener(Consumer<String> told) {
		return new InboxListener(RedisFixture.listener(told), Duration.ofSeconds(3), (key) -> null);
	}

}
