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

package io.distributedlock.campaign.history;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.distributedlock.campaign.history.DataLoss.Extent;
import io.distributedlock.campaign.history.Event.Outcome;
import io.distributedlock.campaign.history.Event.Place;
import io.distributedlock.campaign.history.Event.Type;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the checker with histories that are made by hand: each rule has one that breaks
 * it, and a good one beside it. Times are in milliseconds, and tokens are those of a
 * server whose clock began with the history.
 */
class CheckerTests {

	private static final int NAME = 7;

	private static final long LEASE = 1000;

	/** The limit of those who accept any company. */
	private static final int SHARED = 0;

	private final Checker checker = new Checker(Duration.ofSeconds(2), (kind) -> "test");

	private long ids;

	@Test
	void holdersThatFollowEachOtherAreFine() {
		hold(1, 100, 200, 10_000);
		hold(2, 201, 300, 10_001);
		hold(1, 301, 400, 10_002);
		assertThat(violated()).isEmpty();
		assertThat(this.checker.tally().grants).isEqualTo(3);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void twoHoldersAtOneInstantWhateverIsReadFirst(boolean inOrder) {
		inEitherOrder(inOrder, () -> hold(1, 100, 200, 10_000), () -> hold(2, 199, 300, 10_001));
		assertThat(violated()).containsExactly(Rule.EXCLUSION);
	}

	@Test
	void aLongHoldIsComparedWithAllWithinIt() {
		hold(2, 110, 120, 10_001);
		hold(3, 130, 140, 10_002);
		long first = grant(1, 100, 10_000);
		check(1, first, 150, 500);
		release(1, first, 160);
		assertThat(violated()).containsOnly(Rule.EXCLUSION).hasSize(2);
	}

	@Test
	void aHolderThatWasKilledCountsAsLongAsItWasPromised() {
		grant(1, 100, 10_000);
		this.checker.died(1);
		hold(2, 900, 950, 900_000);
		assertThat(violated()).containsExactly(Rule.EXCLUSION);
	}

	@Test
	void aHolderThatWasKilledDoesNotCountLonger() {
		grant(1, 100, 10_000);
		this.checker.died(1);
		hold(2, 1000, 1050, 1_000_000);
		assertThat(violated()).isEmpty();
		assertThat(this.checker.tally().killedHolders).isEqualTo(1);
	}

	@Test
	void aHolderThatWasStoppedAndThenLooksDoesNotCountLonger() {
		long hold = grant(1, 100, 10_000);
		hold(2, 1200, 1250, 1_200_000);
		write(1, Type.LOST, hold, 5000, 0, 0, 0, 0);
		release(1, hold, 5001);
		assertThat(violated()).isEmpty();
	}

	@Test
	void aHolderThatSaysLongAfterItsLeaseThatItHolds() {
		long hold = grant(1, 100, 10_000);
		hold(2, 1200, 1250, 1_200_000);
		check(1, hold, 1210, 0);
		release(1, hold, 1300);
		assertThat(violated()).containsExactly(Rule.EXCLUSION);
	}

	@Test
	void aHolderThatIsReleasingDoesNotCountAnyMore() {
		long hold = grant(1, 100, 10_000);
		write(1, Type.RELEASING, hold, 200, 0, 0, 0, 0);
		this.checker.died(1);
		hold(2, 201, 300, 10_001);
		assertThat(violated()).isEmpty();
	}

	@Test
	void anExtensionCounts() {
		long hold = grant(1, 100, 10_000);
		write(1, Type.EXTENDING, hold, 150, 0, 0, 1000, 0);
		check(1, hold, 200, 2000);
		this.checker.died(1);
		hold(2, 1500, 1600, 1_500_000);
		assertThat(violated()).containsExactly(Rule.EXCLUSION);
	}

	@Test
	void moreThanTheHolderAskedForIsNoPromise() {
		long hold = grant(1, 100, 10_000);
		check(1, hold, 200, 2000);
		this.checker.died(1);
		hold(2, 1500, 1600, 1_500_000);
		assertThat(violated()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(longs = { 10_000, 10_001 })
	void aLaterHolderWithASmallerTokenOrTheSame(long before) {
		hold(1, 100, 200, before);
		hold(2, 201, 300, 10_000);
		assertThat(violated()).containsExactly(Rule.TOKEN_ORDER);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void asManyHoldersAsThereArePermits(boolean inOrder) {
		inEitherOrder(inOrder, () -> {
			hold(1, 100, 200, 10_000, 2);
			hold(2, 150, 300, 10_001, 2);
		}, () -> {
			hold(1, 200, 400, 10_002, 2);
			hold(3, 300, 500, 10_003, 2);
		});
		assertThat(violated()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void moreHoldersThanThereArePermitsWhateverIsReadFirst(boolean inOrder) {
		inEitherOrder(inOrder, () -> {
			hold(1, 100, 200, 10_000, 2);
			hold(2, 150, 300, 10_001, 2);
		}, () -> hold(3, 199, 400, 10_002, 2));
		assertThat(violated()).containsExactly(Rule.EXCLUSION);
		assertThat(this.checker.violations().get(0).summary()).contains("in a company of at most 2, and 3 were told")
			.contains("worker 1 (token 10000, test, 2 permits)")
			.contains("worker 3 (token 10002, test, 2 permits)");
	}

	@Test
	void aLongHoldMeetsOthersThatDoNotMeetEachOther() {
		long first = grant(1, 100, 10_000, 2);
		for (int i = 0; i < 20; i++) {
			hold(2, 110 + 10 * i, 120 + 10 * i, 10_001 + i, 2);
		}
		check(1, first, 400, 500);
		release(1, first, 401);
		assertThat(violated()).isEmpty();
	}

	@Test
	void aLongHoldIsCountedWithAllThatMeetWithinIt() {
		long first = grant(1, 100, 10_000, 2);
		hold(2, 110, 125, 10_001, 2);
		hold(3, 120, 135, 10_002, 2);
		assertThat(violated()).isEmpty();
		check(1, first, 400, 500);
		release(1, first, 401);
		assertThat(violated()).containsExactly(Rule.EXCLUSION);
	}

	@Test
	void whoAcceptsMoreIsCountedByThoseWhoAcceptLess() {
		hold(1, 100, 200, 10_000, 5);
		hold(2, 110, 200, 10_001, 5);
		hold(3, 120, 200, 10_002, 5);
		assertThat(violated()).isEmpty();
		hold(1, 190, 300, 10_003, 2);
		assertThat(violated()).containsExactly(Rule.EXCLUSION);
		assertThat(this.checker.violations().get(0).summary())
			.startsWith("worker 1 had lock 7 (token 10003, test) in a company of at most 2, and 4 were told");
	}

	@Test
	void whoSharesIsCountedByThoseWithPermits() {
		hold(1, 100, 200, 10_000, SHARED);
		hold(2, 110, 200, 10_001, SHARED);
		hold(3, 120, 200, 10_002, 3);
		assertThat(violated()).isEmpty();
		hold(1, 130, 200, 10_003, SHARED);
		assertThat(violated()).containsExactly(Rule.EXCLUSION);
	}

	@Test
	void anyNumberShares() {
		for (int i = 0; i < 30; i++) {
			hold(1 + i % 3, 100 + i, 200, 10_000 + i, SHARED);
		}
		hold(1, 200, 300, 10_030);
		hold(2, 300, 400, 10_031, SHARED);
		assertThat(violated()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whoIsAloneMeetsOneThatShares(boolean inOrder) {
		inEitherOrder(inOrder, () -> hold(1, 100, 200, 10_000, SHARED), () -> hold(2, 199, 300, 10_001));
		assertThat(violated()).containsExactly(Rule.EXCLUSION);
	}

	@Test
	void aHolderBesideOthersThatWasKilledCountsAsLongAsItWasPromised() {
		grant(1, 100, 10_000, 2);
		this.checker.died(1);
		hold(2, 200, 1100, 10_001, 2);
		hold(3, 1000, 1100, 1_000_000, 2);
		assertThat(violated()).isEmpty();
		hold(3, 980, 1000, 980_000, 2);
		assertThat(violated()).containsExactly(Rule.EXCLUSION);
	}

	@Test
	void holdersBesideEachOtherMayHaveTheirTokensInAnyOrder() {
		hold(1, 100, 200, 10_001, 2);
		hold(2, 150, 300, 10_000, 2);
		hold(1, 310, 400, 9_999, 2);
		assertThat(violated()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void holdersWithTheSameTokenWhereverTheyAre(boolean inOrder) {
		hold(3, 90, 500, 9_999, SHARED);
		hold(3, 210, 220, 10_001, SHARED);
		inEitherOrder(inOrder, () -> hold(1, 100, 200, 10_000, SHARED), () -> hold(2, 300, 400, 10_000, SHARED));
		assertThat(violated()).containsExactly(Rule.TOKEN_ORDER);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whoIsAloneHasALargerTokenThanAllBeforeIt(boolean inOrder) {
		inEitherOrder(inOrder, () -> {
			hold(1, 100, 200, 10_002, SHARED);
			hold(2, 150, 250, 10_000, SHARED);
		}, () -> hold(3, 260, 300, 10_001));
		assertThat(violated()).containsExactly(Rule.TOKEN_ORDER);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whoIsAloneHasASmallerTokenThanAllAfterIt(boolean inOrder) {
		inEitherOrder(inOrder, () -> hold(3, 100, 200, 10_001), () -> {
			hold(1, 210, 300, 10_002, SHARED);
			hold(2, 220, 300, 10_000, SHARED);
		});
		assertThat(violated()).containsExactly(Rule.TOKEN_ORDER);
	}

	@ParameterizedTest
	@EnumSource
	void aLossOfDataExcusesALargerCompany(Extent extent) {
		long first = grant(1, 100, 100_000, 2);
		long second = grant(2, 110, 110_000, 2);
		lose(150, 151, 151_000, extent);
		hold(3, 200, 300, 200_000, 2);
		hold(3, 250, 300, 250_000, 2);
		release(1, first, 400);
		release(2, second, 400);
		assertThat(violated()).isEmpty();
		assertThat(this.checker.tally().excused).isEqualTo(2);
	}

	@Test
	void aLossOfDataDoesNotExcuseThoseOfOneSideOfIt() {
		long first = grant(1, 100, 100_000, 2);
		lose(150, 151, 151_000, Extent.ALL);
		hold(2, 200, 300, 200_000, 2);
		hold(3, 210, 300, 210_000, 2);
		assertThat(violated()).isEmpty();
		hold(2, 220, 300, 220_000, 2);
		release(1, first, 400);
		assertThat(violated()).containsOnly(Rule.EXCLUSION);
	}

	@Test
	void aGrantThatComesTooLateIsComparedWithNothing() {
		hold(2, 500, 600, 500_000);
		long late = ++this.ids;
		this.checker.accept(event(1, Type.GRANTED, late, 700, 10_000, 0, LEASE, 0));
		release(1, late, 701);
		assertThat(violated()).isEmpty();
		assertThat(this.checker.tally().grantedTooLate).isEqualTo(1);
	}

	@ParameterizedTest
	@EnumSource
	void twoHoldersAreExcusedByALossOfData(Extent extent) {
		long first = grant(1, 100, 100_000);
		lose(150, 151, 151_000, extent);
		hold(2, 200, 300, 200_000);
		release(1, first, 400);
		assertThat(violated()).isEmpty();
		assertThat(this.checker.tally().excused).isEqualTo(1);
	}

	@Test
	void twoHoldersOfAfterALossOfDataAreNotExcused() {
		lose(50, 51, 51_000, Extent.ALL);
		hold(1, 100, 200, 100_000);
		hold(2, 150, 300, 150_000);
		assertThat(violated()).containsExactly(Rule.EXCLUSION);
	}

	@Test
	void twoHoldersOfBeforeALossOfDataAreNotExcused() {
		hold(1, 100, 200, 100_000);
		hold(2, 150, 300, 150_000);
		lose(400, 401, 401_000, Extent.ALL);
		assertThat(violated()).containsExactly(Rule.EXCLUSION);
	}

	@Test
	void aLeaseOfBeforeALossThatIsHandedOnAfterItIsExcused() {
		hold(1, 100, 149, 100_000);
		lose(150, 151, 151_000, Extent.ALL);
		hold(2, 155, 300, 155_000);
		// Its token shows that its lease is one of before
		hold(1, 160, 200, 100_001);
		assertThat(violated()).isEmpty();
		assertThat(this.checker.tally().excused).isEqualTo(1);
	}

	@Test
	void aGrantOfJustBeforeALossThatIsToldAfterOneOfJustAfterItIsExcused() {
		lose(100, 156, 151_000, Extent.ALL);
		hold(2, 154, 170, 152_000);
		hold(1, 157, 170, 150_000);
		assertThat(violated()).isEmpty();
		assertThat(this.checker.tally().excused).isEqualTo(1);
	}

	@Test
	void afterALossOfDataTheTokensGoOnGrowingAlsoIfHoldersOverlap() {
		hold(1, 100, 200, 100_000);
		lose(150, 151, 151_000, Extent.ALL);
		hold(2, 155, 300, 1);
		assertThat(violated()).containsExactly(Rule.TOKEN_ORDER);
	}

	@Test
	void aHolderIsToldOfTheLossByTheEndOfItsLease() {
		long hold = grant(1, 100, 100_000);
		lose(150, 151, 151_000, Extent.ALL);
		check(1, hold, 900, 900);
		check(1, hold, 3000, 900);
		release(1, hold, 3100);
		assertThat(violated()).containsExactly(Rule.RESURRECTION);
	}

	@Test
	void aLockThatSurvivesAFailoverIsFine() {
		long hold = grant(1, 100, 100_000);
		lose(150, 151, 151_000, Extent.LATEST);
		check(1, hold, 900, 900);
		check(1, hold, 3000, 900);
		release(1, hold, 3100);
		assertThat(violated()).isEmpty();
	}

	@Test
	void aWaitThatIsOver() {
		ask(1, 1, 100, 500);
		end(1, 1, 100 + 500 + 2001, Outcome.BUSY);
		this.checker.tick(millis(10_000));
		assertThat(violated()).containsExactly(Rule.WAIT_LIMIT);
	}

	@Test
	void aWaitThatDoesNotEnd() {
		ask(1, 1, 100, 500);
		this.checker.tick(millis(3600));
		assertThat(violated()).isEmpty();
		this.checker.tick(millis(3601));
		this.checker.tick(millis(3700));
		assertThat(violated()).containsExactly(Rule.WAIT_LIMIT);
	}

	@Test
	void aWaiterThatWasStoppedMayTakeLonger() {
		ask(1, 1, 100, 500);
		this.checker.stopped(1, new Span(millis(200), millis(1200)));
		end(1, 1, 3600, Outcome.BUSY);
		this.checker.tick(millis(6000));
		assertThat(violated()).isEmpty();
		ask(1, 2, 10_000, 500);
		end(1, 2, 12_501, Outcome.BUSY);
		this.checker.tick(millis(20_000));
		assertThat(violated()).containsExactly(Rule.WAIT_LIMIT);
	}

	@Test
	void thatAWaiterWasStoppedMayBeKnownAfterwards() {
		ask(1, 1, 100, 500);
		end(1, 1, 3600, Outcome.BUSY);
		this.checker.tick(millis(3700));
		this.checker.stopped(1, new Span(millis(200), millis(1200)));
		this.checker.tick(millis(6000));
		assertThat(violated()).isEmpty();
	}

	@Test
	void aWaiterThatWasForgottenInTheCalm() {
		forgetWaiterInCalm(() -> {
		});
		assertThat(violated()).contains(Rule.FORGOTTEN_WAITER);
	}

	@Test
	void aWaiterThatFindsTheLockHeldIsNotForgotten() {
		this.checker.calm(millis(50));
		ask(2, 1, 150, 3000);
		for (int i = 0; i < 6; i++) {
			hold(1, 100 + 600 * i, 690 + 600 * i, 100_000 + 600_000 * i);
		}
		end(2, 1, 3150, Outcome.BUSY);
		this.checker.endCalm();
		assertThat(violated()).isEmpty();
	}

	/** The other permit is free from 200 on. */
	@Test
	void aWaiterForAPermitWasForgottenInTheCalm() {
		this.checker.calm(millis(50));
		hold(2, 100, 200, 10_000, 2);
		ask(3, 1, 150, 3000, 2);
		for (int i = 0; i < 6; i++) {
			hold(1, 100 + 600 * i, 690 + 600 * i, 100_000 + 600_000 * i, 2);
		}
		end(3, 1, 3150, Outcome.BUSY);
		this.checker.endCalm();
		assertThat(violated()).containsExactly(Rule.FORGOTTEN_WAITER);
	}

	@Test
	void aWaiterThatFindsAllPermitsTakenIsNotForgotten() {
		this.checker.calm(millis(50));
		ask(3, 1, 150, 3000, 2);
		for (int i = 0; i < 6; i++) {
			hold(1, 100 + 600 * i, 690 + 600 * i, 100_000 + 600_000 * i, 2);
			hold(2, 110 + 600 * i, 680 + 600 * i, 110_000 + 600_000 * i, 2);
		}
		end(3, 1, 3150, Outcome.BUSY);
		this.checker.endCalm();
		assertThat(violated()).isEmpty();
	}

	@Test
	void aWaiterMayWaitForOneInFrontThatWantsLessCompany() {
		this.checker.calm(millis(50));
		hold(1, 100, 900, 10_000, SHARED);
		ask(2, 1, 110, 3000, 1);
		ask(3, 2, 150, 3000, SHARED);
		hold(1, 850, 1700, 850_000, SHARED);
		hold(1, 1650, 2500, 1_650_000, SHARED);
		end(3, 2, 3150, Outcome.BUSY);
		end(2, 1, 3160, Outcome.BUSY);
		this.checker.endCalm();
		assertThat(violated()).isEmpty();
	}

	@Test
	void aWaiterIsPassedByManyInTheCalm() {
		this.checker.calm(millis(50));
		ask(2, 1, 150, 3000);
		for (int i = 0; i < 310; i++) {
			askAndHold(1, 160 + 9 * i, 165 + 9 * i, 168_000 + 9000 * i);
		}
		end(2, 1, 3150, Outcome.BUSY);
		this.checker.endCalm();
		assertThat(violated()).containsExactly(Rule.FORGOTTEN_WAITER);
	}

	@Test
	void waitersThatFindFreeLocksByThemselvesInTheCalm() {
		this.checker.calm(millis(50));
		tenLateWaiters();
		this.checker.endCalm();
		assertThat(violated()).containsExactly(Rule.SLOW_HANDOVER);
	}

	@Test
	void inAStormWaitersMayBeLate() {
		tenLateWaiters();
		this.checker.calm(millis(20_000));
		this.checker.endCalm();
		assertThat(violated()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(names = { "LOST", "TOLD" })
	void aRenewedLockIsLostInTheCalm(Type how) {
		this.checker.calm(millis(50));
		long hold = ++this.ids;
		this.checker.accept(event(1, Type.GRANTED, hold, 100, 10_000, 1500, 3000, 0));
		this.checker.accept(new Event(how, 1, NAME, 0, hold, millis(500), 0, 0, 1, 0, 0));
		release(1, hold, 501);
		this.checker.endCalm();
		assertThat(violated()).containsExactly(Rule.UNEXPLAINED_LOSS);
	}

	@Test
	void aCalmInWhichTheMachineStoodStillDoesNotCount() {
		forgetWaiterInCalm(() -> this.checker.suspended(List.of(1, 2), new Span(millis(1000), millis(3000))));
		assertThat(violated()).isEmpty();
		assertThat(this.checker.tally().suspensions).isEqualTo(1);
	}

	@Test
	void aCalmInWhichAWorkerWasSlowDoesNotCount() {
		forgetWaiterInCalm(() -> this.checker.accept(stalled(1000, 300)));
		assertThat(violated()).isEmpty();
		assertThat(this.checker.tally().stalledCalms).isEqualTo(1);
	}

	@Test
	void whatWasSlowBeforeTheCalmExcusesNothing() {
		forgetWaiterInCalm(() -> this.checker.accept(stalled(100, 300)));
		assertThat(violated()).containsExactly(Rule.FORGOTTEN_WAITER);
		assertThat(this.checker.tally().stalledCalms).isZero();
	}

	private static Event stalled(long at, long length) {
		return new Event(Type.STALLED, 1, Event.SEVERAL, 0, 0, millis(at), 0, 0, millis(length), 0, 0);
	}

	@Test
	void leadersThatFollowEachOtherAreFine() {
		term(1, 100, 900, 10_000);
		term(2, 901, 3000, 10_001);
		this.checker.checkSuccession(new Span(millis(500), millis(3000)));
		assertThat(violated()).isEmpty();
		assertThat(this.checker.tally().terms).isEqualTo(2);
		assertThat(this.checker.tally().longestAbsence).isEqualTo(millis(1));
	}

	@Test
	void twoLeadersAtOneInstant() {
		term(2, 1500, 1800, 10_001);
		term(1, 100, 1600, 10_000);
		assertThat(violated()).containsExactly(Rule.EXCLUSION);
	}

	@Test
	void aLongTermIsComparedWithThoseThatBeganAfterIt() {
		term(1, 100, 100_000, 10_000);
		this.checker.tick(millis(100_100));
		term(2, 99_000, 99_500, 10_001);
		assertThat(violated()).containsExactly(Rule.EXCLUSION);
	}

	@Test
	void twoLeadersAreExcusedByALossOfData() {
		long first = elect(1, 100, 100_000);
		lose(150, 151, 151_000, Extent.ALL);
		term(2, 200, 300, 200_000);
		check(1, first, 400, 0);
		release(1, first, 401);
		assertThat(violated()).isEmpty();
		assertThat(this.checker.tally().excused).isEqualTo(1);
	}

	@Test
	void aLeaderThatWasStoppedDoesNotLeadUntilItSaysSo() {
		long first = elect(1, 100, 10_000);
		check(1, first, 200, 0);
		term(2, 1300, 1400, 10_001);
		write(1, Type.LOST, first, 5000, 0, 0, 0, 0);
		release(1, first, 5001);
		assertThat(violated()).isEmpty();
	}

	@Test
	void aLaterLeaderWithASmallerToken() {
		term(1, 100, 200, 10_001);
		term(2, 201, 300, 10_000);
		assertThat(violated()).containsExactly(Rule.TOKEN_ORDER);
	}

	@Test
	void theNextLeaderFollowsAKilledOneInTime() {
		long first = elect(1, 100, 10_000);
		check(1, first, 500, 0);
		this.checker.died(1);
		term(2, 500 + LEASE + 2000, 6000, 3_500_000);
		this.checker.checkSuccession(new Span(millis(400), millis(6000)));
		assertThat(violated()).isEmpty();
	}

	@Test
	void nobodyFollowsAKilledLeaderInTime() {
		long first = elect(1, 100, 10_000);
		assertThat(this.checker.leader()).hasValue(1);
		check(1, first, 500, 0);
		this.checker.died(1);
		term(2, 500 + LEASE + 2001, 6000, 3_500_000);
		this.checker.checkSuccession(new Span(millis(400), millis(6000)));
		assertThat(violated()).containsExactly(Rule.LEADERLESS);
	}

	@Test
	void aSuccessionDuringWhichTheMachineStoodStillDoesNotCount() {
		term(1, 100, 500, 10_000);
		this.checker.suspended(List.of(1, 2), new Span(millis(1000), millis(3000)));
		this.checker.checkSuccession(new Span(millis(400), millis(6000)));
		assertThat(violated()).isEmpty();
		assertThat(this.checker.tally().successions).isZero();
	}

	@Test
	void fencedTransactionsWhoseBalancesGrowWithTheTokens() {
		commit(2, 2, 10_001);
		commit(1, 1, 10_000);
		commit(2, 3, 10_001);
		write(1, Type.REFUSED, 0, 100, 10_000, 0, 0, 0);
		assertThat(violated()).isEmpty();
		assertThat(this.checker.tally().committed).isEqualTo(3);
		assertThat(this.checker.tally().refused).isEqualTo(1);
	}

	@Test
	void twoFencedTransactionsThatReadTheSameBalance() {
		commit(1, 1, 10_000);
		commit(2, 1, 10_001);
		assertThat(violated()).containsExactly(Rule.LOST_UPDATE);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aFencedTransactionOfAnOldHolderAfterThatOfANewOne(boolean inOrder) {
		inEitherOrder(inOrder, () -> commit(2, 1, 10_001), () -> commit(1, 2, 10_000));
		assertThat(violated()).containsExactly(Rule.FENCE_ORDER);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anOldHolderCommitsAfterANewOneWhateverTheyWrite(boolean inOrder) {
		inEitherOrder(inOrder, () -> transaction(2, Place.OUTER, 200, 210, 10_001),
				() -> transaction(1, Place.AFTER_COMMIT, 220, 230, 10_000));
		assertThat(violated()).containsExactly(Rule.OLD_HOLDER);
	}

	@Test
	void transactionsThatCommitAtTheSameTimeMayBeInEitherOrder() {
		transaction(1, Place.OUTER, 100, 110, 10_000);
		transaction(2, Place.OUTER, 200, 210, 10_001);
		transaction(1, Place.AFTER_COMMIT, 209, 230, 10_000);
		assertThat(violated()).isEmpty();
		assertThat(this.checker.tally().committedInside).isEqualTo(1);
	}

	@Test
	void anOldHolderIsAdmittedAfterARollbackAndBeforeTheFenceIsClaimedAnew() {
		begin(2, Place.OUTER, 100);
		transaction(2, Place.BODY, 110, 120, 10_001);
		transaction(1, Place.OUTER, 130, 150, 10_000);
		write(2, Type.ROLLED_BACK, 0, 140, 0, 140, 0, 0);
		this.checker.tick(millis(1000));
		assertThat(violated()).isEmpty();
		assertThat(this.checker.tally().admitted).isEqualTo(1);
	}

	@Test
	void anOldHolderIsAdmittedAfterTheFenceIsClaimedAnew() {
		begin(2, Place.OUTER, 100);
		transaction(2, Place.BODY, 110, 120, 10_001);
		write(2, Type.ROLLED_BACK, 0, 140, 0, 140, 0, 0);
		transaction(1, Place.OUTER, 150, 160, 10_000);
		assertThat(violated()).containsExactly(Rule.OLD_HOLDER);
	}

	@Test
	void anOldHolderIsAdmittedWhileTheTransactionAroundANewOneIsOpen() {
		begin(2, Place.OUTER, 100);
		transaction(2, Place.BODY, 110, 120, 10_001);
		transaction(1, Place.OUTER, 130, 140, 10_000);
		assertThat(violated()).isEmpty();
		commit(2, Place.OUTER, 150, 160, 10_001);
		assertThat(violated()).containsExactly(Rule.OLD_HOLDER);
	}

	@Test
	void nobodyClaimsAnewForAWorkerThatWasKilled() {
		begin(2, Place.OUTER, 100);
		transaction(2, Place.BODY, 110, 120, 10_001);
		transaction(1, Place.OUTER, 130, 140, 10_000);
		this.checker.died(2);
		assertThat(violated()).isEmpty();
	}

	@Test
	void aLeaderBeginsWhileTheOneThatResignedHasNotStopped() {
		resign(1, 1000, 1500, 10_000, 0);
		elect(2, 1400, 10_001);
		this.checker.checkFarewells(new Span(millis(900), millis(2000)));
		assertThat(violated()).containsExactly(Rule.EARLY_SUCCESSION);
	}

	@Test
	void aLeaderBeginsWhenTheOneThatResignedHasStopped() {
		resign(1, 1000, 1500, 10_000, 0);
		elect(2, 1501, 10_001);
		this.checker.checkFarewells(new Span(millis(900), millis(2000)));
		assertThat(violated()).isEmpty();
		assertThat(this.checker.tally().resignations).isEqualTo(1);
	}

	@Test
	void aLeaderThatHasLostItsLockKeepsNobodyFromLeading() {
		resign(1, 1000, 1500, 10_000, 1);
		elect(2, 1400, 10_001);
		this.checker.checkFarewells(new Span(millis(900), millis(2000)));
		assertThat(violated()).isEmpty();
	}

	@Test
	void aLeaderThatStandsStillWhileItResignsKeepsNobodyFromLeading() {
		resign(1, 1000, 1500, 10_000, 0);
		elect(2, 1400, 10_001);
		this.checker.stopped(1, new Span(millis(1100), millis(1400)));
		this.checker.checkFarewells(new Span(millis(900), millis(2000)));
		assertThat(violated()).isEmpty();
	}

	@Test
	void aMinimumHoldIsCutShort() {
		grantWithMinimum(1, 100, 10_000, 300);
		hold(2, 350, 400, 350_000);
		assertThat(violated()).containsExactly(Rule.MINIMUM_HOLD);
	}

	@Test
	void aMinimumHoldIsKept() {
		grantWithMinimum(1, 100, 10_000, 300);
		hold(2, 401, 450, 401_000);
		assertThat(violated()).isEmpty();
	}

	@Test
	void aHandleThatNobodyClosedSaysThatItIsReleased() {
		long hold = grant(1, 100, 10_000);
		write(1, Type.LOST, hold, 200, 0, 0, 0, 1);
		release(1, hold, 201);
		assertThat(violated()).containsExactly(Rule.UNCLOSED_END);
	}

	@Test
	void aFailureThatIsNotDocumented() {
		ask(1, 1, 100, 500);
		end(1, 1, 200, Outcome.FAILED);
		assertThat(violated()).containsExactly(Rule.UNEXPECTED_FAILURE);
	}

	@Test
	void aViolationShowsTheEventsAndTheFaultsAroundIt() {
		this.checker.note(millis(190), "FLUSHALL");
		hold(1, 100, 200, 10_000);
		hold(2, 199, 300, 10_001);
		Violation violation = this.checker.violations().get(0);
		assertThat(violation.summary()).contains("worker 1 had lock 7 (token 10000")
			.contains("until 1.0 ms after the grant to worker 2");
		assertThat(violation.around()).anyMatch((line) -> line.contains("-9.0 ms") && line.contains("FLUSHALL"))
			.anyMatch((line) -> line.contains("+0.0 ms") && line.contains("worker 2 granted"));
	}

	/** The lock is free from 200 on, and the wait ends at 3150. */
	private void forgetWaiterInCalm(Runnable meanwhile) {
		this.checker.calm(millis(50));
		hold(1, 100, 200, 10_000);
		ask(2, 1, 150, 3000);
		meanwhile.run();
		end(2, 1, 3150, Outcome.BUSY);
		this.checker.endCalm();
	}

	private void tenLateWaiters() {
		for (int i = 0; i < 10; i++) {
			long begin = 100 + 1000 * i;
			hold(1, begin, begin + 10, 1000 * begin);
			ask(2, i, begin + 5, 5000);
			end(2, i, begin + 800, Outcome.GRANTED);
		}
	}

	/** The checker reads the journals of several workers. */
	private static void inEitherOrder(boolean inOrder, Runnable first, Runnable second) {
		(inOrder ? first : second).run();
		(inOrder ? second : first).run();
	}

	private List<Rule> violated() {
		return this.checker.violations().stream().map(Violation::rule).toList();
	}

	private void hold(int worker, long from, long to, long token) {
		release(worker, grant(worker, from, token), to);
	}

	private void hold(int worker, long from, long to, long token, int limit) {
		release(worker, grant(worker, from, token, limit), to);
	}

	private void askAndHold(int worker, long asked, long granted, long token) {
		long id = ++this.ids;
		this.checker.accept(new Event(Type.ASKED, worker, NAME, id, 0, millis(asked), 0, 0, millis(1000), 0, 0));
		this.checker.accept(new Event(Type.GRANTED, worker, NAME, id, id, millis(granted), token,
				millis(granted + LEASE), millis(LEASE), 0, 0));
		release(worker, id, granted + 1);
	}

	private long grant(int worker, long at, long token) {
		return grant(worker, at, token, 1);
	}

	private long grant(int worker, long at, long token, int limit) {
		long hold = ++this.ids;
		this.checker.accept(new Event(Type.GRANTED, worker, NAME, 0, hold, millis(at), token, millis(at + LEASE - 110),
				millis(LEASE), 0, 0, limit));
		return hold;
	}

	private void term(int worker, long from, long to, long token) {
		long hold = elect(worker, from, token);
		check(worker, hold, to, 0);
		release(worker, hold, to);
	}

	private long elect(int worker, long at, long token) {
		long hold = ++this.ids;
		this.checker.accept(event(worker, Type.ELECTED, hold, at, token, at, LEASE, 0));
		return hold;
	}

	private void commit(int worker, long balance, long token) {
		this.checker.accept(new Event(Type.COMMITTED, worker, NAME, 0, 0, millis(100), token, 0, balance, 0, 0));
	}

	private void begin(int worker, Place place, long at) {
		write(worker, Type.BEGINNING, 0, at, 0, 0, 0, place.ordinal());
	}

	/** A transaction that begins, and is about to commit, at the same time. */
	private void transaction(int worker, Place place, long at, long committed, long token) {
		begin(worker, place, at);
		commit(worker, place, at, committed, token);
	}

	private void commit(int worker, Place place, long at, long committed, long token) {
		write(worker, Type.COMMITTED, 0, committed, token, at, ++this.ids, place.ordinal());
	}

	private void resign(int worker, long from, long to, long token, long lost) {
		this.checker.accept(new Event(Type.REVOKING, worker, NAME, 0, 0, millis(from), token, 0, lost, 0, 0));
		this.checker.accept(new Event(Type.REVOKED, worker, NAME, 0, 0, millis(to), token, 0, 0, 0, 0));
	}

	private void grantWithMinimum(int worker, long at, long token, int minimum) {
		long hold = ++this.ids;
		this.checker.accept(event(worker, Type.GRANTED, hold, at, token, at + LEASE - 110, LEASE, minimum));
		release(worker, hold, at + 10);
	}

	private void check(int worker, long hold, long at, long remaining) {
		write(worker, Type.CHECKED, hold, at, 0, at + remaining, 0, 0);
	}

	private void release(int worker, long hold, long at) {
		write(worker, Type.RELEASING, hold, at, 0, 0, 0, 0);
		write(worker, Type.RELEASED, hold, at, 0, 0, 0, 0);
	}

	private void write(int worker, Type type, long hold, long at, long token, long until, long amount, int detail) {
		this.checker.accept(event(worker, type, hold, at, token, until, amount, detail));
	}

	private static Event event(int worker, Type type, long hold, long at, long token, long until, long amount,
			int detail) {
		return new Event(type, worker, NAME, 0, hold, millis(at), token, millis(until), millis(amount), 0, detail);
	}

	private void ask(int worker, long attempt, long at, long wait) {
		ask(worker, attempt, at, wait, 1);
	}

	private void ask(int worker, long attempt, long at, long wait, int limit) {
		this.checker
			.accept(new Event(Type.ASKED, worker, NAME, attempt, 0, millis(at), 0, 0, millis(wait), 0, 0, limit));
	}

	private void end(int worker, long attempt, long at, Outcome outcome) {
		this.checker.accept(new Event(Type.ENDED, worker, NAME, attempt, 0, millis(at), 0, 0, 0, 0, outcome.ordinal()));
	}

	private void lose(long from, long to, long wallMicros, Extent extent) {
		this.checker.dataLost(new DataLoss(new Span(millis(from), millis(to)), wallMicros, extent));
	}

	private static long millis(long millis) {
		return TimeUnit.MILLISECONDS.toNanos(millis);
	}

}
