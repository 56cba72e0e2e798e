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

package io.distributedlock.engine;

import java.time.Duration;
import java.util.regex.Pattern;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

import static io.distributedlock.engine.EngineFixture.LEASE_30S;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the warning of a hold that outlives its lease many times.
 */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class LongHoldTests {

	private static final LockOptions RENEWED = LEASE_30S.withAutoRenew(Duration.ofSeconds(10));

	private static final Pattern WARNING = Pattern
		.compile("WARN .*Lock 'a' has been held for 1m[3-9]\\S* by 'main', 3 times its lease of 30s");

	@Test
	void renewedLongHoldIsWarnedAboutOnce(CapturedOutput output) {
		try (EngineFixture fixture = fixture(3); LockHandle handle = fixture.here.acquire("a", RENEWED)) {
			fixture.passWithIo(Duration.ofSeconds(70));
			told(fixture);
			assertThat(output).doesNotContain("has been held");
			fixture.passWithIo(Duration.ofSeconds(60));
			await().untilAsserted(() -> assertThat(output).containsPattern(WARNING));
			told(fixture);
			assertThat(output).containsOnlyOnce("has been held")
				.contains("The stack of the thread is logged at debug level.")
				.doesNotContain("Stack of thread");
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	void noStackIsPromisedWhereNoThreadHoldsTheLock(CapturedOutput output) {
		try (EngineFixture fixture = fixture(3); LockHandle handle = fixture.here.acquire("a", RENEWED).detach()) {
			fixture.passWithIo(Duration.ofSeconds(100));
			await().untilAsserted(() -> assertThat(output).contains("has been held for"));
			assertThat(output).contains("Limit this with a maximum hold.").doesNotContain("The stack of the thread");
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	void theStackOfTheHolderFollowsAtDebugLevel(CapturedOutput output) {
		Logger logger = (Logger) LoggerFactory.getLogger(Announcer.class);
		logger.setLevel(Level.DEBUG);
		try (EngineFixture fixture = fixture(3); LockHandle handle = fixture.here.acquire("a", RENEWED)) {
			fixture.passWithIo(Duration.ofSeconds(100));
			await().untilAsserted(() -> assertThat(output).contains("Stack of thread 'main'")
				.contains("LongHoldTests.theStackOfTheHolderFollowsAtDebugLevel"));
			assertThat(handle.isHeld()).isTrue();
		}
		finally {
			logger.setLevel(null);
		}
	}

	@ParameterizedTest
	@CsvSource({ "0, true,", "3, false,", "3, true, PT1H" })
	void noWarningIfSwitchedOffOrNotRenewedOrLimited(int factor, boolean renewed, Duration maxHold,
			CapturedOutput output) {
		try (EngineFixture fixture = fixture(factor);
				LockHandle handle = fixture.here.acquire("a", (renewed ? RENEWED : LEASE_30S).withMaxHold(maxHold))) {
			if (!renewed) {
				handle.extend(Duration.ofMinutes(5));
			}
			fixture.passWithIo(Duration.ofSeconds(240));
			told(fixture);
			assertThat(handle.isHeld()).isTrue();
			assertThat(output).doesNotContain("has been held");
		}
	}

	/**
	 * Wait until everything has been told that happened so far.
	 */
	private static void told(EngineFixture fixture) {
		LockHandle last = fixture.here.acquire("last", RENEWED);
		int before = fixture.events(LockEvent.Renewed.class).size();
		fixture.passWithIo(Duration.ofSeconds(11));
		await().until(() -> fixture.events(LockEvent.Renewed.class).size() > before);
		last.close();
	}

	private static EngineFixture fixture(int factor) {
		return new EngineFixture(EngineSettings.of("here").withLongHoldFactor(factor));
	}

}
