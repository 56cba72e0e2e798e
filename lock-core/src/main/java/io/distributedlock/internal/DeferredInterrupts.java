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

package io.distributedlock.internal;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * Interrupts that threads defer while they wait for something that they must await in any
 * case. A thread clears its flag meanwhile, because it could not park otherwise. Code
 * that checks only the flag would take the thread for one that was not interrupted: it
 * would interrupt the thread for the loss of a lock, and the end of the work under that
 * lock would clear a foreign interrupt.
 */
public final class DeferredInterrupts {

	/** Guarded by itself; nothing else is done under its lock. */
	private static final Set<Thread> interrupted = new HashSet<>();

	private DeferredInterrupts() {
	}

	/**
	 * Defer an interrupt of the current thread.
	 * @return whether there was one, to be {@linkplain #restore() restored} later
	 */
	public static boolean defer() {
		Thread current = Thread.currentThread();
		if (!current.isInterrupted()) {
			return false;
		}
		synchronized (interrupted) {
			interrupted.add(current);
			return Thread.interrupted();
		}
	}

	/**
	 * Interrupt the current thread, which has deferred this.
	 */
	public static void restore() {
		synchronized (interrupted) {
			Thread.currentThread().interrupt();
			interrupted.remove(Thread.currentThread());
		}
	}

	/**
	 * Whether a thread is interrupted or has deferred an interrupt.
	 */
	public static boolean isInterrupted(Thread thread) {
		synchronized (interrupted) {
			return interrupted.contains(thread) || thread.isInterrupted();
		}
	}

	/**
	 * Interrupt a thread, which may run code of the application, such as the close of a
	 * channel.
	 * @return {@code false} if it was interrupted already, or has deferred an interrupt
	 */
	public static boolean interrupt(Thread thread) {
		if (isInterrupted(thread)) {
			return false;
		}
		thread.interrupt();
		return true;
	}

	/**
	 * Like {@link Lock#lock()}, but defer an interrupt, because {@code lock()} clears the
	 * flag while it waits.
	 */
	public static void lock(Lock lock) {
		if (lock.tryLock()) {
			return;
		}
		boolean deferred = defer();
		try {
			lock.lock();
		}
		finally {
			if (deferred) {
				restore();
			}
		}
	}

	/**
	 * Wait for a future without regard to interrupts, and return its result.
	 */
	public static <T extends @Nullable Object> T join(CompletableFuture<T> future) {
		await(future, ManagedParking.FOR_EVER);
		return future.join();
	}

	/**
	 * Wait for a future without regard to interrupts, but not longer than the given time.
	 */
	public static void await(CompletableFuture<?> future, long nanos) {
		if (future.isDone()) {
			return;
		}
		long begin = System.nanoTime();
		Thread waiting = Thread.currentThread();
		future.whenComplete((result, failure) -> LockSupport.unpark(waiting));
		boolean deferred = false;
		try {
			long left = nanos;
			while (left > 0 && !future.isDone()) {
				deferred |= defer();
				ManagedParking.park(future, left);
				left = (nanos != ManagedParking.FOR_EVER) ? nanos - (System.nanoTime() - begin) : nanos;
			}
		}
		finally {
			if (deferred) {
				restore();
			}
		}
	}

}
