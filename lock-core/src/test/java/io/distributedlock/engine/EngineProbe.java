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
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

import io.distributedlock.LockHandle;
import io.distributedlock.LockService;
import io.distributedlock.LockEvent;
import io.distributedlock.LockState;
import io.distributedlock.LossCause;
import io.distributedlock.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * A lock service without threads, clock and chance of its own, and a view of what it
 * believes: the door of the simulation to the engine.
 */
public final class EngineProbe {

	private final DefaultLockService service;

	private final LockEngine engine;

	private final Shutdown shutdown;

	private final LeaseTimer timer;

	/**
	 * Create a lock service.
	 * @param handoffs how many local hand-offs in a row are allowed
	 * @param io runs one task after the other
	 * @param callbacks runs one task after the other
	 * @param completions runs tasks that may block
	 * @param jitter random numbers from zero to one
	 */
	public EngineProbe(LockStore store, LongSupplier clock, String instance, int handoffs, Executor io,
			Executor callbacks, Executor completions, Random secrets, DoubleSupplier jitter) {
		this(store, EngineSettings.of("sim").withLocalHandoffs(handoffs, Duration.ofMillis(20)),
				new LockEngine.Surroundings(clock, new LeaseTimer(clock, (loop) -> null),
						new EngineThreads(io, callbacks, completions), instance, secrets, jitter));
	}

	private EngineProbe(LockStore store, EngineSettings settings, LockEngine.Surroundings surroundings) {
		this.timer = surroundings.timer();
		this.service = new DefaultLockService(store, settings, List.of(), null, null, surroundings);
		this.engine = this.service.engine();
		this.shutdown = new Shutdown(this.engine, settings.cleanupWait());
	}

	/**
	 * Create a lock service with its usual threads, but no clock and chance of its own.
	 */
	public static EngineProbe withThreads(LockStore store, LongSupplier clock, String instance) {
		return new EngineProbe(store, EngineSettings.of("threads"), new LockEngine.Surroundings(clock,
				new LeaseTimer(clock), new EngineThreads(), instance, new Random(1), () -> 0.5));
	}

	public LockService service() {
		return this.service;
	}

	/**
	 * Close the service, and wait until nothing is left of it.
	 */
	public void closeAndWait() {
		this.service.close();
	}

	/**
	 * Have the outermost handle collected.
	 */
	public static void forget(LockHandle handle) {
		((Handle) handle).hold().clear();
	}

	/**
	 * Return when something is due, {@link Long#MAX_VALUE} for never.
	 */
	public long nextDue() {
		return this.timer.nextDue();
	}

	public void runDue() {
		this.timer.runDue();
	}

	public List<Object> holds(String name) {
		List<Object> holds = new ArrayList<>(1);
		for (Gate gate : this.engine.gates().stripe(name).snapshot()) {
			if (gate.name.equals(name)) {
				holds.addAll(gate.holds());
			}
		}
		return holds;
	}

	/**
	 * Return in how large a company, itself included, a holder may be.
	 */
	public static int limit(Object hold) {
		return ((Hold) hold).lease.gate.limit();
	}

	public static List<Object> holds(LockHandle handle) {
		List<Object> holds = new ArrayList<>(1);
		for (LockHandle part : handle.parts()) {
			holds.add(((Handle) part).hold());
		}
		return holds;
	}

	public static boolean isValid(Object hold, long now) {
		Hold it = (Hold) hold;
		return it.isActive() && now < it.lease.deadline();
	}

	/**
	 * Whether a hold is known from a message only.
	 */
	public static boolean isUnconfirmed(Object hold) {
		return ((Hold) hold).lease.unconfirmed;
	}

	public static boolean isReleased(Object hold) {
		return ((Hold) hold).state() == LockState.RELEASED;
	}

	/**
	 * Whether the store said that it does not have the lock any more.
	 */
	public static boolean isLostInStore(Object hold) {
		LockEvent.Lost loss = ((Hold) hold).loss();
		return loss != null && (loss.cause() == LossCause.KEY_VANISHED || loss.cause() == LossCause.TAKEN_BY_OTHER);
	}

	/**
	 * Return the sequence number of its token in the store.
	 */
	public static long sequence(Object hold) {
		return ((Hold) hold).lease.sequence;
	}

	public static long fencingToken(Object hold) {
		return ((Hold) hold).fencingToken;
	}

	/**
	 * Return how long the lease of a hold is, from its last confirmation.
	 */
	public static long lease(Object hold) {
		return ((Hold) hold).lease.length();
	}

	/**
	 * Return the lease for which the holder asked.
	 */
	public static long wantedLease(Object hold) {
		return ((Hold) hold).options().lease().toNanos();
	}

	/**
	 * Whether a hold is valid after its maximum, although its holder has not extended it.
	 */
	public static boolean isHeldTooLong(Object hold, long now) {
		Hold it = (Hold) hold;
		return now > it.maxHoldEndsAt() && !it.wasExtended();
	}

	/**
	 * Return how many places the callers of a name and of one kind take in the queue at
	 * most, or would take.
	 * @param shared whether to count those that accept any number of others
	 */
	public int places(String name, boolean shared) {
		int most = 0;
		for (Gate gate : this.engine.gates().stripe(name).snapshot()) {
			if (gate.name.equals(name) && (gate instanceof SharedGate) == shared) {
				most = Math.max(most, (int) gate.contenders().stream().filter(Contender::isQueued).count());
			}
		}
		return most;
	}

	/**
	 * Return until when the lock has to stay taken.
	 */
	public static long keepUntil(Object hold) {
		return ((Hold) hold).keepUntil();
	}

	/**
	 * Return what is left in the engine, or {@code null} if nothing is.
	 */
	public @Nullable String leftovers() {
		List<String> gates = new ArrayList<>();
		this.engine.gates().forEach((gate) -> gates.add(gate.name));
		if (!gates.isEmpty()) {
			return "gates of " + gates;
		}
		// Late news of an interruption leads to questions, although nothing is held
		this.timer.cancel(this.engine.confirmation());
		if (this.timer.nextDue() != Long.MAX_VALUE) {
			return "an entry of the timer";
		}
		return this.engine.cleanup().isNoneOwed() ? null : "a release that is owed";
	}

	/**
	 * Close the service, without waiting for holders.
	 * @return what to wait for before {@link Closing#finish()}
	 */
	public Closing close() {
		BooleanSupplier unsent = this.engine.refuseWaiters();
		this.shutdown.takeLocks();
		return new Closing(this, unsent);
	}

	public record Closing(EngineProbe probe, BooleanSupplier unsent) {

		public boolean isReady() {
			return !this.unsent.getAsBoolean() && this.probe.engine.cleanup().isNoneOwed();
		}

		public void finish() {
			this.probe.shutdown.finish();
		}

	}

}
