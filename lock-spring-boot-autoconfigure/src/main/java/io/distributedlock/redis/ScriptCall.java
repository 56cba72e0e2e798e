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

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One execution of a script, and the future of its outcome. However it fails, it fails
 * with a {@link io.distributedlock.LockException}.
 *
 * @param <T> the type of the outcome
 */
final class ScriptCall<T> extends CompletableFuture<T> {

	private static final Log logger = LogFactory.getLog(ScriptCall.class);

	/** Common to all calls, as hardly ever anybody wants it. */
	private static final ReentrantLock RESENDING = new ReentrantLock();

	private final LockScript script;

	private final byte[][] keys;

	private final byte[][] arguments;

	private final ReplyDecoder<T> decoder;

	private final FailureTranslator failures;

	private final String lockName;

	private volatile Duration patience = Duration.ZERO;

	private long deadline;

	private @Nullable ScriptCall<?> link;

	private volatile @Nullable Runnable timeoutAction;

	private volatile boolean waitsForConnection;

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

	LockScript script() {
		return this.script;
	}

	byte[][] keys() {
		return this.keys;
	}

	byte[][] arguments() {
		return this.arguments;
	}

	/**
	 * Have the call fail if it is not answered in time.
	 * @param patience the time, from now
	 * @param timeouts what ends it then
	 */
	void limit(Duration patience, CallTimeouts timeouts) {
		this.patience = patience;
		this.deadline = System.nanoTime() + patience.toNanos();
		timeouts.add(this);
	}

	/** When the time of the call is over, by {@link System#nanoTime()}. */
	long deadline() {
		return this.deadline;
	}

	/**
	 * Link the call to another one, in the order of {@link CallTimeouts}.
	 * @param other the other one
	 * @return what it was linked to before
	 */
	@Nullable ScriptCall<?> linkTo(@Nullable ScriptCall<?> other) {
		ScriptCall<?> before = this.link;
		this.link = other;
		return before;
	}

	/**
	 * Set what to do, once the call was sent, if the timeout completes it.
	 * @param action the action
	 */
	void onTimeout(Runnable action) {
		this.timeoutAction = action;
	}

	/**
	 * Declare that this call cannot be sent before there is a connection.
	 */
	void waitForConnection() {
		this.waitsForConnection = true;
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
	 * Send again, unless this call was superseded before. Then it fails.
	 * @param sending what sends, without blocking
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
	 * @param reply what the script returned
	 * @param delivery whether the script may have been executed before
	 */
	void answer(List<Object> reply, Delivery delivery) {
		T outcome;
		try {
			outcome = this.decoder.decode(reply, delivery);
		}
		catch (RuntimeException ex) {
			completeExceptionally(ex);
			return;
		}
		complete(outcome);
	}

	/** With a {@link TimeoutException} if the time is over that {@link #limit} sets. */
	@Override
	public boolean completeExceptionally(Throwable ex) {
		Runnable action = this.timeoutAction;
		Throwable failure = ex;
		if (ex instanceof TimeoutException && action != null && !isDone()) {
			cancel(action);
		}
		else if (ex instanceof TimeoutException && this.waitsForConnection) {
			failure = new IOException("there was no connection within " + this.patience.toMillis() + " ms");
		}
		return super.completeExceptionally(this.failures.translate(this.lockName, failure, this.patience));
	}

	private static void cancel(Runnable action) {
		try {
			action.run();
		}
		catch (RuntimeException ex) {
			logger.warn("A command that was not answered in time cannot be cancelled.", ex);
		}
	}

	/**
	 * How often Redis has got a script.
	 */
	enum Delivery {

		/** Exactly once. */
		ONCE,

		/** The connection was lost in between; the client may have sent it again. */
		MAYBE_REPEATED

	}

	/**
	 * Reads the answer of a script.
	 *
	 * @param <T> the type of the outcome
	 */
	@FunctionalInterface
	interface ReplyDecoder<T> {

		T decode(List<Object> reply, Delivery delivery);

	}

}
