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

package io.distributedlock.engine.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.distributedlock.LockHandle;
import io.distributedlock.engine.EngineProbe;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockToken;

/**
 * Checks after every event what is promised: no holder in larger company than it asked
 * for, by their own clocks; fencing tokens in the order of the grants; minimum holds;
 * extensions that last; and at the end that nothing is left. What Redis forgot, or an
 * operator took, is excused until the server would have ended it.
 */
final class Checker {

	static final List<String> NAMES = List.of("a", "b", "c");

	private static final int MOST_PLACES = 16;

	/** Of a lease that a holder asked to be longer. */
	private static final long SHORTEST_GRANT = 3 * World.SECOND;

	/** After the server can be reached again. */
	private static final long TOLD_WITHIN = World.SECOND;

	private final World world;

	private final List<Name> names = new ArrayList<>();

	private final List<Open> open = new ArrayList<>();

	/** Handles that said that their lock is not held any more. */
	private final Set<LockHandle> over = Collections.newSetFromMap(new IdentityHashMap<>());

	/** Holds whose loss in the store was checked. */
	private final Set<Object> told = Collections.newSetFromMap(new IdentityHashMap<>());

	private final List<Object> valid = new ArrayList<>();

	/** Names and tokens of the grants that had a holder. */
	private final Set<String> granted = new HashSet<>();

	private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

	private final List<String> tokens = new ArrayList<>();

	private final List<String> company = new ArrayList<>();

	/** Until when a holder may believe in a lock that the server took from it. */
	private final Map<String, Long> excused = new HashMap<>();

	/** Tokens that were refused after the server took their locks away. */
	private final Set<String> refused = new HashSet<>();

	/** Holds that began after that, and the name and token of each. */
	private final Map<Object, String> unexcused = new IdentityHashMap<>();

	private long longestMinHold;

	Checker(World world) {
		this.world = world;
		NAMES.forEach((name) -> this.names.add(new Name(name)));
	}

	void check() {
		for (Name name : this.names) {
			check(name);
		}
	}

	private void check(Name name) {
		this.valid.clear();
		this.tokens.clear();
		for (Process process : this.world.processes) {
			if (!process.dead) {
				checkPlaces(name, process);
				for (Object hold : process.probe.holds(name.name)) {
					if (this.seen.add(hold)) {
						granted(name, process, hold);
					}
					if (EngineProbe.isHeldTooLong(hold, process.local())
							&& EngineProbe.isValid(hold, process.local())) {
						this.world.fail("maximum hold: a holder of '%s' goes on after it".formatted(name.name));
					}
					if (EngineProbe.isValid(hold, process.local())) {
						add(name, process, hold);
					}
				}
			}
		}
		for (Open each : this.open) {
			boolean held = each.name == name && !each.process.dead
					&& EngineProbe.isValid(each.hold, each.process.local());
			if (each.name == name && !each.process.dead && !held) {
				this.over.add(each.handle);
				checkLoss(each);
			}
			if (held && this.over.contains(each.handle)) {
				this.world.fail("held again: a handle on '%s' said that it was over".formatted(name.name));
			}
			if (held) {
				add(name, each.process, each.hold);
				if (each.caller.isExtensionUndone()) {
					this.world.fail("extension undone: the lease of '%s' is shorter than the holder was told"
						.formatted(name.name));
				}
			}
		}
		int smallest = Integer.MAX_VALUE;
		this.company.clear();
		for (int i = 0; i < this.valid.size(); i++) {
			if (!isExcused(name, this.tokens.get(i)) || this.unexcused.containsKey(this.valid.get(i))) {
				smallest = Math.min(smallest, EngineProbe.limit(this.valid.get(i)));
				this.company.add(this.tokens.get(i));
			}
		}
		if (this.company.size() > smallest) {
			this.world.fail("too many holders: " + String.join(" and ", this.company) + " believe that they hold '"
					+ name.name + "', and one of them accepts " + smallest);
		}
	}

	/**
	 * However many callers of a process wait, they take few places in the queue.
	 */
	private void checkPlaces(Name name, Process process) {
		if (process.probe.places(name.name, true) > 1) {
			this.world.fail("places: readers of process %d take more than one place in the queue of '%s'"
				.formatted(process.number, name.name));
		}
		if (process.probe.places(name.name, false) > MOST_PLACES) {
			this.world
				.fail("places: callers of process %d crowd the queue of '%s'".formatted(process.number, name.name));
		}
	}

	private void add(Name name, Process process, Object hold) {
		// A message of a grant that was taken away meanwhile may come late: the next
		// answer tells
		boolean announced = EngineProbe.isUnconfirmed(hold) && wasExcused(name, token(process, hold))
				&& !this.unexcused.containsKey(hold);
		if (!announced && !this.valid.contains(hold)) {
			this.valid.add(hold);
			this.tokens.add(token(process, hold));
		}
	}

	private static String token(Process process, Object hold) {
		return new LockToken(process.instance, EngineProbe.sequence(hold)).text();
	}

	private static String key(String name, String token) {
		return name + " " + token;
	}

	private boolean isExcused(Name name, String token) {
		Long until = this.excused.get(key(name.name, token));
		return until != null && this.world.now <= until;
	}

	private boolean wasExcused(Name name, String token) {
		return this.excused.containsKey(key(name.name, token));
	}

	private void granted(Name name, Process process, Object hold) {
		String token = token(process, hold);
		long fencingToken = EngineProbe.fencingToken(hold);
		this.world.note(fencingToken);
		this.world.tell(() -> "process " + process.number + " has a holder of '" + name.name + "', fencing token "
				+ fencingToken + ", " + token);
		String key = key(name.name, token);
		boolean handedOn = !this.granted.add(key);
		long lease = EngineProbe.lease(hold);
		if (!handedOn && lease < Math.min(EngineProbe.wantedLease(hold) / 10 * 9, SHORTEST_GRANT)) {
			this.world.fail("short lease: a holder of '%s' asked for %s and has %s".formatted(name.name,
					Script.millis(EngineProbe.wantedLease(hold)), Script.millis(lease)));
		}
		if (!handedOn && this.refused.contains(key)) {
			this.unexcused.put(hold, key);
		}
		else if (wasExcused(name, token)) {
			return;
		}
		boolean alone = EngineProbe.limit(hold) == 1;
		long before = alone ? name.largestToken : name.largestTokenOfOne;
		if (fencingToken <= before) {
			this.world.fail("fencing token: a holder of '%s' has %d after one had %d".formatted(name.name, fencingToken,
					before));
		}
		name.largestToken = Math.max(name.largestToken, fencingToken);
		name.largestTokenOfOne = alone ? fencingToken : name.largestTokenOfOne;
		if (this.world.now < name.keptUntil && (alone || name.keptByOne)) {
			this.world.fail("minimum hold: '%s' has a new holder %s before its minimum hold ends".formatted(name.name,
					Script.millis(name.keptUntil - this.world.now)));
		}
	}

	void opened(Process process, LockHandle handle, Caller caller) {
		for (LockHandle part : handle.parts()) {
			this.open.add(new Open(name(part.name()), process, part, EngineProbe.holds(part).get(0), caller));
		}
	}

	void closing(Process process, LockHandle handle, Caller caller) {
		for (LockHandle part : handle.parts()) {
			Object hold = EngineProbe.holds(part).get(0);
			long keepUntil = process.trueTime(EngineProbe.keepUntil(hold));
			long left = keepUntil - this.world.now;
			Name name = name(part.name());
			String token = token(process, hold);
			if (left > 0 && part.isHeld() && this.world.server.holders(name.name).containsKey(token)) {
				long end = this.world.endOfLease(name.name, token);
				if (end >= keepUntil) {
					name.toBeKeptByOne = EngineProbe.limit(hold) == 1;
					// The last request may be some milliseconds short
					name.toBeKeptUntil = this.world.now + left - left / 50 - 3 * World.MILLI;
				}
				this.longestMinHold = Math.max(this.longestMinHold, keepUntil);
			}
		}
		this.open.removeIf((each) -> each.caller == caller);
	}

	/**
	 * A lock that was lost has no minimum hold.
	 */
	void closed(LockHandle handle) {
		for (LockHandle part : handle.parts()) {
			Name name = name(part.name());
			if (EngineProbe.isReleased(EngineProbe.holds(part).get(0))) {
				if (name.toBeKeptUntil > this.world.now) {
					name.keptByOne = name.toBeKeptByOne;
				}
				name.keptUntil = Math.max(name.keptUntil, name.toBeKeptUntil);
			}
			name.toBeKeptUntil = 0;
		}
	}

	/**
	 * A process has the answer that it does not hold a lock any more.
	 */
	void denied(Process process, LeaseExtension extension) {
		this.world.at(this.world.now + World.SECOND, World.Event.Kind.TASK, process, null, () -> {
			if (process.pausedUntil + World.SECOND < this.world.now) {
				checkDenied(process, extension);
			}
		});
	}

	/**
	 * A holder learned from another command that the server does not have its lock: it is
	 * told of the loss within a second, unless something else comes in between.
	 */
	void denied(Process process, LockHandle handle) {
		int disturbances = process.disturbances();
		this.world.at(Math.max(this.world.now, process.steadyFrom()) + TOLD_WITHIN, World.Event.Kind.TASK, process,
				null, () -> {
					boolean undisturbed = this.world.isServing() && process.disturbances() == disturbances;
					if (undisturbed && handle.isHeld()) {
						this.world.fail("denied: the holder of '" + handle.name()
								+ "' goes on although the store denied that it has the lock");
					}
				});
	}

	private void checkDenied(Process process, LeaseExtension extension) {
		for (Object hold : process.probe.holds(extension.name())) {
			if (EngineProbe.sequence(hold) == extension.token().sequence()
					&& EngineProbe.isValid(hold, process.local())) {
				this.world.fail("denied: a holder of '" + extension.name() + "' goes on although the store denied it");
			}
		}
	}

	/**
	 * A process can reach the server again: within a second it tells the holders whose
	 * locks the server has lost, unless something else comes in between.
	 * @param disturbances how often something was slow, cut or refused so far
	 */
	void interrupted(Process process, int disturbances) {
		promiseNews(process, this.names, TOLD_WITHIN, disturbances);
	}

	/**
	 * A process is told that a lock has changed: within a second and a little, as holders
	 * in company are asked for once a second, it tells those that have lost it.
	 */
	void reported(Process process, String name, int disturbances) {
		promiseNews(process, List.of(name(name)), TOLD_WITHIN + TOLD_WITHIN / 10, disturbances);
	}

	private void promiseNews(Process process, List<Name> names, long within, int disturbances) {
		List<Runnable> promises = new ArrayList<>();
		for (Name name : names) {
			for (Object hold : process.probe.holds(name.name)) {
				if (!isKnownToServer(process, name, hold) && EngineProbe.isValid(hold, process.local())) {
					promises.add(() -> {
						if (EngineProbe.isValid(hold, process.local())) {
							this.world.fail(
									"told late: a holder of '%s' goes on for %s after the server could say that it is lost"
										.formatted(name.name, Script.millis(within)));
						}
					});
				}
			}
		}
		if (!promises.isEmpty() && this.world.isServing()) {
			this.world.at(Math.max(this.world.now, process.steadyFrom()) + within, World.Event.Kind.TASK, process, null,
					() -> {
						if (process.disturbances() == disturbances) {
							promises.forEach(Runnable::run);
						}
					});
		}
	}

	private boolean isKnownToServer(Process process, Name name, Object hold) {
		return this.world.server.holders(name.name).containsKey(token(process, hold));
	}

	/**
	 * A holder is told that the server has lost its lock: that must be true.
	 */
	private void checkLoss(Open open) {
		if (EngineProbe.isLostInStore(open.hold) && this.told.add(open.hold) && !this.world.isSetBack()
				&& isKnownToServer(open.process, open.name, open.hold)) {
			this.world.fail("lost for nothing: a holder of '%s' is told that it was lost, and the server has it"
				.formatted(open.name.name));
		}
	}

	/**
	 * Whether the server took away a lock that it had given to this token.
	 */
	boolean wasTakenAway(AcquireRequest request) {
		return wasExcused(name(request.name()), request.token().text());
	}

	/**
	 * A process has the answer that it does not hold a lock, which the server gave after
	 * it had taken the lock away: no message of the earlier grant may make it believe
	 * otherwise.
	 */
	void refused(AcquireRequest request) {
		this.refused.add(key(request.name(), request.token().text()));
	}

	void revoked(String name, String token) {
		excuse(name(name), token);
	}

	void dataLost() {
		for (Name name : this.names) {
			this.world.server.holders(name.name).keySet().forEach((holder) -> excuse(name, holder));
		}
	}

	private void excuse(Name name, String token) {
		String key = key(name.name, token);
		this.excused.put(key, this.world.endOfLease(name.name, token) + World.MILLI);
		// It may have been granted the lock anew since
		this.refused.remove(key);
		this.unexcused.values().removeIf(key::equals);
		name.keptUntil = 0;
		name.toBeKeptUntil = 0;
	}

	private Name name(String name) {
		return this.names.get(NAMES.indexOf(name));
	}

	long longestLeaseLeft() {
		long longest = 0;
		for (Name name : this.names) {
			for (String holder : this.world.server.holders(name.name).keySet()) {
				longest = Math.max(longest, this.world.endOfLease(name.name, holder) - this.world.now);
			}
		}
		return longest;
	}

	long longestMinHold() {
		return this.longestMinHold;
	}

	/**
	 * Nothing of a process that lives is left in the store, and nothing in its engine.
	 */
	void checkNothingIsLeft(String when) {
		for (Process process : this.world.processes) {
			if (!process.dead) {
				if (process.mayHaveLeftLocks()) {
					continue;
				}
				String mine = process.instance + ":";
				for (String name : NAMES) {
					if (this.world.server.holders(name)
						.keySet()
						.stream()
						.anyMatch((holder) -> holder.startsWith(mine) && !process.mayHaveBeenLeft(holder))) {
						this.world.fail(
								"lock left: process %d has '%s' in the store %s".formatted(process.number, name, when));
					}
					if (this.world.server.queue(name)
						.stream()
						.anyMatch((token) -> token.startsWith(mine) && mustBeGone(process, name, token))) {
						this.world.fail("place left: process %d is in the queue of '%s' %s".formatted(process.number,
								name, when));
					}
				}
				String leftovers = process.probe.leftovers();
				if (leftovers != null) {
					this.world.fail("state left: the engine of process %d has %s %s".formatted(process.number,
							leftovers, when));
				}
			}
		}
	}

	/**
	 * A release that was not answered is repeated only as long as the place is good.
	 */
	private boolean mustBeGone(Process process, String name, String token) {
		return !process.hadFailures || (this.world.server.isAlive(name, token) && !process.mayHaveBeenLeft(token));
	}

	private static final class Name {

		private final String name;

		private long largestToken;

		/** Of those who were alone. */
		private long largestTokenOfOne;

		/** Who keeps the lock was alone, and nobody may join. */
		private boolean keptByOne;

		private boolean toBeKeptByOne;

		private long keptUntil;

		private long toBeKeptUntil;

		Name(String name) {
			this.name = name;
		}

	}

	/**
	 * A handle that its caller has not closed.
	 */
	private record Open(Name name, Process process, LockHandle handle, Object hold, Caller caller) {
	}

}
