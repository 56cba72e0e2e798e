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

package io.distributedlock.store;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;

import io.distributedlock.LockInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link OperatorHold}.
 */
class OperatorHoldTests {

	private static final String RANDOM = "AAAAAAAAAAAAAAAAAAAAAA";

	private static final String REASON = "maintenance until 04:00, \u00e4\u20ac\uD83D\uDE00";

	@Test
	void refusedCallerReadsWhoHoldsTheLockAndWhy() {
		LockToken token = LockToken.ofOperator("shop-1", "anna", REASON);
		LockInfo info = describe(token.text());
		assertThat(info.kind()).isEqualTo(LockInfo.Kind.OPERATOR);
		assertThat(info.holder()).isEqualTo("anna");
		assertThat(info.reason()).isEqualTo(REASON);
		assertThat(info.describe()).isEqualTo("held by operator 'anna' (" + REASON + ")");
		assertThat(info.remaining()).isEqualTo(Duration.ofHours(1));
		assertThat(info.withOthersWaiting().reason()).isEqualTo(REASON);
		assertThat(StoredLock.instanceNameIn(token.text())).isEqualTo("shop-1");
		assertThat(LockToken.parse(token.text())).isEqualTo(token);
	}

	@Test
	void eachHoldHasATokenOfItsOwn() {
		assertThat(LockToken.ofOperator("shop-1", "anna", "why"))
			.isNotEqualTo(LockToken.ofOperator("shop-1", "anna", "why"));
	}

	@Test
	void nameWithALineBreakDoesNotReachIntoTheReason() {
		assertThat(OperatorHold.of(LockToken.ofOperator("shop-1", "an\nna", "line\nbreak").text()))
			.isEqualTo(new OperatorHold("shop-1", "an na", "line\nbreak"));
		assertThat(describe(LockToken.ofOperator("shop-1", "a\u001bb", "line\nbreak").text()).describe())
			.isEqualTo("held by operator 'a\\u001Bb' (line\\u000Abreak)");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "operator~" + RANDOM + ":0", "operator~" + RANDOM + ":1", "operator@host~" + RANDOM + ":0" })
	void instanceThatIsCalledOperatorIsAnInstance(String token) {
		assertThat(describe(token).kind()).isEqualTo(LockInfo.Kind.OTHER_INSTANCE);
	}

	@ParameterizedTest
	@ValueSource(strings = { "YQ", "YWJjZGU", "____x", "A" })
	void tokenThatSomebodyMadeUpIsAForeignClient(String who) {
		assertThat(describe("operator~" + RANDOM + who + ":0").kind()).isEqualTo(LockInfo.Kind.FOREIGN_CLIENT);
		String whole = Base64.getUrlEncoder()
			.withoutPadding()
			.encodeToString("a\nb\nc".getBytes(StandardCharsets.UTF_8));
		assertThat(describe("operator~" + RANDOM + whole + ":0").kind()).isEqualTo(LockInfo.Kind.OPERATOR);
	}

	@Test
	void namesThatMakeTheTokenTooLongAreRefused() {
		assertThat(LockToken.ofOperator("i".repeat(64), "o".repeat(64), "r".repeat(202)).text())
			.hasSizeLessThanOrEqualTo(LockToken.LONGEST);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> LockToken.ofOperator("i".repeat(64), "o".repeat(64), "r".repeat(203)))
			.withMessageContaining("Shorten the reason.");
	}

	private static LockInfo describe(String token) {
		return new StoredLock(token, Duration.ofHours(1)).describe("nightly", "shop~" + RANDOM);
	}

}
