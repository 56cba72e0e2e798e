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

package io.distributedlock.campaign.worker;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * The locks of a campaign. A few are hot, many are cold, and some are held for long. All
 * acquisitions of one lock ask for the same lease: then no request ever shortens one,
 * which a network that delivers late could do behind the back of a holder (see "Late
 * requests" in docs/faults.md).
 *
 * @param forLong how many locks are held for long: the fewer, the more often two want one
 */
public record LockNames(int forLong) {

	private static final int HOT = 8;

	private static final int SHORT = 64;

	/** So many of those for long sections every worker has. */
	private static final int FEW = 4;

	private static final int FIRST_OF_MOMENTS = 1000;

	private static final int FIRST_WITH_COMPANY = 400;

	private static final int FIRST_OF_MOMENTS_WITH_COMPANY = 2_000_000;

	/**
	 * What is asked for at a lock with company: alone, a number of permits, or shared,
	 * which is zero. It follows from the name which of these lines is its own.
	 */
	private static final int[][] COMPANIES = { { 1, 0, 0, 0 }, { 2, 5 }, { 1, 2, 3, 0, 0 }, { 2 }, { 3 } };

	/** Only the first lines, so that long sections meet. */
	private static final int COMPANIES_FOR_LONG = 3;

	private static final long[] LEASES = { 1000, 1500, 2000, 3000 };

	/** Its locks have the lease that the annotations say. */
	private static final int ANNOTATED_LEASE = 2;

	/** All of them have the lease that the annotation says. */
	private static final int[] ACCOUNTS = { 200, 204, 208, 212 };

	/** Its transactions take long. */
	static final int LONG_ACCOUNT = 216;

	/** Its transactions begin late. */
	static final int LATE_ACCOUNT = 220;

	/**
	 * Their transactions have others in their callbacks, which deposit into the account
	 * with the next number. All have the lease that the annotation says.
	 */
	private static final int[] WITH_CALLBACKS = { 224, 228, 232 };

	/** With leases of 1 and 2 s. */
	private static final int[] LEADERSHIPS = { 300, 302, 304, 308, 312, 316 };

	static String text(int name) {
		return "campaign:" + name;
	}

	/**
	 * Return the number of a lock.
	 */
	static int number(String text) {
		return Integer.parseInt(text.substring(text.indexOf(':') + 1));
	}

	static Duration lease(int name) {
		return Duration.ofMillis(LEASES[name % LEASES.length]);
	}

	/**
	 * Draw a lock for a short section: every second time a hot one, unless several may
	 * hold it.
	 */
	static int draw(RandomGenerator random, boolean withCompany) {
		if (withCompany) {
			return FIRST_WITH_COMPANY + random.nextInt(COMPANIES.length);
		}
		return random.nextBoolean() ? random.nextInt(HOT) : drawCold(random);
	}

	static int drawCold(RandomGenerator random) {
		return random.nextInt(HOT, SHORT);
	}

	int drawForLong(RandomGenerator random, boolean withCompany) {
		return withCompany ? firstWithCompanyForLong() + random.nextInt(COMPANIES_FOR_LONG)
				: SHORT + random.nextInt(this.forLong);
	}

	/**
	 * Return a lock that all want for two seconds, and nobody after that: a waiter that
	 * is forgotten then is not found by the next caller.
	 */
	static int ofTheMoment(boolean withCompany) {
		return (withCompany ? FIRST_OF_MOMENTS_WITH_COMPANY : FIRST_OF_MOMENTS)
				+ (int) (System.nanoTime() / 2_000_000_000L % 1_000_000);
	}

	/**
	 * Draw in how large a company a caller wants a lock: one to be alone, as with all
	 * others than those with company, and zero to share it.
	 */
	static int drawLimit(int name, RandomGenerator random) {
		if (!isWithCompany(name)) {
			return 1;
		}
		int[] limits = COMPANIES[name % COMPANIES.length];
		return limits[random.nextInt(limits.length)];
	}

	private static boolean isWithCompany(int name) {
		return name >= FIRST_OF_MOMENTS_WITH_COMPANY
				|| (name >= FIRST_WITH_COMPANY && name < FIRST_WITH_COMPANY + 2 * COMPANIES.length);
	}

	/**
	 * Draws one of the locks that many want.
	 */
	public static String drawBusy(RandomGenerator random) {
		return "lock:" + text((random.nextInt(3) > 0) ? random.nextInt(HOT) : draw(random, true));
	}

	/**
	 * Draws locks that are held for long: one of those with one holder, and all others.
	 */
	public static List<String> drawHeldForLong(RandomGenerator random) {
		IntStream withCompany = IntStream.range(0, COMPANIES_FOR_LONG).map((i) -> firstWithCompanyForLong() + i);
		return IntStream.concat(IntStream.of(SHORT + random.nextInt(FEW)), withCompany)
			.mapToObj((name) -> "lock:" + text(name))
			.toList();
	}

	private static int firstWithCompanyForLong() {
		return FIRST_WITH_COMPANY + COMPANIES.length;
	}

	/**
	 * Returns the accounts, most of them with the number of their lock.
	 */
	public static IntStream accounts() {
		return IntStream.concat(IntStream.concat(IntStream.of(ACCOUNTS), IntStream.of(LONG_ACCOUNT, LATE_ACCOUNT)),
				IntStream.of(WITH_CALLBACKS).flatMap((account) -> IntStream.of(account, inside(account))));
	}

	static int inside(int account) {
		return account + 1;
	}

	static int drawAccountWithCallbacks(RandomGenerator random) {
		return WITH_CALLBACKS[random.nextInt(WITH_CALLBACKS.length)];
	}

	static int drawAccount(RandomGenerator random) {
		return ACCOUNTS[random.nextInt(ACCOUNTS.length)];
	}

	static IntStream leaderships() {
		return IntStream.of(LEADERSHIPS);
	}

	static int drawAnnotated(RandomGenerator random) {
		int name = draw(random, false);
		return name - name % LEASES.length + ANNOTATED_LEASE;
	}

}
