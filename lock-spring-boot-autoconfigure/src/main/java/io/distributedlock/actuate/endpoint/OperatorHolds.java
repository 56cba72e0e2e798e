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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.internal.DaemonThread;
import io.distributedlock.internal.Printable;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.AcquireRequest.Waiting;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
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
 * it was granted, and keeps its place. If the place is gone although the lock is held,
 * then somebody has ended the hold, or this instance has paused for long: it does not ask
 * again, as that could undo what an operator has decided. The time of a hold begins with
 * the request, so a wait makes the hold shorter: it ends when the operator said.
 */
final class OperatorHolds implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(OperatorHolds.class);

	private static final Duration SHORTEST = Duration.ofSeconds(1);

	private static final Duration LONGEST = Duration.ofDays(7);

	private static final int REASON_BYTES = 200;

	private static final int OPERATOR_BYTES = 64;

	private static final int MOST_WAITING = 16;

	private static final Duration PLACE_LIFE = Duration.ofSeconds(5);

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	/** The sequence number of a token that waits. */
	private static final long WAITED = 1;

	private static final Duration PATIENCE_AT_CLOSE = Duration.ofSeconds(1);

	/** Those that wait, or whose release was not answered, by their digests. */
	private final Map<String, Attempt> open = new ConcurrentHashMap<>();

	private final InstantSource clock;

	private final BiConsumer<String, Map<String, Object>> audit;

	private @Nullable ScheduledExecutorService timer;

	private boolean closed;

	/**
	 * Create a new instance.
	 * @param clock the clock for the time of day
	 * @param audit takes the name of an operator, and what became of a hold
	 */
	OperatorHolds(InstantSource clock, BiConsumer<String, Map<String, Object>> audit) {
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
	 * Whether the instance that waited for a hold may not have noticed yet that it has
	 * it: if the hold ended now, the instance would take a free lock once more.
	 */
	static boolean mayBeUnnoticed(StoredLockDetails lock) {
		return LockToken.parse(lock.lock().holder()).sequence() == WAITED && lock.age() != null
				&& lock.age().compareTo(INTERVAL.multipliedBy(2)) < 0;
	}

	/**
	 * End a hold that this instance waits for.
	 * @return whether it did
	 */
	boolean cancel(String name, String digest, String caller) {
		Attempt attempt = this.open.get(digest);
		return attempt != null && attempt.name.equals(name) && attempt.cancel(caller);
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

	private synchronized void later(Runnable task, Duration delay) {
		if (this.closed) {
			return;
		}
		if (this.timer == null) {
			this.timer = Executors.newSingleThreadScheduledExecutor(DaemonThread.factory("lock-operator"));
		}
		try {
			this.timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			logger.debug("No operator waits any more, because this instance ends", ex);
		}
	}

	/** Leave the queues of all locks that operators wait for. */
	@Override
	public void close() {
		synchronized (this) {
			this.closed = true;
			if (this.timer != null) {
				this.timer.shutdownNow();
			}
		}
		List<Attempt> left = List.copyOf(this.open.values());
		CompletableFuture<?>[] released = left.stream().map(Attempt::release).toArray(CompletableFuture<?>[]::new);
		try {
			CompletableFuture.allOf(released).get(PATIENCE_AT_CLOSE.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.debug("Not all places of operators in queues could be left", ex);
		}
		left.forEach(
				(attempt) -> attempt.end("did not get lock '%s': this instance ends. Ask another one.", "given up"));
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

		private boolean failed;

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
			try {
				AcquireOutcome outcome = ask().join();
				if (!(outcome instanceof AcquireOutcome.Busy busy)) {
					taken();
					return;
				}
				this.refusal = busy;
				if (this.waits) {
					report("waits for lock '%s', to hold it next.", "waiting");
					next(busy.remaining());
				}
				else {
					OperatorHolds.this.open.remove(this.digest);
				}
			}
			catch (CompletionException ex) {
				throw failed(ex.getCause());
			}
		}

		private RuntimeException failed(Throwable failure) {
			if (failure instanceof LockUnavailableException) {
				report("may hold lock '%s': the store did not answer. It is released as soon as the store does.",
						"unknown");
				takeBack();
				return new LockUnavailableException(this.name, failure.getMessage()
						+ " The lock may be held for the operator now, as hold " + this.digest
						+ ", which this instance releases as soon as it can. Look who holds it before you ask again.",
						failure);
			}
			OperatorHolds.this.open.remove(this.digest);
			return (failure instanceof RuntimeException problem) ? problem : new IllegalStateException(failure);
		}

		private CompletableFuture<AcquireOutcome> ask() {
			Waiting place = this.waits ? new Waiting(PLACE_LIFE, this.requests++, Waiting.NOT_LISTENING) : null;
			return this.store.acquire(new AcquireRequest(this.name, this.token, left(), 1, place));
		}

		/**
		 * A machine that was suspended may have a monotonic clock that was, too.
		 */
		private Duration left() {
			Duration monotonic = Duration.ofNanos(this.end - System.nanoTime());
			Duration ofDay = Duration.between(OperatorHolds.this.clock.instant(), this.until);
			return (monotonic.compareTo(ofDay) < 0) ? monotonic : ofDay;
		}

		/**
		 * A lease that ends hands nothing over: whoever asks first gets the lock.
		 */
		private void next(@Nullable Duration remaining) {
			boolean soon = remaining != null && remaining.compareTo(INTERVAL) < 0;
			later(this::look, soon ? remaining.plusMillis(1) : INTERVAL);
		}

		private void look() {
			if (OperatorHolds.this.open.get(this.digest) != this) {
				return;
			}
			if (left().compareTo(SHORTEST) < 0) {
				release();
				end("did not get lock '%s' in time: others had it. Ask again, for longer.", "given up");
				return;
			}
			CompletableFuture.completedFuture(this.name)
				.thenCompose(this.store::describe)
				.thenCompose(this::lookAt)
				.whenComplete(this::answered);
		}

		private CompletableFuture<@Nullable AcquireOutcome> lookAt(Optional<StoredLockDetails> found) {
			StoredLockDetails lock = found.orElse(null);
			if (lock != null && lock.lock().holder().equals(this.token.text())) {
				return CompletableFuture.completedFuture(new AcquireOutcome.Granted(0, 0));
			}
			boolean gone = lock != null && lock.waiting() != null && lock.queue().size() >= lock.waiting()
					&& lock.queue().stream().noneMatch((waiter) -> waiter.token().equals(this.token.text()));
			return gone ? CompletableFuture.completedFuture(null) : ask().thenApply((outcome) -> outcome);
		}

		private void answered(@Nullable AcquireOutcome outcome, @Nullable Throwable failure) {
			if (outcome instanceof AcquireOutcome.Granted) {
				taken();
			}
			else if (outcome instanceof AcquireOutcome.Busy busy) {
				this.failed = false;
				next(busy.remaining());
			}
			else if (failure == null) {
				end("does not wait for lock '%s' any more: its place in the queue is gone. Somebody has ended the hold, or this instance stood still. Ask again if it is still needed.",
						"gone");
			}
			else {
				if (!this.failed) {
					logger.warn("The store does not answer whether lock '" + Printable.of(this.name)
							+ "' is free for an operator. It is asked again.", failure);
				}
				this.failed = true;
				next(null);
			}
		}

		private boolean cancel(String caller) {
			if (!OperatorHolds.this.open.remove(this.digest, this)) {
				return false;
			}
			try {
				release().join();
			}
			catch (CompletionException ex) {
				OperatorHolds.this.open.put(this.digest, this);
				takeBack();
				throw (ex.getCause() instanceof RuntimeException cause) ? cause : ex;
			}
			report("does not wait for lock '%s' any more: '" + Printable.of(caller).replace("%", "%%")
					+ "' has ended it.", "cancelled");
			return true;
		}

		private CompletableFuture<?> release() {
			return this.store.release(this.name, this.token);
		}

		/**
		 * Release what the store may have granted without an answer.
		 */
		private void takeBack() {
			release().whenComplete((outcome, failure) -> {
				if (failure != null && left().compareTo(Duration.ZERO) > 0) {
					later(this::takeBack, INTERVAL);
				}
				else {
					OperatorHolds.this.open.remove(this.digest);
				}
			});
		}

		private void taken() {
			// Rounded, as some of the time has passed already
			Duration rounded = Duration.ofSeconds(left().plusMillis(500).toSeconds());
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
