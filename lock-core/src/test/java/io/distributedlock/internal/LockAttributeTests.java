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

package io.distributedlock.internal;

import java.time.Duration;

import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.OnLost;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.entry;

/**
 * Tests for the list of attributes, and for options that override others.
 */
class LockAttributeTests {

	private static final LockOptions OTHERS = LockOptions.ofLease(Duration.ofMinutes(1))
		.withWaitTime(Duration.ofSeconds(2))
		.withAutoRenew(Duration.ofSeconds(3))
		.withMinHold(Duration.ofSeconds(4))
		.withMaxHold(Duration.ofMinutes(5))
		.withOnLost(OnLost.THROW)
		.withDeclaredName("name")
		.withPermits(7);

	@ParameterizedTest
	@CsvSource({ "TIMEOUT, timeout, timeout, timeoutString",
			"RENEW_INTERVAL, renewInterval, renew-interval, renewIntervalString",
			"PERMITS, permits, permits, permitsString", "AUTO_RENEW, autoRenew, auto-renew, ", "NAME, name, name, " })
	void attributeHasANameForEachPlace(LockAttribute attribute, String annotation, String property, String text) {
		assertThat(attribute.attribute()).isEqualTo(annotation);
		assertThat(attribute.property()).isEqualTo(property);
		assertThat(attribute.textName()).isEqualTo(text);
	}

	@Test
	void textsStandBetweenQuotationMarks() {
		assertThat(new String[] { "name", "condition", "fallbackMethod", "timeoutString", "permitsString" })
			.allMatch(LockAttribute::isText);
		assertThat(new String[] { "timeout", "permits", "mode", "onLost", "fenced", "nameString", "" })
			.noneMatch(LockAttribute::isText);
	}

	@Test
	void onlyOptionsWithAValueAreShown() {
		assertThat(LockAttribute.describe(OTHERS)).containsExactly(entry("timeout", Duration.ofMinutes(1)),
				entry("waitTime", Duration.ofSeconds(2)), entry("autoRenew", true),
				entry("renewInterval", Duration.ofSeconds(3)), entry("minHold", Duration.ofSeconds(4)),
				entry("maxHold", Duration.ofMinutes(5)), entry("onLost", OnLost.THROW),
				entry("mode", LockMode.EXCLUSIVE), entry("permits", 7));
		assertThat(LockAttribute.describe(LockOptions.defaults().withRenewInterval(Duration.ofSeconds(3))))
			.doesNotContainKeys("renewInterval", "maxHold")
			.containsEntry("permits", 1);
	}

	@Test
	void permitsOfACallAreNotShown() {
		assertThat(LockAttribute.describe(OTHERS.withPermits(LockAttribute.PERMITS_OF_CALL)))
			.doesNotContainKey("permits");
		assertThat(LockAttribute.describe(LockOptions.defaults().withShared())).containsEntry("mode", LockMode.SHARED)
			.doesNotContainKey("permits");
	}

	@ParameterizedTest
	@EnumSource(names = { "TIMEOUT", "WAIT_TIME", "RENEW_INTERVAL", "MIN_HOLD", "MAX_HOLD", "PERMITS" })
	void brokenRuleNamesItsAttribute(LockAttribute attribute) {
		Object value = (attribute == LockAttribute.PERMITS) ? (Object) 0 : Duration.ofSeconds(-1);
		assertThatIllegalArgumentException().isThrownBy(() -> new GivenOptions().with(attribute, value).over(OTHERS))
			.satisfies((ex) -> {
				assertThat(LockAttribute.ofRule(ex.getMessage())).isEqualTo(attribute);
				assertThat(attribute.fix("it")).contains("et it to ").endsWith(".");
			});
	}

	@Test
	void nothingGivenKeepsTheOthers() {
		assertThat(new GivenOptions().with(LockAttribute.TIMEOUT, null).over(OTHERS)).isEqualTo(OTHERS);
	}

	@Test
	void eachOptionOverridesOnlyItself() {
		GivenOptions given = new GivenOptions().with(LockAttribute.TIMEOUT, Duration.ofMinutes(2))
			.with(LockAttribute.WAIT_TIME, Duration.ZERO)
			.with(LockAttribute.AUTO_RENEW, false)
			.with(LockAttribute.RENEW_INTERVAL, Duration.ofSeconds(10))
			.with(LockAttribute.MIN_HOLD, Duration.ofSeconds(11))
			.with(LockAttribute.MAX_HOLD, Duration.ofHours(1))
			.with(LockAttribute.ON_LOST, OnLost.INTERRUPT)
			.with(LockAttribute.PERMITS, 9);
		LockOptions all = given.over(OTHERS);
		assertThat(all).isEqualTo(LockOptions.ofLease(Duration.ofMinutes(2))
			.withRenewInterval(Duration.ofSeconds(10))
			.withMinHold(Duration.ofSeconds(11))
			.withMaxHold(Duration.ofHours(1))
			.withOnLost(OnLost.INTERRUPT)
			.withDeclaredName("name")
			.withPermits(9));
		given.values().forEach((option, value) -> {
			LockOptions one = new GivenOptions().with(option, value).over(OTHERS);
			assertThat(LockAttribute.OPTIONS.stream().filter((each) -> each != option))
				.filteredOn((each) -> option != LockAttribute.AUTO_RENEW)
				.allSatisfy((each) -> assertThat(each.of(one)).as(each.name()).isEqualTo(each.of(OTHERS)));
			assertThat(option.of(one)).isEqualTo(value);
		});
	}

	@Test
	void modeReplacesPermitsAndPermitsReplaceTheMode() {
		LockOptions shared = new GivenOptions().with(LockAttribute.MODE, LockMode.SHARED).over(OTHERS);
		assertThat(shared).isEqualTo(OTHERS.withPermits(1).withShared());
		assertThat(new GivenOptions().with(LockAttribute.PERMITS, 3).over(shared)).isEqualTo(OTHERS.withPermits(3));
		assertThat(new GivenOptions().with(LockAttribute.MODE, LockMode.EXCLUSIVE).over(shared))
			.isEqualTo(OTHERS.withPermits(1));
	}

	@ParameterizedTest
	@CsvSource({ "SHARED, 1", "SHARED, 3", "SHARED, 2147483647", "EXCLUSIVE, 3" })
	void permitsWithAContradictingModeAreRefused(LockMode mode, int permits) {
		GivenOptions given = new GivenOptions().with(LockAttribute.MODE, mode).with(LockAttribute.PERMITS, permits);
		assertThatIllegalArgumentException().isThrownBy(given::alone)
			.satisfies((ex) -> assertThat(LockAttribute.ofRule(ex.getMessage())).isEqualTo(LockAttribute.PERMITS))
			.withMessageNotContaining("2147483647");
		assertThat(LockAttribute.PERMITS.limit()).isEqualTo(LockAttribute.MODE);
	}

	@Test
	void unsetLeaseContradictsNothing() {
		Duration hour = Duration.ofHours(1);
		new GivenOptions().with(LockAttribute.MIN_HOLD, hour)
			.with(LockAttribute.MAX_HOLD, Duration.ofSeconds(1))
			.alone();
		new GivenOptions().with(LockAttribute.MODE, LockMode.EXCLUSIVE).with(LockAttribute.PERMITS, 1).alone();
		GivenOptions both = new GivenOptions().with(LockAttribute.MIN_HOLD, hour)
			.with(LockAttribute.TIMEOUT, Duration.ofSeconds(1));
		assertThatIllegalArgumentException().isThrownBy(both::alone).withMessageStartingWith("The minimum hold is 1h");
	}

}
