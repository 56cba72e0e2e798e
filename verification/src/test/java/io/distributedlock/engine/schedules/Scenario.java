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

package io.distributedlock.engine.schedules;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.OnLost;
import io.distributedlock.engine.EngineProbe;
import io.distributedlock.engine.PartsProbe;
import io.distributedlock.engine.schedules.Stage.Task;
import io.distributedlock.internal.DeferredInterrupts;

import static io.distributedlock.engine.schedules.Stage.WAITING;
import static io.distributedlock.engine.schedules.Stage.check;

/**
 * What two to four threads do at once, and what must be true whatever their order is. In
 * all scenarios each caller gets an answer without any time passing, unless it says how
 * often time has to, and at the end nothing is left in the engines or in the store.
 */
enum Scenario implements Runnable {

	/** Threads of one instance hand a lock on to each other. */
	HAND_OFF(() -> {
		Stage stage = new Stage();
		Section section = new Section(1);
		Task task = () -> section.pass(stage.here(), WAITING);
		stage.play(0, task, task, task);
		check(section.passed == 3, "Not everyone got the lock");
	}),

	/** Two instances compete, so that the store grants the lock to those in its queue. */
	TWO_INSTANCES(() -> {
		Stage stage = new Stage();
		Section section = new Section(1);
		stage.play(0, () -> section.pass(stage.here(), WAITING), () -> section.pass(stage.here(), WAITING),
				() -> section.pass(stage.there(), WAITING));
		check(section.passed == 3, "Not everyone got the lock");
	}),

	/** Two of three get a permit. */
	PERMITS(() -> {
		Stage stage = new Stage();
		Section section = new Section(2);
		LockOptions options = WAITING.withPermits(2);
		Task here = () -> section.pass(stage.here(), options);
		stage.play(0, here, here, () -> section.pass(stage.there(), options));
		check(section.passed == 3, "Not everyone got a permit");
	}),

	/** Readers of one instance, and a writer of the other. */
	SHARED(() -> {
		Stage stage = new Stage();
		Section readers = new Section(2);
		Section writer = new Section(1);
		Task reader = () -> readers.pass(stage.here(), WAITING.withShared(), (handle) -> writer.inside == 0);
		stage.play(0, reader, reader, () -> writer.pass(stage.there(), WAITING, (handle) -> readers.inside == 0));
		check(readers.passed == 2 && writer.passed == 1, "Not everyone got the lock");
	}),

	/** A future is cancelled at any step, while others want the same lock. */
	CANCELLED_FUTURE(() -> {
		Stage stage = new Stage();
		Section section = new Section(1);
		LockHandle before = stage.here().acquire("a", WAITING).detach();
		CompletableFuture<LockHandle> future = stage.here().acquireAsync("a", WAITING);
		stage.play(0, before::close, () -> {
			if (!future.cancel(true)) {
				section.pass(future.join(), (handle) -> true);
			}
		}, () -> section.pass(stage.here(), WAITING), () -> section.pass(stage.there(), WAITING));
		check(section.passed >= 2, "Not everyone got the lock");
	}),

	/** The time of a future, which gets no thread, is up as the lock becomes free. */
	TIME_IS_UP(() -> {
		Stage stage = new Stage();
		Section section = new Section(1);
		stage.play(10, () -> section.pass(stage.here(), WAITING), () -> {
			CompletableFuture<LockHandle> future = stage.here()
				.acquireAsync("a", WAITING.withWaitTime(Duration.ofMillis(20)));
			LockHandle handle = future.handle((got, failure) -> got).join();
			if (handle != null) {
				section.pass(handle, (held) -> true);
			}
		}, () -> stage.pass(Duration.ofMillis(25)));
	}),

	/** Futures get the lock and release it. */
	FUTURES(() -> {
		Stage stage = new Stage();
		Section section = new Section(1);
		Task task = () -> section.pass(stage.here().acquireAsync("a", WAITING).join(), (handle) -> true);
		stage.play(0, task, task);
		check(section.passed == 2, "Not everyone got the lock");
	}),

	/** Some want one attempt only. */
	SINGLE_ATTEMPTS(() -> {
		Stage stage = new Stage();
		Section section = new Section(1);
		Task attempt = () -> stage.here()
			.tryAcquire("a", WAITING.withWaitTime(Duration.ZERO))
			.ifPresent((handle) -> section.pass(handle, (held) -> true));
		stage.play(0, attempt, attempt, () -> section.pass(stage.here(), WAITING));
		check(section.passed >= 1, "Nobody got the lock");
	}),

	/** A waiter is interrupted at any step: it is told so, or its flag is still set. */
	INTERRUPTED_WAITER(() -> {
		Stage stage = new Stage();
		Section section = new Section(1);
		CountDownLatch sent = new CountDownLatch(1);
		Thread[] waiter = new Thread[1];
		CountDownLatch begun = new CountDownLatch(1);
		stage.play(0, () -> section.pass(stage.here(), WAITING), () -> {
			waiter[0] = Thread.currentThread();
			begun.countDown();
			try {
				section.pass(stage.here(), WAITING);
			}
			catch (LockInterruptedException ex) {
				check(Thread.currentThread().isInterrupted(), "The exception says interrupted, the flag does not");
			}
			Interrupts.awaitRegardless(sent);
			check(Thread.interrupted(), "An interrupt got lost");
		}, () -> {
			begun.await();
			waiter[0].interrupt();
			sent.countDown();
		}, () -> section.pass(stage.here(), WAITING));
		check(section.passed >= 2, "Not everyone got the lock");
	}),

	/** A lock of the JDK is what a distributed lock looks like. */
	VIEW(() -> {
		Stage stage = new Stage();
		Section section = new Section(1);
		Lock view = stage.here().asLock("a", WAITING);
		CountDownLatch sent = new CountDownLatch(1);
		CountDownLatch begun = new CountDownLatch(1);
		Thread[] waiter = new Thread[1];
		stage.play(0, () -> {
			view.lock();
			section.pass((held) -> true);
			view.unlock();
		}, () -> {
			waiter[0] = Thread.currentThread();
			begun.countDown();
			boolean told = false;
			try {
				view.lockInterruptibly();
				section.pass((held) -> true);
				view.unlock();
			}
			catch (InterruptedException ex) {
				told = true;
			}
			Interrupts.awaitRegardless(sent);
			check(Thread.interrupted() != told, "An interrupt was told twice, or never");
		}, () -> {
			begun.await();
			waiter[0].interrupt();
			sent.countDown();
		}, () -> {
			if (view.tryLock()) {
				section.pass((held) -> true);
				view.unlock();
			}
		});
	}),

	/** Two threads close the same inner handle; the outer one keeps the lock. */
	CLOSED_TWICE(() -> {
		Stage stage = new Stage();
		Section section = new Section(1);
		LockHandle outer = stage.here().acquire("a", WAITING);
		LockHandle inner = stage.here().acquire("a", WAITING);
		outer.detach();
		CountDownLatch closed = new CountDownLatch(2);
		Task close = () -> {
			inner.close();
			closed.countDown();
		};
		stage.play(0, close, close, () -> {
			closed.await();
			check(outer.isHeld() && section.passed == 0, "The lock was released too early");
			outer.close();
		}, () -> section.pass(stage.here(), WAITING));
		check(section.passed == 1, "The lock was not released");
	}),

	/** The inner handle is closed by one thread, the outer one by another. */
	ENTERED_TWICE(() -> {
		Stage stage = new Stage();
		Section section = new Section(1);
		LockHandle outer = stage.here().acquire("a", WAITING);
		LockHandle inner = stage.here().acquire("a", WAITING);
		outer.detach();
		stage.play(0, outer::close, inner::close, () -> section.pass(stage.here(), WAITING));
		check(section.passed == 1, "The lock was not released");
	}),

	/** Nobody has the handle any more, and the watchdog notices. */
	FORGOTTEN_HANDLE(() -> {
		Stage stage = new Stage();
		Section section = new Section(1);
		LockHandle forgotten = stage.here().acquire("a", WAITING.withAutoRenew());
		stage.play(5, () -> {
			EngineProbe.forget(forgotten);
			stage.pass(Duration.ofSeconds(11));
		}, () -> section.pass(stage.here(), WAITING.withWaitTime(Duration.ofMinutes(1))), () -> {
			stage.pass(Duration.ofSeconds(11));
			// A renewal that was due before comes first
			Stage.awaitPause();
			stage.pass(Duration.ofSeconds(11));
		});
		check(section.passed == 1, "The lock was not released");
	}),

	/** The interrupt for a loss never arrives after the handle was closed. */
	INTERRUPT_FOR_LOSS(() -> {
		Stage stage = new Stage();
		LockHandle[] handle = new LockHandle[1];
		CountDownLatch acquired = new CountDownLatch(1);
		stage.play(50, () -> {
			handle[0] = stage.here()
				.acquire("a", LockOptions.ofLease(Duration.ofSeconds(1)).withOnLost(OnLost.INTERRUPT));
			acquired.countDown();
			Thread.yield();
			handle[0].close();
			for (int i = 0; i < 3; i++) {
				check(!Thread.currentThread().isInterrupted(), "The next work was interrupted");
				Thread.yield();
			}
			Stage.awaitPause();
			check(!Thread.currentThread().isInterrupted(), "Later work was interrupted");
		}, () -> {
			acquired.await();
			stage.pass(Duration.ofMillis(1200));
			// Notices the loss, as the watchdog would
			handle[0].state();
		});
	}),

	/** The service is closed at any step. */
	CLOSED_SERVICE(() -> {
		Stage stage = new Stage();
		Section section = new Section(1);
		Task task = () -> {
			try {
				section.pass(stage.here(), WAITING, (handle) -> true);
			}
			catch (LockUnavailableException ex) {
				// It came too late, or the close ended its wait
			}
		};
		stage.play(100, task, task, () -> {
			stage.closeHere();
			check(stage.store.describe("a").join().isEmpty(), "Something is left in the store after the close");
			try {
				stage.here().acquire("a", WAITING).close();
				check(false, "A closed service gives locks");
			}
			catch (LockUnavailableException ex) {
				// As it should be
			}
		});
	}),

	/** The service is closed while futures wait. */
	CLOSED_SERVICE_WITH_FUTURES(() -> {
		Stage stage = new Stage();
		LockHandle elsewhere = stage.there().acquire("a", WAITING);
		Task task = () -> {
			Future<LockHandle> future = stage.here().acquireAsync("a", WAITING);
			try {
				LockHandle handle = future.get(1, TimeUnit.HOURS);
				handle.close();
			}
			catch (java.util.concurrent.ExecutionException ex) {
				check(ex.getCause() instanceof LockUnavailableException, "Not told why");
			}
		};
		stage.play(100, task, task, stage::closeHere, elsewhere::close);
	}),

	/** The watchdog calls what is due, and sleeps otherwise. */
	TIMER(() -> {
		PartsProbe.Watchdog watchdog = new PartsProbe.Watchdog(() -> 1000);
		CountDownLatch firstCalled = new CountDownLatch(1);
		CountDownLatch secondCalled = new CountDownLatch(1);
		PartsProbe.Watchdog.Entry first = new PartsProbe.Watchdog.Entry(firstCalled::countDown);
		PartsProbe.Watchdog.Entry second = new PartsProbe.Watchdog.Entry(secondCalled::countDown);
		PartsProbe.Watchdog.Entry cancelled = new PartsProbe.Watchdog.Entry(Thread::onSpinWait);
		new Stage().run(0, () -> {
			watchdog.schedule(first, 1000);
			firstCalled.await();
		}, () -> {
			watchdog.schedule(cancelled, 1_000_000_000_000L);
			watchdog.cancel(cancelled);
		}, () -> {
			watchdog.schedule(second, 1_000_000_000_000L);
			watchdog.schedule(second, 900);
			secondCalled.await();
		});
		Stage.awaitPause();
		check(first.calls() == 1 && second.calls() == 1, "What is due was not called");
		check(cancelled.calls() == 0 && watchdog.isIdle(), "An entry stays");
		watchdog.close();
	}),

	/** Tasks run once each, even if one waits for the next, and none is interrupted. */
	COMPLETIONS(() -> {
		Stage stage = new Stage();
		PartsProbe.Completions completions = new PartsProbe.Completions();
		int[] runs = new int[4];
		boolean[] interrupted = new boolean[1];
		CountDownLatch all = new CountDownLatch(runs.length);
		CountDownLatch followed = new CountDownLatch(1);
		Function<Integer, Runnable> task = (number) -> () -> {
			runs[number]++;
			interrupted[0] |= Thread.currentThread().isInterrupted();
			all.countDown();
		};
		stage.run(20, () -> completions.execute(() -> {
			task.apply(0).run();
			completions.execute(() -> {
				task.apply(1).run();
				followed.countDown();
			});
			Interrupts.awaitRegardless(followed);
		}), () -> completions.execute(() -> {
			task.apply(2).run();
			completions.execute(task.apply(3));
			Thread.currentThread().interrupt();
		}), completions::close, () -> Interrupts.awaitRegardless(all));
		for (int run : runs) {
			check(run == 1, "A task ran " + run + " times");
		}
		check(!interrupted[0], "The next work was interrupted");
	}),

	/** Who asks for an interrupt that a thread defers finds it at each moment. */
	DEFERRED_INTERRUPT(() -> {
		CompletableFuture<String> future = new CompletableFuture<>();
		CountDownLatch begun = new CountDownLatch(1);
		Thread[] waiter = new Thread[1];
		new Stage().run(0, () -> {
			waiter[0] = Thread.currentThread();
			begun.countDown();
			DeferredInterrupts.join(future);
			check(Thread.currentThread().isInterrupted(), "An interrupt got lost");
		}, () -> {
			begun.await();
			waiter[0].interrupt();
			boolean seen = true;
			for (int i = 0; i < 5; i++) {
				seen &= DeferredInterrupts.isInterrupted(waiter[0]);
			}
			future.complete("done");
			for (int i = 0; i < 5; i++) {
				seen &= DeferredInterrupts.isInterrupted(waiter[0]) || !waiter[0].isAlive();
			}
			check(seen, "A deferred interrupt is not seen");
		});
	}),

	/** An interrupt comes while the lock of a gate is contended. */
	INTERRUPT_AT_GATE(() -> {
		ReentrantLock lock = new ReentrantLock();
		CountDownLatch sent = new CountDownLatch(1);
		CountDownLatch begun = new CountDownLatch(1);
		Thread[] waiter = new Thread[1];
		new Stage().run(0, () -> {
			waiter[0] = Thread.currentThread();
			begun.countDown();
			DeferredInterrupts.lock(lock);
			lock.unlock();
			Interrupts.awaitRegardless(sent);
			check(Thread.currentThread().isInterrupted(), "An interrupt got lost");
		}, () -> {
			DeferredInterrupts.lock(lock);
			Thread.yield();
			lock.unlock();
		}, () -> {
			begun.await();
			waiter[0].interrupt();
			sent.countDown();
		});
	});

	private final Runnable play;

	Scenario(Runnable play) {
		this.play = play;
	}

	@Override
	public void run() {
		this.play.run();
	}

	/**
	 * Where no more than some may be at once.
	 */
	private static final class Section {

		private final int most;

		private int inside;

		private int passed;

		private long latestToken;

		Section(int most) {
			this.most = most;
		}

		void pass(LockService service, LockOptions options) {
			pass(service, options, (handle) -> true);
		}

		void pass(LockService service, LockOptions options, Function<LockHandle, Boolean> rule) {
			pass(service.acquire("a", options), rule);
		}

		void pass(LockHandle handle, Function<LockHandle, Boolean> rule) {
			try {
				if (this.most == 1) {
					check(handle.fencingToken() > this.latestToken, "The fencing tokens do not grow");
					this.latestToken = handle.fencingToken();
				}
				pass((held) -> rule.apply(handle));
			}
			finally {
				handle.close();
			}
		}

		private void pass(Function<Object, Boolean> rule) {
			check(++this.inside <= this.most, "More are inside than may be");
			Thread.yield();
			check(rule.apply(this), "Others are inside");
			this.inside--;
			this.passed++;
		}

	}

	private static final class Interrupts {

		/**
		 * Wait, and leave the flag as it is.
		 */
		static void awaitRegardless(CountDownLatch latch) {
			boolean interrupted = false;
			while (latch.getCount() > 0) {
				try {
					latch.await();
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
