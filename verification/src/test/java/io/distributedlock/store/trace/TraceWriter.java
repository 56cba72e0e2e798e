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

package io.distributedlock.store.trace;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.RecordChange;
import io.distributedlock.store.StoredLock;
import org.jspecify.annotations.Nullable;

/**
 * Calls a store at random, and writes what happens as a trace: five callers of two
 * instances and one lock. Times are whole ticks, so that the ends of leases and of signs
 * of life often meet a call.
 */
final class TraceWriter {

	private static final int CALLS = 40;

	private static final int CALLERS = 5;

	/** More than a script looks at. */
	private static final int CROWD = 22;

	private static final int FIRST = 40;

	private static final long LONGEST_GRANT_LEASE = 3;

	private static final Long[] LEASES = { 1L, 2L, 3L, 5L };

	private static final long LONG = 30;

	private static final Integer[] LIMITS = { 1, 1, 2, 3, AcquireRequest.NO_LIMIT, AcquireRequest.NO_LIMIT };

	private final Subject subject;

	private final Random chance;

	private final String name;

	private final int[] limits;

	/** Of each caller, how often it entered or confirmed its place. */
	private final int[] signs;

	private final List<Step> steps = new ArrayList<>();

	private Step.Observed seen = new Step.Observed(List.of(), 0L, List.of(), false);

	private TraceWriter(Subject subject, long seed, String run) {
		this.subject = subject;
		this.chance = new Random(seed);
		this.name = "trace:" + run + seed;
		boolean exclusive = this.chance.nextInt(100) < 30;
		// The store in memory has no bound
		boolean crowded = subject.isRedis() && this.chance.nextInt(100) < 10;
		this.limits = new int[crowded ? CROWD : CALLERS];
		this.signs = new int[this.limits.length];
		boolean readers = crowded && this.chance.nextBoolean();
		Arrays.setAll(this.limits,
				(who) -> (exclusive || (readers && who == 0)) ? 1 : readers ? AcquireRequest.NO_LIMIT : one(LIMITS));
	}

	/**
	 * Write a trace. One that took so long that the time of the server mattered is
	 * written once more.
	 */
	static Trace write(Subject subject, long seed) {
		for (int i = 0; i < 20; i++) {
			subject.wasPunctual();
			TraceWriter writer = new TraceWriter(subject, seed, (i > 0) ? i + "." : "");
			Trace trace = writer.run();
			if (subject.wasPunctual()) {
				return trace;
			}
		}
		throw new IllegalStateException("This machine is too slow.");
	}

	private Trace run() {
		if (this.limits.length == CROWD) {
			for (int who = 0; who < CROWD; who++) {
				acquire(0, who, (who == 0) ? one(2L, LONG) : one(LEASES), true);
			}
		}
		for (int i = 0; i < CALLS; i++) {
			long ticks = (this.chance.nextInt(100) < 40) ? between(1, 3) : 0;
			if (ticks > 0) {
				this.subject.pass(this.name, ticks);
			}
			call(ticks);
		}
		return new Trace(this.name + (this.subject.isRedis() ? " of Redis" : " of the memory"), this.subject.isRedis(),
				Subject.SECOND, List.copyOf(this.steps));
	}

	private void call(long ticks) {
		int who = anyone();
		LockStore store = this.subject.store();
		switch (this.chance.nextInt(15)) {
			case 0, 1, 2, 3, 4, 5, 6 -> acquire(ticks, who, one(LEASES), false);
			case 7, 8 -> {
				long lease = between(1, 6);
				boolean exactly = this.chance.nextBoolean();
				write(ticks, Command.extend(token(who).text(), this.limits[who], lease, exactly), store
					.extend(List.of(new LeaseExtension(this.name, token(who), seconds(lease),
							exactly ? LeaseExtension.Mode.EXACTLY : LeaseExtension.Mode.AT_LEAST, this.limits[who])))
					.get(0));
			}
			case 9, 10, 11 -> {
				this.signs[who] = 0;
				write(ticks, command(Command.Op.RELEASE, who), store.release(this.name, token(who)));
			}
			case 12 -> {
				RecordChange change = new RecordChange(this.name, token(who), null, "record", seconds(100));
				write(ticks, command(Command.Op.RECORD, who), store.replaceRecord(change)
					.thenApply((outcome) -> !(outcome instanceof RecordChange.Outcome.NotHeld)));
			}
			case 13 -> write(ticks, command(Command.Op.FIND, who), store.find(this.name));
			default -> write(ticks, command(Command.Op.DESCRIBE, who), store.describe(this.name));
		}
	}

	private void acquire(long ticks, int who, long lease, boolean mustWait) {
		LockToken token = token(who);
		int block = one(1, 1, 33);
		boolean queued = this.signs[who] > 0;
		boolean waits = queued || mustWait || this.chance.nextInt(100) < 70;
		LockToken beside = (this.limits[who] == AcquireRequest.NO_LIMIT && !waits && this.chance.nextBoolean())
				? token(anyone()) : null;
		Command command = Command.acquire(token.text(), this.limits[who], lease, block,
				(beside != null) ? beside.text() : null);
		AcquireRequest.Waiting waiting = null;
		if (waits) {
			// The first request may be executed twice
			int sign = (this.signs[who] == 1 && this.chance.nextInt(100) < 20) ? 0 : this.signs[who];
			long life = between(1, 6);
			waiting = new AcquireRequest.Waiting(seconds(life), sign, 1000 + who);
			command = command.waiting(sign, life, Math.min(lease, LONGEST_GRANT_LEASE));
			this.signs[who] = Math.max(1, this.signs[who] + 1);
		}
		write(ticks, command, this.subject.store()
			.acquire(new AcquireRequest(this.name, token, seconds(lease), block, waiting, this.limits[who], beside)));
	}

	private Command command(Command.Op op, int who) {
		return new Command(op, token(who).text(), this.limits[who], 0, false, false, 0, null, 0, 0, 1);
	}

	private void write(long ticks, Command command, CompletableFuture<?> call) {
		Object answer = call.orTimeout(1, TimeUnit.MINUTES)
			.<Object>handle((outcome, failure) -> (failure != null) ? failure : outcome)
			.join();
		List<String> before = this.seen.holders()
			.stream()
			.filter((held) -> held.left() > ticks)
			.map(Step.Held::token)
			.toList();
		this.seen = this.subject.look(this.name);
		int served = (int) this.seen.holders()
			.stream()
			.map(Step.Held::token)
			.filter((token) -> !before.contains(token) && !token.equals(command.token()))
			.count();
		this.steps.add(new Step(ticks, false, command, answer, this.subject.messages(served), this.seen, Set.of()));
	}

	/** Often one that holds the lock or waits for it. */
	private int anyone() {
		List<String> known = new ArrayList<>();
		this.seen.holders().forEach((held) -> known.add(held.token()));
		this.seen.queue().forEach((place) -> known.add(place.token()));
		if (!known.isEmpty() && this.chance.nextInt(100) < 50) {
			String token = known.get(this.chance.nextInt(known.size()));
			return (int) LockToken.parse(token).sequence() - FIRST;
		}
		return this.chance.nextInt(this.limits.length);
	}

	private static LockToken token(int who) {
		return new LockToken(Subject.INSTANCES.get(who % Subject.INSTANCES.size()), FIRST + who);
	}

	private static Duration seconds(long ticks) {
		return Duration.ofNanos(ticks * Subject.SECOND);
	}

	private long between(int from, int to) {
		return from + this.chance.nextInt(to - from + 1);
	}

	@SafeVarargs
	private <T> T one(T... values) {
		return values[this.chance.nextInt(values.length)];
	}

}
