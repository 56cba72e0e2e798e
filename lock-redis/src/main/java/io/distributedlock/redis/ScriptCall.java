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

package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockException;
import io.distributedlock.LockUnavailableException;

/**
 * One execution of a script, and the future of its outcome. However it fails, it fails
 * with a {@link io.distributedlock.LockException}.
 */
class ScriptCall<T> extends CompletableFuture<T> {

	private static final Log logger = LogFactory.getLog(ScriptCall.class);

	/** Shared by all calls, as it is hardly ever contended. */
	private static final ReentrantLock RESENDING = new ReentrantLock();

	final LockScript script;

	final byte[][] keys;

	final byte[][] arguments;

	private final ReplyDecoder<T> decoder;

	private final FailureTranslator failures;

	final String lockName;

	private boolean watches;

	private volatile Duration patience = Duration.ZERO;

	private long deadline;

	private @Nullable ScriptCall<?> link;

	private volatile @Nullable Cancellation cancellation;

	private volatile @Nullable BiConsumer<LockException, Duration> outageListener;

	// Guarded by RESENDING
	private boolean superseded;

	ScriptCall(LockScript script, byte[][] keys, byte[][] arguments, ReplyDecoder<T> decoder, String lockName,
			FailureTranslator failures) {
		this.script = script;
		this.keys = keys;
		this.arguments = arguments;
		this.decoder = decoder;
		this.lockName = lockName;
		this.failures = failures;
	}

	/** The main key of the lock, or of one of several locks. */
	byte[] key() {
		return this.keys[KeyLayout.MAIN];
	}

	/** Ask the server to report the next change of a key, before this is sent. */
	void watch() {
		this.watches = true;
	}

	boolean watches() {
		return this.watches;
	}

	/** Set how long to wait for an answer. A {@link CallTimer} then ends the call. */
	void limit(Duration patience) {
		this.patience = patience;
		this.deadline = System.nanoTime() + patience.toNanos();
	}

	/** When the time of the call is over, by {@link System#nanoTime()}. */
	long deadline() {
		return this.deadline;
	}

	/** When its time began: not after it was sent. */
	long sentAt() {
		return this.deadline - this.patience.toNanos();
	}

	/** Link the call to another one of {@link CallTimer}, and return the previous one. */
	@Nullable ScriptCall<?> linkTo(@Nullable ScriptCall<?> other) {
		ScriptCall<?> before = this.link;
		this.link = other;
		return before;
	}

	/** Set what to do if the timeout completes the call. */
	void onTimeout(Cancellation cancellation) {
		this.cancellation = cancellation;
	}

	/**
	 * Set the listener for a failure because the server cannot be reached.
	 * @param listener receives the exception of the caller, and how long the call waited
	 */
	void onOutage(BiConsumer<LockException, Duration> listener) {
		this.outageListener = listener;
	}

	/**
	 * Declare that a command which undoes this call is about to be sent. If Redis does
	 * not know the script of this one, but that of the other, sending this one again
	 * would reverse their order.
	 */
	void supersede() {
		RESENDING.lock();
		try {
			this.superseded = true;
		}
		finally {
			RESENDING.unlock();
		}
	}

	/**
	 * Whether a command that undoes this call was sent, or is about to be.
	 */
	boolean isSuperseded() {
		RESENDING.lock();
		try {
			return this.superseded;
		}
		finally {
			RESENDING.unlock();
		}
	}

	/**
	 * Send again, unless this call was superseded before. Then it fails.
	 * @param sending sends without blocking
	 */
	void resend(Runnable sending) {
		RESENDING.lock();
		try {
			if (!this.superseded) {
				sending.run();
				return;
			}
		}
		finally {
			RESENDING.unlock();
		}
		completeExceptionally(new CancellationException("given up before Redis knew the script"));
	}

	/**
	 * Complete with the answer of Redis.
	 * @param reply the result of the script, {@code null} for an empty list
	 * @param maybeRepeated whether the connection was lost in between, so that the client
	 * may have sent the script again
	 */
	void answer(@Nullable Object reply, boolean maybeRepeated) {
		T outcome;
		try {
			outcome = this.decoder.decode((reply != null) ? reply : List.of(), maybeRepeated);
		}
		catch (RuntimeException ex) {
			// Or a mixture of two answers, if it is a list
			completeExceptionally(maybeRepeated ? CallFailure.repeated() : ex);
			return;
		}
		complete(outcome);
	}

	/** With a {@link TimeoutException} if the time is over that {@link #limit} sets. */
	@Override
	public boolean completeExceptionally(Throwable ex) {
		if (isDone()) {
			return false;
		}
		Throwable failure = (ex instanceof TimeoutException) ? timedOut(ex) : ex;
		LockException translated = this.failures.translate(this.lockName, failure, this.patience);
		boolean completed = super.completeExceptionally(translated);
		BiConsumer<LockException, Duration> listener = this.outageListener;
		boolean outage = translated instanceof LockUnavailableException && FailureTranslator.isOutage(failure);
		if (completed && listener != null && outage) {
			listener.accept(translated, (ex instanceof TimeoutException) ? this.patience : Duration.ZERO);
		}
		else if (completed) {
			this.failures.tellRefused(translated, failure);
		}
		return completed;
	}

	/** Cancel the command, and find out why there was no answer. */
	private Throwable timedOut(Throwable timeout) {
		Cancellation cancellation = this.cancellation;
		try {
			CallFailure reason = (cancellation != null) ? cancellation.cancel(this.patience) : null;
			return (reason != null) ? reason : timeout;
		}
		catch (Throwable ex) {
			logger.warn("A command that was not answered in time cannot be cancelled.", ex);
			return timeout;
		}
	}

	/**
	 * Gives up what was sent.
	 */
	@FunctionalInterface
	interface Cancellation {

		/** Returns why there was no answer, or {@code null} if that is not known. */
		@Nullable CallFailure cancel(Duration patience);

	}

	/**
	 * Reads the answer of a script.
	 */
	@FunctionalInterface
	interface ReplyDecoder<T> {

		T decode(Object reply, boolean maybeRepeated);

	}

}
