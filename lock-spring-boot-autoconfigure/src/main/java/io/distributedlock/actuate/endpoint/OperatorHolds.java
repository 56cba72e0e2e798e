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

package io.distributedlock.actuate.endpoint;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.internal.DaemonThread;
import io.distributedlock.internal.Printable;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.AcquireRequest.Waiting;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoredLock;
import io.distributedlock.store.StoredLockDetails;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/**
 * The holds that operators ask for.
 *
 * <p>
 * Such a hold belongs to no instance: it is not renewed, it stays if the instance that
 * took it ends, and only its own time or an operator ends it. It therefore goes past the
 * engine, straight to the store.
 *
 * <p>
 * One that waits has a place in the queue of the lock. It does not listen for its grant,
 * which therefore has the whole lease at once. This instance looks every second whether
 * it was granted, and keeps its place. If the place is gone although the lock is held, or
 * if the lock is free after a silence of the store, then somebody may have ended the
 * hold: this instance does not ask again, as that could undo what an operator has
 * decided. The time of a hold begins with the request, so a wait makes the hold shorter:
 * it ends when the operator said.
 *
 * <p>
 * After the first answer, all that happens to a request happens in one thread.
 */
final class OperatorHolds implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(OperatorHolds.class);

	private static final Duration SHORTEST = Duration.ofSeconds(1);

	private static final Duration LONGEST = Duration.ofDays(7);

	private static final int REASON_BYTES = 200;

	private static final int OPERATOR_BYTES = 64;

	private static final int MOST_WAITING = 16;

	private static final Duration PLACE_LIFE = Duration.ofSeconds(30);

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	/** A store may say for long that a lease is just about to end. */
	private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(50);

	/** Without an answer for longer, a grant may have been missed. */
	private static final Duration LONGEST_SILENCE = Duration.ofSeconds(2);

	/** From a grant. Longer than the longest silence. */
	private static final Duration UNNOTICED = Duration.ofSeconds(3);

	/** By which a hold may end too late, until its instance has noticed it. */
	private static final Duration TOLERANCE = Duration.ofMillis(500);

	private static final Duration PATIENCE_AT_CLOSE = Duration.ofSeconds(1);

	/** The sequence number of a token that waits. */
	private static final long WAITED = 1;

	/** Those that wait, or whose release was not answered, by their digests. */
	private final Map<String, Attempt> open = new ConcurrentHashMap<>();

	/** Those that have ended their wait just now. */
	private final Set<String> noticed = ConcurrentHashMap.newKeySet();

	private final InstantSource clock;

	private final BiConsumer<String, Map<String, @Nullable Object>> audit;

	private @Nullable ScheduledExecutorService timer;

	private boolean closed;

	/**
	 * Create a new instance.
	 * @param clock the clock for the time of day
	 * @param audit takes the name of an operator, and what became of a hold
	 */
	OperatorHolds(InstantSource clock, BiConsumer<String, Map<String, @Nullable Object>> audit) {
		this.clock = clock;
		this.audit = audit;
	}

	static void checkDuration(Duration duration) {
		require(duration.compareTo(SHORTEST) >= 0 && duration.compareTo(LONGEST) <= 0, "The duration is "
				+ Printable.of(duration) + ". It must be from 1s to 7d; to end a job for good, remove it.");
	}

	/**
	 * Take a lock, or begin to wait for it.
	 * @param instance the name of this instance
	 * @throws InvalidEndpointRequestException if this is not possible
	 */
	Attempt take(LockStore store, String name, Duration duration, String instance, String operator, String reason,
			boolean waits) {
		checkDuration(duration);
		require(!reason.isBlank(), "Say why the lock is held: everybody who is refused reads the reason.");
		int length = reason.getBytes(StandardCharsets.UTF_8).length;
		require(length <= REASON_BYTES,
				"The reason has " + length + " bytes in UTF-8. It must have at most " + REASON_BYTES + ".");
		Attempt attempt = new Attempt(store, name, duration, instance, shorten(operator), reason, waits);
		attempt.begin();
		return attempt;
	}

	private static String shorten(String operator) {
		StringBuilder shortened = new StringBuilder();
		int bytes = 0;
		for (int c : operator.codePoints().toArray()) {
			bytes += Character.toString(c).getBytes(StandardCharsets.UTF_8).length;
			if (bytes > OPERATOR_BYTES) {
				break;
			}
			shortened.appendCodePoint(c);
		}
		return shortened.toString();
	}

	private static void require(boolean condition, String reason) {
		if (!condition) {
			throw new InvalidEndpointRequestException(reason, reason);
		}
	}

	/**
	 * Refuse to end or to change a hold if the instance that waited for it may not have
	 * noticed yet that it has it: that instance would find a free lock, and take it.
	 */
	void requireNoticed(StoredLockDetails lock) {
		boolean waited = LockToken.parse(lock.lock().holder()).sequence() == WAITED;
		boolean young = lock.age() != null && lock.age().compareTo(UNNOTICED) < 0;
		require(!waited || !young || this.noticed.contains(lock.lock().digest()),
				"This hold has just been granted, and the instance that waited for it may not know that yet. Ask again in three seconds.");
	}

	/**
	 * End a hold that this instance waits for.
	 * @return whether it waits for it
	 * @throws LockUnavailableException if the store does not answer; the hold is ended as
	 * soon as it does
	 */
	boolean cancel(String name, String digest, String caller) {
		Attempt attempt = this.open.get(digest);
		if (attempt == null || !attempt.name.equals(name)) {
			return false;
		}
		CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
		if (!later(() -> attempt.cancel(caller, cancelled), Duration.ZERO)) {
			return false;
		}
		try {
			return cancelled.join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : ex;
		}
	}

	void report(String operator, String name, String what, String reason, String outcome) {
		String shown = Printable.of(name);
		logger.warn("Operator '" + Printable.of(operator) + "' " + what.formatted(shown) + " Reason: "
				+ Printable.of(reason));
		this.audit.accept(operator, Map.of("lock", shown, "reason", Printable.of(reason), "outcome", outcome));
	}

	private synchronized void open(Attempt attempt) {
		require(!this.closed, "This instance ends. Ask another one.");
		require(this.open.size() < (attempt.waits ? MOST_WAITING : 2 * MOST_WAITING), "This instance waits for "
				+ MOST_WAITING + " locks for operators, and for no more. Ask another instance, or later.");
		this.open.put(attempt.digest, attempt);
	}

	/**
	 * @return {@code false} if it is too late for that
	 */
	private synchronized boolean later(Runnable task, Duration delay) {
		if (this.closed) {
			return false;
		}
		if (this.timer == null) {
			this.timer = Executors.newSingleThreadScheduledExecutor(DaemonThread.factory("lock-operator"));
		}
		this.timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
		return true;
	}

	/** Leave the queues of all locks that operators wait for. */
	@Override
	public void close() {
		ScheduledExecutorService last;
		synchronized (this) {
			if (this.closed) {
				return;
			}
			this.closed = true;
			last = this.timer;
		}
		if (last == null) {
			return;
		}
		long patience = System.nanoTime() + PATIENCE_AT_CLOSE.toNanos();
		Future<?> left = last.submit(() -> {
			Map<Attempt, CompletableFuture<?>> released = new LinkedHashMap<>();
			this.open.values().forEach((attempt) -> released.put(attempt, attempt.leave()));
			released.forEach((attempt, release) -> attempt.close(release, patience));
		});
		try {
			left.get(2 * PATIENCE_AT_CLOSE.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.warn("Some operators may still wait for locks, for seconds after this instance has ended.", ex);
		}
		last.shutdownNow();
	}

	/**
	 * One request for a hold.
	 */
	final class Attempt {

		private final LockStore store;

		private final String name;

		private final LockToken token;

		private final String digest;

		private final String operator;

		private final String reason;

		private final long end;

		private final Instant until;

		private final boolean waits;

		private AcquireOutcome.@Nullable Busy refusal;

		private int requests;

		private long answeredAt = System.nanoTime();

		private boolean silent;

		private volatile boolean over;

		private Attempt(LockStore store, String name, Duration duration, String instance, String operator,
				String reason, boolean waits) {
			this.store = store;
			this.name = name;
			this.operator = operator;
			this.reason = reason;
			LockToken taken = LockToken.ofOperator(instance, operator, reason);
			this.token = waits ? new LockToken(taken.instance(), WAITED) : taken;
			this.digest = new StoredLock(this.token.text(), null).digest();
			this.end = System.nanoTime() + duration.toNanos();
			this.until = OperatorHolds.this.clock.instant().plus(duration);
			this.waits = waits;
		}

		String digest() {
			return this.digest;
		}

		Instant until() {
			return this.until;
		}

		/**
		 * Return the answer to the first request, or {@code null} if the lock was taken.
		 */
		AcquireOutcome.@Nullable Busy refusal() {
			return this.refusal;
		}

		private void begin() {
			open(this);
			AcquireOutcome outcome;
			try {
				outcome = ask().join();
			}
			catch (CompletionException ex) {
				throw failed(ex.getCause());
			}
			if (outcome instanceof AcquireOutcome.Busy busy) {
				this.refusal = busy;
				if (!this.waits) {
					OperatorHolds.this.open.remove(this.digest);
					return;
				}
				report("waits for lock '%s', to hold it next.", "waiting");
				if (!next(busy.remaining())) {
					leave();
					end("did not get lock '%s': this instance ends. Ask another one.", "given up");
				}
			}
			else {
				taken();
			}
		}

		private RuntimeException failed(@Nullable Throwable failure) {
			if (failure instanceof LockUnavailableException) {
				report("may hold lock '%s': the store did not answer. It is released as soon as the store does.",
						"unknown");
				leave().whenComplete(this::left);
				return new LockUnavailableException(this.name, failure.getMessage()
						+ " The lock may be held for the operator now, as hold " + this.digest
						+ ", which this instance releases as soon as it can. Look who holds it before you ask again.",
						failure);
			}
			OperatorHolds.this.open.remove(this.digest);
			return (failure instanceof RuntimeException problem) ? problem
					: new IllegalStateException("The lock store failed.", failure);
		}

		/** A store that throws fails the future as well. */
		private <T> CompletableFuture<T> send(Supplier<CompletableFuture<T>> request) {
			return CompletableFuture.completedFuture(this.name).thenCompose((ignored) -> request.get());
		}

		private CompletableFuture<AcquireOutcome> ask() {
			Waiting place = this.waits ? new Waiting(PLACE_LIFE, this.requests++, Waiting.NOT_LISTENING) : null;
			AcquireRequest request = new AcquireRequest(this.name, this.token, timeLeft(), 1, place);
			return send(() -> this.store.acquire(request));
		}

		/**
		 * End the wait, or the hold if it has one.
		 */
		private CompletableFuture<ReleaseOutcome> leave() {
			this.over = true;
			return send(() -> this.store.release(this.name, this.token));
		}

		/**
		 * The release is repeated until the store answers, or the hold has ended by
		 * itself.
		 */
		private void left(@Nullable ReleaseOutcome outcome, @Nullable Throwable failure) {
			boolean again = failure != null && !timeLeft().isNegative()
					&& later(() -> leave().whenComplete(this::left), INTERVAL);
			if (!again) {
				OperatorHolds.this.open.remove(this.digest);
			}
		}

		/**
		 * A machine that was suspended may have a monotonic clock that was, too.
		 */
		private Duration timeLeft() {
			Duration monotonic = Duration.ofNanos(this.end - System.nanoTime());
			Duration ofDay = Duration.between(OperatorHolds.this.clock.instant(), this.until);
			return (monotonic.compareTo(ofDay) < 0) ? monotonic : ofDay;
		}

		/**
		 * A lease that ends hands nothing over: whoever asks first gets the lock.
		 */
		private boolean next(@Nullable Duration remaining) {
			Duration end = (remaining != null && remaining.compareTo(INTERVAL) < 0) ? remaining.plusMillis(1)
					: INTERVAL;
			return later(this::look, (end.compareTo(SHORTEST_INTERVAL) > 0) ? end : SHORTEST_INTERVAL);
		}

		private void look() {
			if (!this.over) {
				send(() -> this.store.describe(this.name)).whenComplete((found, failure) -> later(() -> {
					if (found != null) {
						lookAt(found.orElse(null));
					}
					else {
						unanswered(failure);
					}
				}, Duration.ZERO));
			}
		}

		private void lookAt(@Nullable StoredLockDetails lock) {
			if (this.over) {
				return;
			}
			boolean wasSilent = System.nanoTime() - this.answeredAt > LONGEST_SILENCE.toNanos();
			this.answeredAt = System.nanoTime();
			this.silent = false;
			if (lock != null && lock.lock().holder().equals(this.token.text())) {
				shorten(lock.lock().remaining());
				taken();
			}
			else if (timeLeft().compareTo(SHORTEST) < 0) {
				leave().whenComplete(this::left);
				report("did not get lock '%s' in time: others had it. Ask again, for longer.", "given up");
			}
			else if ((lock != null) ? isPlaceGone(lock) : wasSilent) {
				leave().whenComplete(this::left);
				report("does not wait for lock '%s' any more: its place in the queue is gone. Somebody has ended the hold, or the store or this instance stood still. Ask again if it is still needed.",
						"gone");
			}
			else {
				ask().whenComplete((outcome, failure) -> later(() -> asked(outcome, failure), Duration.ZERO));
			}
		}

		private boolean isPlaceGone(StoredLockDetails lock) {
			return lock.waiting() != null && lock.queue().size() >= lock.waiting()
					&& lock.queue().stream().noneMatch((waiter) -> waiter.token().equals(this.token.text()));
		}

		private void asked(@Nullable AcquireOutcome outcome, @Nullable Throwable failure) {
			if (this.over) {
				return;
			}
			if (outcome == null) {
				unanswered(failure);
				return;
			}
			this.answeredAt = System.nanoTime();
			if (outcome instanceof AcquireOutcome.Busy busy) {
				next(busy.remaining());
			}
			else {
				taken();
			}
		}

		private void unanswered(@Nullable Throwable failure) {
			if (!this.silent) {
				logger.warn("The store does not answer whether lock '" + Printable.of(this.name)
						+ "' is free for an operator. It is asked again.", failure);
			}
			this.silent = true;
			if (!this.over) {
				next(null);
			}
		}

		/**
		 * The lease of the grant is that of the last sign of life, or the one before.
		 */
		private void shorten(@Nullable Duration remaining) {
			Duration left = timeLeft();
			if (remaining != null && remaining.compareTo(left.plus(TOLERANCE)) > 0
					&& remaining.compareTo(left.plus(PLACE_LIFE)) <= 0 && !left.isNegative() && !left.isZero()) {
				send(() -> this.store
					.extend(List.of(new LeaseExtension(this.name, this.token, left, LeaseExtension.Mode.EXACTLY, 1)))
					.get(0));
			}
		}

		private void cancel(String caller, CompletableFuture<Boolean> cancelled) {
			if (this.over || OperatorHolds.this.open.get(this.digest) != this) {
				cancelled.complete(false);
				return;
			}
			leave().whenComplete((outcome, failure) -> {
				if (failure == null) {
					end("does not wait for lock '%s' any more: '" + Printable.of(caller).replace("%", "%%")
							+ "' has ended it.", "cancelled");
					cancelled.complete(true);
				}
				else {
					report("may get lock '%s', although '" + Printable.of(caller).replace("%", "%%")
							+ "' has ended the wait: the store did not answer. It is released as soon as the store does.",
							"unknown");
					left(null, failure);
					cancelled.completeExceptionally(failure);
				}
			});
		}

		/**
		 * The instance ends.
		 */
		private void close(CompletableFuture<?> released, long patience) {
			try {
				released.get(Math.max(0, patience - System.nanoTime()), TimeUnit.NANOSECONDS);
				end("did not get lock '%s': this instance ends. Ask another one.", "given up");
			}
			catch (ExecutionException | TimeoutException ex) {
				logger.debug("A place of an operator could not be left", ex);
				end("may hold lock '%s', or get it within seconds: this instance ends, and the store did not answer. Look who holds it.",
						"unknown");
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		private void taken() {
			this.over = true;
			if (this.waits) {
				OperatorHolds.this.noticed.add(this.digest);
				later(() -> OperatorHolds.this.noticed.remove(this.digest), UNNOTICED.multipliedBy(2));
			}
			// Rounded, as some of the time has passed already
			Duration rounded = Duration.ofSeconds(timeLeft().plusMillis(500).toSeconds());
			end("holds lock '%s' for " + Printable.of(rounded) + ".", "held");
		}

		private void end(String what, String outcome) {
			if (OperatorHolds.this.open.remove(this.digest, this)) {
				report(what, outcome);
			}
		}

		private void report(String what, String outcome) {
			OperatorHolds.this.report(this.operator, this.name, what, this.reason, outcome);
		}

	}

}
