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

package io.distributedlock.observation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.distributedlock.LockEvent;
import io.distributedlock.LossCause;
import io.micrometer.common.KeyValue;
import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockObservationDocumentation}: the documents and the default
 * conventions agree with it.
 */
class LockObservationDocumentationTests {

	private static final LockEvent.Acquired ACQUIRED = new LockEvent.Acquired("a\nb", "declared", Duration.ofSeconds(1),
			true, 7, Duration.ofSeconds(30));

	private static final LockEvent.Lost LOST = new LockEvent.Lost("a", "declared", Duration.ofSeconds(1), 7,
			Duration.ofSeconds(30), LossCause.KEY_VANISHED, "Because.");

	@Test
	void theTableListsAllKeyNames() throws IOException {
		List<String> expected = new ArrayList<>();
		for (LockObservationDocumentation observation : LockObservationDocumentation.values()) {
			String name = nameOf(observation);
			for (KeyName key : observation.getLowCardinalityKeyNames()) {
				expected.add("| `%s` | `%s` | low |".formatted(name, key.asString()));
			}
			for (KeyName key : observation.getHighCardinalityKeyNames()) {
				expected.add("| `%s` | `%s` | high |".formatted(name, key.asString()));
			}
		}
		List<String> documented = Pattern
			.compile("^\\| `distributed[^|]+\\|[^|]+\\| (?:low|high) \\|", Pattern.MULTILINE)
			.matcher(Files.readString(Path.of("..", "docs", "observability.md")))
			.results()
			.map((row) -> row.group())
			.toList();
		assertThat(documented).containsExactlyInAnyOrderElementsOf(expected);
	}

	@ParameterizedTest
	@EnumSource
	void theDefaultConventionGivesTheDocumentedKeyValues(LockObservationDocumentation observation) {
		List<? extends LockObservationContext> contexts = (observation == LockObservationDocumentation.ACQUIRE)
				? List.of(LockAcquireObservationContext.of(ACQUIRED, Duration.ofSeconds(1)),
						LockAcquireObservationContext
							.of(new LockEvent.NotAcquired("a", "declared", Duration.ZERO, LockEvent.Reason.BUSY)))
				: List.of(new LockHoldObservationContext(ACQUIRED), new LockHoldObservationContext(LOST));
		for (LockObservationContext context : contexts) {
			ObservationConvention<LockObservationContext> convention = convention(observation, true);
			assertThat(convention.getLowCardinalityKeyValues(context).stream().map(KeyValue::getKey))
				.containsExactlyInAnyOrderElementsOf(names(observation.getLowCardinalityKeyNames()));
			assertThat(convention.getHighCardinalityKeyValues(context).stream().map(KeyValue::getKey))
				.containsExactlyInAnyOrderElementsOf(names(observation.getHighCardinalityKeyNames()));
			assertThat(convention(observation, false).getHighCardinalityKeyValues(context)).isEmpty();
		}
	}

	@Test
	void keyValuesDescribeTheOutcome() {
		assertThat(new DefaultLockAcquireObservationConvention()
			.getLowCardinalityKeyValues(LockAcquireObservationContext.of(ACQUIRED, Duration.ofSeconds(1))))
			.containsExactly(KeyValue.of("lock.name", "declared"), KeyValue.of("outcome", "acquired"));
		assertThat(DefaultLockAcquireObservationConvention.includingName()
			.getHighCardinalityKeyValues(LockAcquireObservationContext.of(ACQUIRED, Duration.ofSeconds(1))))
			.contains(KeyValue.of("lock.evaluated-name", "a\\u000Ab"), KeyValue.of("lock.holder", "unknown"),
					KeyValue.of("lock.fencing-token", "7"));
		assertThat(new DefaultLockHoldObservationConvention()
			.getLowCardinalityKeyValues(new LockHoldObservationContext(LOST)))
			.containsExactly(KeyValue.of("cause", "key_vanished"), KeyValue.of("lock.name", "declared"),
					KeyValue.of("outcome", "lost"));
		assertThat(new DefaultLockHoldObservationConvention()
			.getLowCardinalityKeyValues(new LockHoldObservationContext(ACQUIRED)))
			.contains(KeyValue.of("outcome", "held"), KeyValue.of("cause", "none"));
	}

	private static String nameOf(LockObservationDocumentation observation) {
		return String.valueOf(convention(observation, false).getName());
	}

	@SuppressWarnings("unchecked")
	private static <C extends Observation.Context> ObservationConvention<C> convention(
			LockObservationDocumentation observation, boolean includingName) {
		ObservationConvention<?> convention = (observation == LockObservationDocumentation.ACQUIRE)
				? (includingName ? DefaultLockAcquireObservationConvention.includingName()
						: new DefaultLockAcquireObservationConvention())
				: (includingName ? DefaultLockHoldObservationConvention.includingName()
						: new DefaultLockHoldObservationConvention());
		assertThat(convention).isInstanceOf(observation.getDefaultConvention());
		return (ObservationConvention<C>) convention;
	}

	private static List<String> names(KeyName[] keys) {
		return Stream.of(keys).map(KeyName::asString).toList();
	}

}
