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

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;

import io.distributedlock.LockOptions;
import io.distributedlock.LockOptionsCustomizer;

/**
 * The settings of the engine.
 *
 * @param instanceName the human-readable name of the holder: {@code [A-Za-z0-9@._-]},
 * other characters are replaced; at most 64 characters count
 * @param defaults the options where none are given
 * @param customizer changes the defaults per name
 * @param localHandoffs how often in a row the lock may go from one local waiter to the
 * next without asking the store, at most 100; zero means strict order across all
 * instances
 * @param handoffWindow for how long after a grant of the store that may happen
 * @param cleanupWait how long a caller that gave up waits for the confirmation that
 * nothing is left in the store; the clean-up happens in any case
 * @param longHoldFactor how many times its lease a lock may be held, and renewed, before
 * that is logged; zero for any number
 * @param closing what closing a handle waits for
 * @param inNonBlockingThread whether the calling thread must not wait for a lock, because
 * others need it meanwhile, such as that of an event loop
 * @since 0.1.0
 */
public record EngineSettings(String instanceName, LockOptions defaults, LockOptionsCustomizer customizer,
		int localHandoffs, Duration handoffWindow, Duration cleanupWait, int longHoldFactor, Closing closing,
		BooleanSupplier inNonBlockingThread) {

	private static final Pattern OTHERS = Pattern.compile("[^A-Za-z0-9@._-]");

	private static final int LONGEST_NAME = 64;

	/** Each takes a fencing token, and these must not get ahead of the store's clock. */
	private static final int MOST_HANDOFFS = 100;

	/**
	 * Check the settings.
	 * @throws IllegalArgumentException if one of them is out of range
	 */
	public EngineSettings {
		instanceName = OTHERS.matcher(instanceName).replaceAll("_");
		instanceName = instanceName.substring(0, Math.min(instanceName.length(), LONGEST_NAME));
		if (instanceName.isEmpty()) {
			throw new IllegalArgumentException(
					"The name of the instance is empty. Give one that identifies the process that holds a lock.");
		}
		if (localHandoffs < 0 || localHandoffs > MOST_HANDOFFS) {
			throw new IllegalArgumentException("The number of local hand-offs is %d, but must be from 0 to %d."
				.formatted(localHandoffs, MOST_HANDOFFS));
		}
		if (handoffWindow.isNegative()) {
			throw new IllegalArgumentException(
					"The window for local hand-offs is %s, but must not be negative.".formatted(handoffWindow));
		}
		if (cleanupWait.isNegative()) {
			throw new IllegalArgumentException(
					"The wait for the clean-up is %s, but must not be negative.".formatted(cleanupWait));
		}
		if (longHoldFactor < 0) {
			throw new IllegalArgumentException(
					"The number of leases after which a hold is logged is %d, but must not be negative."
						.formatted(longHoldFactor));
		}
	}

	/**
	 * Create settings with which every thread may wait.
	 * @param instanceName the human-readable name of the holder
	 * @param defaults the options where none are given
	 * @param customizer changes the defaults per name
	 * @param localHandoffs how often in a row the lock may go from one local waiter to
	 * the next without asking the store
	 * @param handoffWindow for how long after a grant of the store that may happen
	 * @param cleanupWait how long a caller that gave up waits for the confirmation that
	 * nothing is left in the store
	 * @param longHoldFactor how many times its lease a lock may be held, and renewed,
	 * before that is logged; zero for any number
	 * @param closing what closing a handle waits for
	 */
	public EngineSettings(String instanceName, LockOptions defaults, LockOptionsCustomizer customizer,
			int localHandoffs, Duration handoffWindow, Duration cleanupWait, int longHoldFactor, Closing closing) {
		this(instanceName, defaults, customizer, localHandoffs, handoffWindow, cleanupWait, longHoldFactor, closing,
				() -> false);
	}

	/**
	 * Return the default settings.
	 * @param instanceName who holds, human-readable
	 * @return the settings
	 */
	public static EngineSettings of(String instanceName) {
		return new EngineSettings(instanceName, LockOptions.defaults(), (name, options) -> options, 32,
				Duration.ofMillis(20), Duration.ofMillis(250), 10, Closing.AWAITS_ANSWER);
	}

	/**
	 * Return these settings with other bounds of local hand-offs.
	 * @param count how many in a row
	 * @param window for how long after a grant
	 * @return the new settings
	 */
	public EngineSettings withLocalHandoffs(int count, Duration window) {
		return new EngineSettings(this.instanceName, this.defaults, this.customizer, count, window, this.cleanupWait,
				this.longHoldFactor, this.closing, this.inNonBlockingThread);
	}

	/**
	 * Return these settings with another way to close handles.
	 * @param closing what closing a handle waits for
	 * @return the new settings
	 */
	public EngineSettings withClosing(Closing closing) {
		return new EngineSettings(this.instanceName, this.defaults, this.customizer, this.localHandoffs,
				this.handoffWindow, this.cleanupWait, this.longHoldFactor, closing, this.inNonBlockingThread);
	}

	/**
	 * Return these settings with threads that must not wait.
	 * @param inNonBlockingThread whether the calling thread must not wait for a lock
	 * @return the new settings
	 */
	public EngineSettings withNonBlockingThreads(BooleanSupplier inNonBlockingThread) {
		return new EngineSettings(this.instanceName, this.defaults, this.customizer, this.localHandoffs,
				this.handoffWindow, this.cleanupWait, this.longHoldFactor, this.closing, inNonBlockingThread);
	}

	/**
	 * Return an identity for one run of an instance: its name, a tilde, and 128 random
	 * bits.
	 */
	String newInstanceId() {
		SecureRandom random = new SecureRandom();
		byte[] bits = ByteBuffer.allocate(16).putLong(random.nextLong()).putLong(random.nextLong()).array();
		return this.instanceName + '~' + Base64.getUrlEncoder().withoutPadding().encodeToString(bits);
	}

	/**
	 * What closing a handle waits for. {@link io.distributedlock.LockHandle#release()}
	 * and the unlocking of a {@link java.util.concurrent.locks.Lock} view always wait for
	 * the answer of the store.
	 *
	 * @since 0.1.0
	 */
	public enum Closing {

		/**
		 * The answer of the store: once the handle is closed, everybody finds the lock
		 * free.
		 */
		AWAITS_ANSWER,

		/**
		 * Nothing: the release was handed to the client of the store. The next
		 * acquisition of this instance comes after it, but another instance may still
		 * find the lock held for a moment. A release that fails is repeated, logged and
		 * reported as usual.
		 */
		RETURNS_WHEN_SENT

	}

}
