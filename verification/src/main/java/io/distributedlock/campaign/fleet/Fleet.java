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

package io.distributedlock.campaign.fleet;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.distributedlock.campaign.fleet.WorkerProcess.Launch;
import io.distributedlock.campaign.history.Checker;
import io.distributedlock.campaign.history.Rule;
import io.distributedlock.campaign.history.Span;
import io.distributedlock.campaign.worker.StandingLoad;
import io.distributedlock.internal.DaemonThread;

/**
 * All workers, and the one thread that reads their journals and checks them. A worker has
 * a slot: when it is killed, another one takes its place, with a new number.
 */
public final class Fleet implements AutoCloseable {

	private static final long SUSPENDED = TimeUnit.MILLISECONDS.toNanos(500);

	/** So much time may pass that does not count, in all. */
	private static final long SLOWEST = TimeUnit.MINUTES.toNanos(5);

	private static final AtomicInteger NUMBERS = new AtomicInteger();

	private final Launch launch;

	/** How the worker in a slot reaches Redis. */
	private final IntFunction<String[]> properties;

	private final Checker checker;

	private final SplittableRandom seeds;

	private final List<WorkerProcess> workers = new ArrayList<>();

	private final List<WorkerProcess> dead = new ArrayList<>();

	private final Thread pump = new DaemonThread(this::pump, "campaign-pump");

	/** Guarded by the checker. */
	private long lastRead;

	private volatile long activeNanos;

	private volatile long violatedAfterNanos;

	private volatile boolean closed;

	private volatile boolean open;

	private final AtomicLong interrupts = new AtomicLong();

	private final AtomicLong cancels = new AtomicLong();

	public Fleet(int size, Launch launch, IntFunction<String[]> properties, Checker checker, long seed)
			throws InterruptedException {
		this.launch = launch;
		this.properties = properties;
		this.checker = checker;
		this.seeds = new SplittableRandom(seed);
		try {
			for (int slot = 0; slot < size; slot++) {
				this.workers.add(start(slot));
			}
			for (WorkerProcess worker : this.workers) {
				if (worker.await("ready") == null) {
					throw new IllegalStateException("Worker %d does not start, see its log in %s"
						.formatted(worker.number(), launch.directory()));
				}
			}
		}
		catch (RuntimeException ex) {
			this.workers.forEach(WorkerProcess::kill);
			throw ex;
		}
		this.lastRead = System.nanoTime();
		this.pump.start();
	}

	private WorkerProcess start(int slot) {
		int number = NUMBERS.incrementAndGet();
		checking((checker) -> checker.started(number, slot));
		return WorkerProcess.start(number, this.launch, this.seeds.nextLong(), this.properties.apply(slot));
	}

	public int size() {
		return this.workers.size();
	}

	/**
	 * Returns how many interrupts and cancellations struck, as far as workers lived to
	 * tell.
	 */
	public long[] interruptsAndCancels() {
		return new long[] { this.interrupts.get(), this.cancels.get() };
	}

	/**
	 * Returns for how long the fleet was active: a clock that stands still while the
	 * whole machine does.
	 */
	public long activeNanos() {
		return this.activeNanos;
	}

	/**
	 * Returns for how long the fleet had been active when something was violated.
	 */
	public long violatedAfterNanos() {
		return (this.violatedAfterNanos != 0) ? this.violatedAfterNanos : this.activeNanos;
	}

	/**
	 * Works with the checker, which belongs to one thread at a time.
	 */
	public void checking(Consumer<Checker> work) {
		synchronized (this.checker) {
			work.accept(this.checker);
		}
	}

	public <T> T asking(Function<Checker, T> question) {
		synchronized (this.checker) {
			return question.apply(this.checker);
		}
	}

	public void violated(Rule rule, String summary) {
		checking((checker) -> checker.violated(rule, summary));
	}

	public boolean isViolated() {
		return asking((checker) -> !checker.violations().isEmpty());
	}

	// What is done to workers

	public void open() {
		this.open = true;
		snapshot().forEach((worker) -> worker.order("open"));
	}

	/**
	 * Lets all attempts end, and admits no more.
	 */
	public void drain() throws InterruptedException {
		this.open = false;
		List<WorkerProcess> workers = snapshot();
		workers.forEach((worker) -> worker.order("drain"));
		for (WorkerProcess worker : workers) {
			String left = worker.await("drained");
			if (left == null) {
				violated(Rule.PROGRESS, "The attempts of worker %d do not end".formatted(worker.number()));
			}
			else if (!left.isEmpty()) {
				violated(Rule.LEFTOVER,
						"Worker %d has no attempts any more, but says: %s".formatted(worker.number(), left));
			}
		}
		readNow();
	}

	/**
	 * Has all workers but one wait for locks that this one holds.
	 * @return how many places they have in queues
	 */
	public int queue() throws InterruptedException {
		List<WorkerProcess> workers = snapshot();
		List<WorkerProcess> waiting = workers.subList(1, workers.size());
		obey(workers.subList(0, 1), "take", "taken");
		obey(waiting, "queue", "queued");
		return waiting.size() * StandingLoad.PLACES;
	}

	/**
	 * Has all workers hold locks that are renewed.
	 * @return how many
	 */
	public int keep() throws InterruptedException {
		List<WorkerProcess> workers = snapshot();
		obey(workers, "keep", "kept");
		return workers.size() * StandingLoad.RENEWED;
	}

	/**
	 * Ends what {@link #queue} or {@link #keep} began.
	 */
	public void drop() throws InterruptedException {
		obey(snapshot(), "drop", "dropped");
		readNow();
	}

	private void obey(List<WorkerProcess> workers, String order, String answer) throws InterruptedException {
		workers.forEach((worker) -> worker.order(order));
		for (WorkerProcess worker : workers) {
			if (worker.await(answer) == null) {
				violated(Rule.PROGRESS, "Worker %d does not end: %s".formatted(worker.number(), order));
			}
		}
	}

	public void killAndReplace(int slot, Duration deadFor) throws InterruptedException {
		WorkerProcess old = snapshot().get(slot);
		old.kill();
		Thread.sleep(deadFor.toMillis());
		replace(slot, old);
	}

	/**
	 * Closes the application of a worker while its leaders resign, and starts another one
	 * in its place.
	 */
	public void retireAndReplace(int slot) throws InterruptedException {
		WorkerProcess old = snapshot().get(slot);
		old.order("retire");
		awaitClosed(old);
		old.kill();
		replace(slot, old);
	}

	private void replace(int slot, WorkerProcess old) throws InterruptedException {
		WorkerProcess next = start(slot);
		synchronized (this.workers) {
			this.dead.add(old);
			this.workers.set(slot, next);
		}
		if (next.await("ready") == null) {
			violated(Rule.CAMPAIGN, "Worker %d does not start, see its log".formatted(next.number()));
		}
		if (this.open) {
			next.order("open");
		}
	}

	public OptionalInt slotOfLeader() {
		int leader = asking((checker) -> checker.leader().orElse(0));
		List<WorkerProcess> workers = snapshot();
		return IntStream.range(0, workers.size()).filter((slot) -> workers.get(slot).number() == leader).findFirst();
	}

	public void stop(int slot, Duration length) throws InterruptedException {
		WorkerProcess worker = snapshot().get(slot);
		long from = System.nanoTime();
		Span expected = new Span(from, from + length.toNanos() + SUSPENDED);
		checking((checker) -> checker.stopped(worker.number(), expected));
		worker.stop(length);
		// It took longer if this process was stopped as well
		Span actual = new Span(from, System.nanoTime());
		checking((checker) -> checker.stopped(worker.number(), actual));
	}

	public void shutDown() throws InterruptedException {
		List<WorkerProcess> workers = snapshot();
		workers.forEach((worker) -> worker.order("close"));
		for (WorkerProcess worker : workers) {
			awaitClosed(worker);
		}
	}

	private void awaitClosed(WorkerProcess worker) throws InterruptedException {
		String answer = worker.await("closed");
		if (answer == null) {
			violated(Rule.PROGRESS, "The application of worker %d does not close".formatted(worker.number()));
			return;
		}
		String[] words = answer.split(" ", 3);
		this.interrupts.addAndGet(Long.parseLong(words[0]));
		this.cancels.addAndGet(Long.parseLong(words[1]));
		if (words.length > 2) {
			violated(Rule.LEFTOVER, "Worker %d is closed, and has the threads %s".formatted(worker.number(), words[2]));
		}
	}

	@Override
	public void close() {
		this.closed = true;
		try {
			this.pump.join(TimeUnit.SECONDS.toMillis(5));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		snapshot().forEach(WorkerProcess::kill);
		synchronized (this.checker) {
			this.dead.forEach((worker) -> worker.readRest(this.checker::accept));
			snapshot().forEach((worker) -> {
				worker.readRest(this.checker::accept);
				this.checker.died(worker.number());
			});
		}
	}

	// What is read

	private void pump() {
		long begin = System.nanoTime();
		try {
			while (!this.closed) {
				readNow();
				if (System.nanoTime() - begin - this.activeNanos > SLOWEST) {
					// Everything else goes by the active time, and would take hours
					throw new IllegalStateException("The checker does not keep up with what the workers do");
				}
				Thread.sleep(20);
			}
		}
		catch (InterruptedException ex) {
			// The fleet is closed
		}
		catch (RuntimeException | Error ex) {
			violated(Rule.CAMPAIGN, "The journals cannot be read any more: " + ex);
			throw ex;
		}
	}

	private void readNow() {
		synchronized (this.checker) {
			long now = System.nanoTime();
			this.activeNanos += Math.min(SUSPENDED, now - this.lastRead);
			if (now - this.lastRead > SUSPENDED) {
				// The whole machine is slow, or was suspended
				this.checker.suspended(snapshot().stream().map(WorkerProcess::number).toList(),
						new Span(this.lastRead, now));
			}
			this.lastRead = now;
			List<WorkerProcess> buried;
			List<WorkerProcess> living;
			synchronized (this.workers) {
				buried = List.copyOf(this.dead);
				this.dead.clear();
				living = List.copyOf(this.workers);
			}
			for (WorkerProcess worker : buried) {
				worker.readRest(this.checker::accept);
				this.checker.died(worker.number());
			}
			for (WorkerProcess worker : living) {
				boolean alive = worker.isAlive();
				worker.read(this.checker::accept);
				if (!alive && !worker.wasKilled() && !this.closed) {
					this.checker.violated(Rule.PROGRESS, "Worker %d died, see its log".formatted(worker.number()));
					this.closed = true;
				}
			}
			this.checker.tick(now);
			if (this.violatedAfterNanos == 0 && !this.checker.violations().isEmpty()) {
				this.violatedAfterNanos = this.activeNanos;
			}
		}
	}

	private List<WorkerProcess> snapshot() {
		synchronized (this.workers) {
			return List.copyOf(this.workers);
		}
	}

}
