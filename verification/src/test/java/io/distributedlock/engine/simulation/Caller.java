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

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockService;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.simulation.World.Event.Kind;
import io.distributedlock.internal.LockRecord;
import io.distributedlock.store.StoredLock;
import org.jspecify.annotations.Nullable;

/**
 * Plays one {@link Script.Call}: asks for a lock, works under it, and gives it back.
 */
final class Caller {

	private static final Duration RECORDED = Duration.ofMinutes(1);

	private final World world;

	private final Script.Call call;

	private final int number;

	private @Nullable Process process;

	private @Nullable LockHandle handle;

	private @Nullable LockHandle inner;

	private @Nullable CompletableFuture<String> work;

	private boolean done;

	private boolean working;

	/** Until when the lock is held at least, by the clock of the process. */
	private long extendedUntil = Long.MIN_VALUE;

	Caller(World world, Script.Call call, int number) {
		this.world = world;
		this.call = call;
		this.number = number;
	}

	void start() {
		Process process = this.world.processes[this.call.process()];
		if (process.dead) {
			this.done = true;
			return;
		}
		this.process = process;
		this.world.at(this.world.now, Kind.CALL, process, null, () -> ask(process));
	}

	private void ask(Process process) {
		this.world.tell(() -> "call " + this.number + ": " + this.call);
		LockService service = process.probe.service();
		switch (this.call.kind()) {
			case ONE -> await(process, service.acquireAsync(this.call.names().get(0), this.call.options()));
			case ALL -> await(process, service.acquireAllAsync(this.call.names(), this.call.options()));
			case EXECUTE -> execute(process, service);
			case FORCE -> force(process, this.call.names().get(0));
		}
	}

	private void await(Process process, CompletableFuture<LockHandle> future) {
		cancelLater(process, future);
		future.whenComplete((acquired, failure) -> {
			if (acquired != null) {
				begin(process, acquired);
			}
			else {
				failed(failure);
			}
		});
	}

	private void execute(Process process, LockService service) {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = service.executeAsync(this.call.names().get(0), this.call.options(),
				(acquired) -> {
					this.work = work;
					begin(process, acquired);
					return work;
				});
		cancelLater(process, result);
		result.whenComplete((value, failure) -> {
			if (this.work == null) {
				failed((failure != null) ? failure : new IllegalStateException("the work was not called"));
			}
			// Otherwise the end of the work is the end of the call
		});
	}

	private void force(Process process, String name) {
		process.find(name).whenComplete((found, failure) -> {
			if (found == null || found.isEmpty()) {
				this.done = true;
				return;
			}
			StoredLock lock = found.get();
			process.forceRelease(name, lock.holder()).whenComplete((outcome, problem) -> this.done = true);
		});
	}

	private void cancelLater(Process process, CompletableFuture<?> future) {
		if (this.call.cancelAfter() >= 0) {
			this.world.at(this.world.now + this.call.cancelAfter(), Kind.CALL, process, null, () -> {
				if (!future.isDone()) {
					this.world.tell(() -> "call " + this.number + " is cancelled");
					future.cancel(true);
				}
			});
		}
	}

	private void failed(Throwable failure) {
		this.world.tell(() -> "call " + this.number + " ends without the lock: " + failure);
		this.done = true;
		if (this.world.script.weather().calm() && !this.world.healed && failure instanceof LockUnavailableException) {
			this.world.fail("unavailable: " + this + " ended with " + failure);
		}
	}

	private void begin(Process process, LockHandle acquired) {
		this.handle = acquired;
		this.working = true;
		this.world.tell(() -> "call " + this.number + " has " + acquired);
		this.world.checker.opened(process, acquired, this);
		long hold = this.world.healed ? World.MILLI : this.call.hold();
		this.world.at(this.world.now + hold, Kind.CALL, process, null, this::end);
		if (this.call.extendAfter() >= 0) {
			this.world.at(this.world.now + this.call.extendAfter(), Kind.CALL, process, null, this::extend);
		}
		if (this.call.reenterAfter() >= 0) {
			this.world.at(this.world.now + this.call.reenterAfter(), Kind.CALL, process, null, this::reenter);
		}
		if (writesARecord() && !this.world.healed) {
			this.world.at(this.world.now + hold / 2, Kind.CALL, process, null, () -> write(null));
		}
		if (!this.call.heedless()) {
			acquired.onLost((loss) -> {
				this.world.tell(() -> "call " + this.number + " learns that its lock is lost: " + loss.cause());
				end();
			});
		}
	}

	private void extend() {
		LockHandle held = this.handle;
		Process here = this.process;
		if (this.working && held != null && here != null) {
			this.world.tell(() -> "call " + this.number + " extends");
			held.extendAsync(Duration.ofNanos(this.call.extendBy()))
				.thenRun(() -> this.extendedUntil = until(here, held));
		}
	}

	private static long until(Process process, LockHandle handle) {
		return process.local() + handle.remaining().toNanos();
	}

	/**
	 * Whether the lease is shorter than it was when its extension was confirmed.
	 */
	boolean isExtensionUndone() {
		LockHandle held = this.handle;
		Process here = this.process;
		return this.extendedUntil != Long.MIN_VALUE && this.working && held != null && here != null && held.isHeld()
				&& until(here, held) < this.extendedUntil;
	}

	/** As some jobs do. Nothing is drawn, so that scripts stay as they are. */
	private boolean writesARecord() {
		return this.number % 4 == 0 && this.call.limit() == 1 && this.call.names().size() == 1;
	}

	/** The first time with the guess that there is no record. */
	private void write(@Nullable String expected) {
		LockHandle held = this.handle;
		Process here = this.process;
		if (!this.working || held == null || here == null) {
			return;
		}
		String text = "of call " + this.number;
		this.world.tell(() -> "call " + this.number + " replaces the record " + expected);
		LockRecord.of(held)
			.replaceRecord(expected, text, RECORDED)
			.thenAccept((answer) -> written(here, held, expected, text, answer));
	}

	private void written(Process here, LockHandle held, @Nullable String expected, String text,
			LockRecord.Answer answer) {
		this.world.tell(() -> "call " + this.number + " learns " + answer);
		if (!answer.held()) {
			this.world.checker.denied(here, held);
		}
		else if (!text.equals(answer.text())) {
			if (Objects.equals(expected, answer.text())) {
				this.world.fail("record: " + this + " expected " + expected + " and learns " + answer);
			}
			write(answer.text());
		}
	}

	private void reenter() {
		LockHandle held = this.handle;
		Process here = this.process;
		if (this.working && held != null && here != null) {
			this.inner = here.probe.service().reenter(held, this.call.options()).orElse(null);
			if (this.inner != null) {
				this.world.tell(() -> "call " + this.number + " enters again");
				this.world.at(this.world.now + this.call.hold() / 4, Kind.CALL, here, null, this::leave);
			}
		}
	}

	private void leave() {
		LockHandle entered = this.inner;
		this.inner = null;
		if (entered != null) {
			this.world.tell(() -> "call " + this.number + " closes its inner handle");
			entered.releaseAsync();
		}
	}

	private void end() {
		LockHandle held = this.handle;
		Process here = this.process;
		if (!this.working || held == null || here == null) {
			return;
		}
		this.working = false;
		leave();
		LockState state = held.state();
		this.world.tell(() -> "call " + this.number + " is done with " + held);
		this.world.checker.closing(here, held, this);
		if (state == LockState.RELEASED) {
			this.world.fail("released: the lock of " + this + " was released before it was closed");
		}
		if (state == LockState.LOST && this.world.script.weather().calm() && !this.world.healed && mustNotBeLost()) {
			this.world.fail("lost: the lock of " + this + " was lost although nothing had happened");
		}
		if (this.work != null) {
			this.work.complete("done");
			this.done = true;
		}
		else {
			held.releaseAsync().whenComplete((nothing, failure) -> this.done = true);
		}
		this.world.checker.closed(held);
	}

	private boolean mustNotBeLost() {
		boolean taken = this.world.script.calls()
			.stream()
			.anyMatch((other) -> other.kind() == Script.Call.Kind.FORCE
					&& this.call.names().contains(other.names().get(0)));
		return !taken
				&& ((this.call.renewed() && this.call.maxHold() == 0) || this.call.hold() < this.call.lease() / 2);
	}

	/**
	 * No more work is done.
	 */
	void endSoon() {
		Process here = this.process;
		if (here != null) {
			this.world.at(this.world.now + World.MILLI, Kind.CALL, here, null, this::end);
		}
	}

	long minHold() {
		return this.call.minHold();
	}

	boolean isDone() {
		return this.done || (this.process != null && this.process.dead);
	}

	@Override
	public String toString() {
		return "call " + this.number + " (" + this.call + ")";
	}

}
