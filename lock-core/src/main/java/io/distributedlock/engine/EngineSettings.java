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
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.regex.Pattern;

import io.distributedlock.LockOptions;
import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.internal.RandomIdentity;

/**
 * The settings of the engine. Immutable.
 *
 * @since 0.1.0
 */
public final class EngineSettings {

	private static final Pattern OTHERS = Pattern.compile("[^A-Za-z0-9@._-]");

	private static final int LONGEST_NAME = 64;

	/** Each takes a fencing token, and these must not get ahead of the store's clock. */
	private static final int MOST_HANDOFFS = 100;

	private final String instanceName;

	private LockOptions defaults = LockOptions.defaults();

	private LockOptionsCustomizer customizer = (name, options) -> options;

	private int localHandoffs = 32;

	private Duration handoffWindow = Duration.ofMillis(20);

	private Duration cleanupWait = Duration.ofMillis(250);

	private int longHoldFactor = 10;

	private Closing closing = Closing.AWAITS_ANSWER;

	private BooleanSupplier inNonBlockingThread = () -> false;

	private EngineSettings(String instanceName) {
		String known = OTHERS.matcher(instanceName).replaceAll("_");
		this.instanceName = known.substring(0, Math.min(known.length(), LONGEST_NAME));
		if (known.isEmpty()) {
			throw new IllegalArgumentException(
					"The name of the instance is empty. Give one that identifies the process that holds a lock.");
		}
	}

	/**
	 * Return the default settings.
	 * @param instanceName the human-readable name of the holder: {@code [A-Za-z0-9@._-]},
	 * other characters are replaced; at most 64 characters count
	 * @return the settings
	 * @throws IllegalArgumentException if the name is empty
	 */
	public static EngineSettings of(String instanceName) {
		return new EngineSettings(instanceName);
	}

	/**
	 * Return the human-readable name of the holder.
	 * @return the name
	 */
	public String instanceName() {
		return this.instanceName;
	}

	/**
	 * Return the options that apply if none are given.
	 * @return the options, by default {@link LockOptions#defaults()}
	 */
	public LockOptions defaults() {
		return this.defaults;
	}

	/**
	 * Return the customizer of the defaults for each name.
	 * @return the customizer
	 */
	public LockOptionsCustomizer customizer() {
		return this.customizer;
	}

	/**
	 * Return how often in a row the lock may go from one local waiter to the next without
	 * asking the store.
	 * @return the number, by default 32; zero gives other instances their turn after each
	 * holder
	 */
	public int localHandoffs() {
		return this.localHandoffs;
	}

	/**
	 * Return how long after a grant by the store such hand-offs may happen.
	 * @return the window, by default 20 ms
	 */
	public Duration handoffWindow() {
		return this.handoffWindow;
	}

	/**
	 * Return how long a caller that gave up waits for the confirmation that nothing is
	 * left in the store. The clean-up happens in any case.
	 * @return the wait, by default 250 ms
	 */
	public Duration cleanupWait() {
		return this.cleanupWait;
	}

	/**
	 * Return after how many leases a hold that is still renewed is logged.
	 * @return the number, by default 10; zero for any number
	 */
	public int longHoldFactor() {
		return this.longHoldFactor;
	}

	/**
	 * Return what closing a handle waits for.
	 * @return what it waits for, by default {@link Closing#AWAITS_ANSWER}
	 */
	public Closing closing() {
		return this.closing;
	}

	/**
	 * Return the check whether the calling thread must not wait for a lock, because
	 * others need the thread, such as one of an event loop.
	 * @return the answer, by default always no
	 */
	public BooleanSupplier inNonBlockingThread() {
		return this.inNonBlockingThread;
	}

	/**
	 * Return these settings with other options where none are given.
	 * @param defaults the options
	 * @return the new settings
	 */
	public EngineSettings withDefaults(LockOptions defaults) {
		return with((copy) -> copy.defaults = defaults);
	}

	/**
	 * Return these settings with defaults that differ per name.
	 * @param customizer changes the defaults
	 * @return the new settings
	 */
	public EngineSettings withCustomizer(LockOptionsCustomizer customizer) {
		return with((copy) -> copy.customizer = customizer);
	}

	/**
	 * Return these settings with other bounds of local hand-offs.
	 * @param count how many in a row, at most 100; zero gives other instances their turn
	 * after each holder
	 * @param window for how long after a grant
	 * @return the new settings
	 * @throws IllegalArgumentException if one of them is out of range
	 */
	public EngineSettings withLocalHandoffs(int count, Duration window) {
		if (count < 0 || count > MOST_HANDOFFS) {
			throw new IllegalArgumentException(
					"The number of local hand-offs is %d, but must be from 0 to %d.".formatted(count, MOST_HANDOFFS));
		}
		if (window.isNegative()) {
			throw new IllegalArgumentException(
					"The window for local hand-offs is %s, but must not be negative.".formatted(window));
		}
		return with((copy) -> {
			copy.localHandoffs = count;
			copy.handoffWindow = window;
		});
	}

	/**
	 * Return these settings with another wait for the clean-up after a caller gave up.
	 * @param wait the wait
	 * @return the new settings
	 * @throws IllegalArgumentException if it is negative
	 */
	public EngineSettings withCleanupWait(Duration wait) {
		if (wait.isNegative()) {
			throw new IllegalArgumentException(
					"The wait for the clean-up is %s, but must not be negative.".formatted(wait));
		}
		return with((copy) -> copy.cleanupWait = wait);
	}

	/**
	 * Return these settings with another threshold for logging long holds.
	 * @param factor how many times its lease; zero for any number
	 * @return the new settings
	 * @throws IllegalArgumentException if it is negative
	 */
	public EngineSettings withLongHoldFactor(int factor) {
		if (factor < 0) {
			throw new IllegalArgumentException(
					"The number of leases after which a hold is logged is %d, but must not be negative."
						.formatted(factor));
		}
		return with((copy) -> copy.longHoldFactor = factor);
	}

	/**
	 * Return these settings with another way to close handles.
	 * @param closing what closing a handle waits for
	 * @return the new settings
	 */
	public EngineSettings withClosing(Closing closing) {
		return with((copy) -> copy.closing = closing);
	}

	/**
	 * Return these settings with threads that must not wait.
	 * @param inNonBlockingThread whether the calling thread must not wait for a lock
	 * @return the new settings
	 */
	public EngineSettings withNonBlockingThreads(BooleanSupplier inNonBlockingThread) {
		return with((copy) -> copy.inNonBlockingThread = inNonBlockingThread);
	}

	/** Changes fields only in a copy that nobody else sees yet. */
	private EngineSettings with(Consumer<EngineSettings> change) {
		EngineSettings copy = new EngineSettings(this.instanceName);
		copy.defaults = this.defaults;
		copy.customizer = this.customizer;
		copy.localHandoffs = this.localHandoffs;
		copy.handoffWindow = this.handoffWindow;
		copy.cleanupWait = this.cleanupWait;
		copy.longHoldFactor = this.longHoldFactor;
		copy.closing = this.closing;
		copy.inNonBlockingThread = this.inNonBlockingThread;
		change.accept(copy);
		return copy;
	}

	/**
	 * Return an identity for one run of an instance: its name, a tilde, and 128 random
	 * bits.
	 */
	String newInstanceId() {
		return this.instanceName + '~' + RandomIdentity.next();
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
		 * The answer of the store: once the handle is closed, every caller finds the lock
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
