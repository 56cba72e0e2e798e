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

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import io.distributedlock.internal.Printable;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.AcquireRequest.Waiting;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/**
 * The holds that operators ask for.
 *
 * <p>
 * Such a hold belongs to no instance: it is not renewed, it stays if the instance that
 * took it ends, and only its own time or a forced release ends it. It therefore goes past
 * the engine, straight to the store.
 *
 * <p>
 * One that waits has a place in the queue of the lock, in the order of arrival with all
 * other waiters. This instance asks for it every second, and so keeps the place. If the
 * instance ends meanwhile, the place is gone. The time of a hold begins with the request,
 * so a wait makes the hold shorter: it ends when the operator said.
 */
final class OperatorHolds implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(OperatorHolds.class);

	private static final Duration SHORTEST = Duration.ofSeconds(1);

	private static final Duration LONGEST = Duration.ofDays(7);

	private static final int LONGEST_REASON = 200;

	private static final int LONGEST_OPERATOR = 64;

	private static final int MOST_WAITING = 16;

	private static final Duration PLACE_LIFE = Duration.ofSeconds(5);

	private static final Executor NEXT_SECOND = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);

	private final AtomicInteger waiting = new AtomicInteger();

	private final BiConsumer<String, Map<String, Object>> audit;

	private volatile boolean closed;

	/**
	 * Create a new instance.
	 * @param audit takes the name of an operator, and what became of a hold
	 */
	OperatorHolds(BiConsumer<String, Map<String, Object>> audit) {
		this.audit = audit;
	}

	/**
	 * Take a lock, or begin to wait for it.
	 * @throws InvalidEndpointRequestException if this is not possible
	 */
	Attempt take(LockStore store, String name, Duration duration, String operator, String reason, boolean waits) {
		require(duration.compareTo(SHORTEST) >= 0 && duration.compareTo(LONGEST) <= 0, "The duration is "
				+ Printable.of(duration) + ". It must be from 1s to 7d; to end a job for good, remove it.");
		require(!reason.isBlank(), "Say why the lock is held: everybody who is refused reads the reason.");
		require(reason.length() <= LONGEST_REASON,
				"The reason has " + reason.length() + " characters. It must have at most " + LONGEST_REASON + ".");
		Attempt attempt = new Attempt(store, name, duration, shorten(operator), reason, waits);
		attempt.begin();
		return attempt;
	}

	private static String shorten(String operator) {
		return operator.codePoints()
			.limit(LONGEST_OPERATOR)
			.collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
			.toString();
	}

	private static void require(boolean condition, String reason) {
		if (!condition) {
			throw new InvalidEndpointRequestException(reason, reason);
		}
	}

	/** Stop to ask for locks. The places in their queues end within seconds. */
	@Override
	public void close() {
		this.closed = true;
	}

	/**
	 * One request for a hold.
	 */
	final class Attempt {

		private final LockStore store;

		private final String name;

		private final LockToken token;

		private final String operator;

		private final String reason;

		private final long end;

		private final boolean waits;

		private AcquireOutcome.@Nullable Busy refusal;

		private int requests;

		private boolean failed;

		private Attempt(LockStore store, String name, Duration duration, String operator, String reason,
				boolean waits) {
			this.store = store;
			this.name = name;
			this.operator = operator;
			this.reason = reason;
			this.token = LockToken.ofOperator(operator, reason);
			this.end = System.nanoTime() + duration.toNanos();
			this.waits = waits;
		}

		LockToken token() {
			return this.token;
		}

		/**
		 * Return the answer to the first request, or {@code null} if the lock was taken.
		 */
		AcquireOutcome.@Nullable Busy refusal() {
			return this.refusal;
		}

		private void begin() {
			if (this.waits && OperatorHolds.this.waiting.incrementAndGet() > MOST_WAITING) {
				OperatorHolds.this.waiting.decrementAndGet();
				require(false, "This instance waits for " + MOST_WAITING
						+ " locks for operators, and for no more. Ask another instance, or later.");
			}
			boolean goesOn = false;
			try {
				AcquireOutcome outcome = ask().join();
				if (outcome instanceof AcquireOutcome.Busy busy) {
					this.refusal = busy;
					goesOn = this.waits;
				}
				else {
					taken();
				}
			}
			catch (CompletionException ex) {
				// The request may still be carried out, but not after this one
				this.store.release(this.name, this.token);
				report("may have been taken: the store did not answer", "unknown");
				throw (ex.getCause() instanceof RuntimeException cause) ? cause : ex;
			}
			finally {
				if (this.waits && !goesOn) {
					OperatorHolds.this.waiting.decrementAndGet();
				}
			}
			if (goesOn) {
				report("will be taken when it is free", "waiting");
				NEXT_SECOND.execute(this::askAgain);
			}
		}

		private CompletableFuture<AcquireOutcome> ask() {
			Waiting place = this.waits ? new Waiting(PLACE_LIFE, this.requests++, Waiting.NOT_LISTENING) : null;
			return this.store.acquire(new AcquireRequest(this.name, this.token, left(), 1, place));
		}

		private Duration left() {
			return Duration.ofNanos(this.end - System.nanoTime());
		}

		private void askAgain() {
			if (OperatorHolds.this.closed) {
				end("was not taken: this instance ends", "given up");
			}
			else if (left().compareTo(SHORTEST) < 0) {
				this.store.release(this.name, this.token);
				end("was not taken: it was held elsewhere all the time", "given up");
			}
			else {
				ask().whenComplete(this::answered);
			}
		}

		private void answered(@Nullable AcquireOutcome outcome, @Nullable Throwable failure) {
			if (outcome instanceof AcquireOutcome.Granted) {
				OperatorHolds.this.waiting.decrementAndGet();
				taken();
				return;
			}
			if (failure != null && !this.failed) {
				this.failed = true;
				logger.warn(
						"The store does not answer whether lock '" + Printable.of(this.name)
								+ "' is free for operator '" + Printable.of(this.operator) + "'. It is asked again.",
						failure);
			}
			NEXT_SECOND.execute(this::askAgain);
		}

		private void taken() {
			report("is held for " + Printable.of(Duration.ofSeconds(left().plusMillis(500).toSeconds())), "held");
		}

		private void end(String what, String outcome) {
			OperatorHolds.this.waiting.decrementAndGet();
			report(what, outcome);
		}

		private void report(String what, String outcome) {
			String shown = Printable.of(this.name);
			logger.warn("Lock '" + shown + "' " + what + ", by operator '" + Printable.of(this.operator)
					+ "' through the actuator endpoint. Reason: " + Printable.of(this.reason));
			OperatorHolds.this.audit.accept(this.operator,
					Map.of("lock", shown, "reason", Printable.of(this.reason), "outcome", outcome));
		}

	}

}
