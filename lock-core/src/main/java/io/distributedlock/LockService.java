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

package io.distributedlock;

import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.internal.WorkUnderLock;
import org.jspecify.annotations.Nullable;

/**
 * Central interface for distributed locks: by default, a lock has one holder at a time
 * among all instances and applications that share one lock store. Applications inject
 * this interface.
 *
 * <p>
 * <b>"Acquire" throws, "try" returns.</b> If a lock is held elsewhere, {@code acquire}
 * throws a {@link LockNotAcquiredException} and {@code tryAcquire} returns an empty
 * {@link Optional}. If the store cannot be reached, every method throws a
 * {@link LockUnavailableException}, because it is unknown whether the lock is free.
 *
 * <p>
 * <b>Options.</b> Every method that takes one name has a variant without options, which
 * uses those {@linkplain #optionsFor configured for the name}. Methods that take several
 * names need options, because each name may be configured differently. Asynchronous work
 * under several locks begins with {@link #acquireAllAsync}; asynchronous work always
 * receives the handle, because no thread holds the lock for it.
 *
 * <p>
 * <b>Ownership is the handle.</b> Any thread that has the {@link LockHandle} may release
 * the lock. A thread that acquires a name that it already holds, or that its
 * {@link LockContext} contains, re-enters: it gets another handle on the same hold
 * without asking the store. The lock is released when all of these handles are closed,
 * and the lease may grow but never shrinks. {@linkplain LockHandle#detach() Detach} a
 * handle before you pass it to another thread. Asynchronous acquisitions belong to no
 * thread and re-enter a lock only through {@link #reenter(LockHandle, LockOptions)}.
 *
 * <p>
 * <b>Transactions.</b> A lock that is acquired in a running transaction, or whose handle
 * is closed in one, is released after that transaction has completed. If the lock is lost
 * before that, the transaction rolls back with a {@link LockLostException}. Acquiring the
 * same name again within the transaction re-enters the lock. Requires spring-tx, and
 * applies to the lock service of Spring Boot or {@code DistributedLockConfiguration}, not
 * to one in plain Java.
 *
 * <p>
 * <b>Interrupts.</b> A thread that is interrupted before or while it acquires a lock gets
 * a {@link LockInterruptedException} with its interrupt flag set; neither a lock nor a
 * place in the queue is left behind.
 *
 * <p>
 * <b>Event loops.</b> A blocking acquisition with a {@link LockOptions#waitTime() wait}
 * throws an {@link IllegalStateException} in a thread that Reactor or Netty marks as
 * non-blocking, even if the lock is free.
 *
 * <p>
 * <b>Names</b> are any non-blank text of at most 4,096 bytes in UTF-8; others are
 * rejected with an {@link InvalidLockNameException}. Messages and logs of this library
 * escape characters that could forge a log line or hide text.
 *
 * <p>
 * A {@link LockInspector} shows the locks that this instance holds and waits for.
 *
 * <p>
 * Implementations are safe for use by many threads, platform and virtual.
 *
 * @since 0.1.0
 */
public interface LockService {

	/**
	 * Return the options that apply if none are given, as configured by
	 * {@code distributed-lock.defaults.*}. Derive others from them, for example
	 * {@code service.defaults().withWaitTime(Duration.ofSeconds(5))}.
	 * @return the defaults
	 */
	LockOptions defaults();

	/**
	 * Return the options that apply to a name if none are given: the {@link #defaults()
	 * defaults}, overridden by {@code distributed-lock.locks.<name>.*}.
	 * @param name the name of the lock
	 * @return the options in force
	 */
	LockOptions optionsFor(String name);

	/**
	 * Acquire a lock with the {@link #optionsFor options configured for it}.
	 * @param name the name of the lock
	 * @return the handle, to be closed by the caller
	 * @throws LockNotAcquiredException if it is still held elsewhere when the wait ends
	 * @throws LockUnavailableException if the store cannot be reached
	 * @throws LockInterruptedException if the calling thread is interrupted
	 * @throws InvalidLockNameException if the name cannot be a lock name
	 */
	default LockHandle acquire(String name) {
		return acquire(name, optionsFor(name));
	}

	/**
	 * Acquire a lock, waiting at most {@link LockOptions#waitTime()}.
	 * @param name the name of the lock
	 * @param options lease, wait and the rest
	 * @return the handle, to be closed by the caller
	 * @throws LockNotAcquiredException if it is still held elsewhere when the wait ends
	 * @throws LockUnavailableException if the store cannot be reached
	 * @throws LockInterruptedException if the calling thread is interrupted
	 * @throws InvalidLockNameException if the name cannot be a lock name
	 */
	LockHandle acquire(String name, LockOptions options);

	/**
	 * Acquire several locks, all or none, in sorted order and within one shared wait.
	 * Duplicate names count once.
	 * @param names the names, at least one
	 * @param options lease, wait and the rest; the same for every lock
	 * @return one handle for all locks, see {@link LockHandle#parts()}
	 * @throws LockNotAcquiredException if one of them is still held elsewhere when the
	 * wait ends; the others were released again
	 * @throws LockUnavailableException if the store cannot be reached
	 * @throws LockInterruptedException if the calling thread is interrupted
	 * @throws InvalidLockNameException if there is no name, or one cannot be a lock name
	 */
	LockHandle acquireAll(Collection<String> names, LockOptions options);

	/**
	 * Try to acquire a lock with the {@link #optionsFor options configured for it}.
	 * @param name the name of the lock
	 * @return the handle, or empty if the lock is held elsewhere
	 * @throws LockUnavailableException if the store cannot be reached
	 * @throws LockInterruptedException if the calling thread is interrupted
	 * @throws InvalidLockNameException if the name cannot be a lock name
	 */
	default Optional<LockHandle> tryAcquire(String name) {
		return tryAcquire(name, optionsFor(name));
	}

	/**
	 * Try to acquire a lock, waiting at most {@link LockOptions#waitTime()}.
	 * @param name the name of the lock
	 * @param options lease, wait and the rest
	 * @return the handle, or empty if the lock is still held elsewhere when the wait ends
	 * @throws LockUnavailableException if the store cannot be reached
	 * @throws LockInterruptedException if the calling thread is interrupted
	 * @throws InvalidLockNameException if the name cannot be a lock name
	 */
	Optional<LockHandle> tryAcquire(String name, LockOptions options);

	/**
	 * Do work under a lock with the {@link #optionsFor options configured for it}.
	 * @param name the name of the lock
	 * @param work what to do under the lock
	 * @param <T> the type of the result
	 * @param <E> the type of the exception that the work throws
	 * @return the result of the work
	 * @throws E if the work throws it
	 * @see #execute(String, LockOptions, LockedWork)
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(String name, LockedWork<T, E> work) throws E {
		return execute(name, optionsFor(name), work);
	}

	/**
	 * Do work that does not need the handle under a lock with the {@link #optionsFor
	 * options configured for it}.
	 * @param name the name of the lock
	 * @param work what to do under the lock
	 * @param <T> the type of the result
	 * @return the result of the work
	 * @see #execute(String, LockOptions, LockedWork)
	 */
	default <T extends @Nullable Object> T execute(String name, Supplier<T> work) {
		return execute(name, optionsFor(name), work);
	}

	/**
	 * Do work that does not need the handle under a lock.
	 * @param name the name of the lock
	 * @param options lease, wait and the rest
	 * @param work what to do under the lock
	 * @param <T> the type of the result
	 * @return the result of the work
	 * @see #execute(String, LockOptions, LockedWork)
	 */
	default <T extends @Nullable Object> T execute(String name, LockOptions options, Supplier<T> work) {
		return this.<T, RuntimeException>execute(name, options, (handle) -> work.get());
	}

	/**
	 * Do work under a lock and return its result. The lock is released afterwards, even
	 * if the work throws; its exception reaches the caller unchanged. {@link LockContext}
	 * shows the lock to the work.
	 * @param name the name of the lock
	 * @param options lease, wait and the rest
	 * @param work what to do under the lock
	 * @param <T> the type of the result
	 * @param <E> the type of the exception that the work throws
	 * @return the result of the work
	 * @throws E if the work throws it
	 * @throws LockNotAcquiredException if the lock is still held elsewhere when the wait
	 * ends; the work was not called
	 * @throws LockUnavailableException if the store cannot be reached; the work was not
	 * called
	 * @throws LockInterruptedException if the calling thread is interrupted while it
	 * acquires; the work was not called
	 * @throws LockLostException if the lock was lost in the meantime and the options
	 * specify {@link OnLost#THROW}
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(String name, LockOptions options,
			LockedWork<T, E> work) throws E {
		return execute(acquire(name, options), options, work);
	}

	/**
	 * Do work under several locks, all or none; otherwise like
	 * {@link #execute(String, LockOptions, LockedWork)}.
	 * @param names the names, at least one
	 * @param options lease, wait and the rest; the same for every lock
	 * @param work what to do under the locks, with one handle for all
	 * @param <T> the type of the result
	 * @param <E> the type of the exception that the work throws
	 * @return the result of the work
	 * @throws E if the work throws it
	 * @see #acquireAll(Collection, LockOptions)
	 */
	default <T extends @Nullable Object, E extends Throwable> T executeAll(Collection<String> names,
			LockOptions options, LockedWork<T, E> work) throws E {
		return execute(acquireAll(names, options), options, work);
	}

	private static <T extends @Nullable Object, E extends Throwable> T execute(LockHandle handle, LockOptions options,
			LockedWork<T, E> work) throws E {
		T result;
		try {
			result = call(work, handle);
			if (options.onLost() == OnLost.THROW) {
				WorkUnderLock.assertNotLost(handle);
			}
		}
		catch (Throwable ex) {
			WorkUnderLock.discard(handle);
			throw ex;
		}
		handle.close();
		return result;
	}

	private static <T extends @Nullable Object, E extends Throwable> T call(LockedWork<T, E> work, LockHandle handle)
			throws E {
		LockContext.Scope scope = LockContext.enter(handle);
		try {
			return work.call(handle);
		}
		finally {
			scope.close();
		}
	}

	/**
	 * Do work without a result under a lock with the {@link #optionsFor options
	 * configured for it}.
	 * @param name the name of the lock
	 * @param action what to do under the lock
	 * @param <E> the type of the exception that the action throws
	 * @throws E if the action throws it
	 * @see #execute(String, LockOptions, LockedWork)
	 */
	default <E extends Throwable> void executeWithoutResult(String name, LockedAction<E> action) throws E {
		executeWithoutResult(name, optionsFor(name), action);
	}

	/**
	 * Do work without a result that does not need the handle under a lock with the
	 * {@link #optionsFor options configured for it}.
	 * @param name the name of the lock
	 * @param action what to do under the lock
	 * @see #execute(String, LockOptions, LockedWork)
	 */
	default void executeWithoutResult(String name, Runnable action) {
		executeWithoutResult(name, optionsFor(name), action);
	}

	/**
	 * Do work without a result that does not need the handle under a lock.
	 * @param name the name of the lock
	 * @param options lease, wait and the rest
	 * @param action what to do under the lock
	 * @see #execute(String, LockOptions, LockedWork)
	 */
	default void executeWithoutResult(String name, LockOptions options, Runnable action) {
		this.<RuntimeException>executeWithoutResult(name, options, (handle) -> action.run());
	}

	/**
	 * Do work without a result under a lock; otherwise like
	 * {@link #execute(String, LockOptions, LockedWork)}.
	 * @param name the name of the lock
	 * @param options lease, wait and the rest
	 * @param action what to do under the lock
	 * @param <E> the type of the exception that the action throws
	 * @throws E if the action throws it
	 */
	default <E extends Throwable> void executeWithoutResult(String name, LockOptions options, LockedAction<E> action)
			throws E {
		this.<@Nullable Void, E>execute(name, options, (handle) -> {
			action.run(handle);
			return null;
		});
	}

	/**
	 * Do work without a result under several locks, all or none; otherwise like
	 * {@link #execute(String, LockOptions, LockedWork)}.
	 * @param names the names, at least one
	 * @param options lease, wait and the rest; the same for every lock
	 * @param action what to do under the locks, with one handle for all
	 * @param <E> the type of the exception that the action throws
	 * @throws E if the action throws it
	 * @see #acquireAll(Collection, LockOptions)
	 */
	default <E extends Throwable> void executeAllWithoutResult(Collection<String> names, LockOptions options,
			LockedAction<E> action) throws E {
		this.<@Nullable Void, E>executeAll(names, options, (handle) -> {
			action.run(handle);
			return null;
		});
	}

	/**
	 * Acquire a lock without blocking a thread, with the {@link #optionsFor options
	 * configured for it}.
	 * @param name the name of the lock
	 * @return a future of the handle
	 * @throws InvalidLockNameException if the name cannot be a lock name
	 * @see #acquireAsync(String, LockOptions)
	 */
	default CompletableFuture<LockHandle> acquireAsync(String name) {
		return acquireAsync(name, optionsFor(name));
	}

	/**
	 * Acquire a lock without blocking a thread, waiting at most
	 * {@link LockOptions#waitTime()}. Cancelling the future, completing it or giving it a
	 * timeout ends the wait and leaves nothing behind; a lock that was granted in the
	 * meantime is released.
	 * @param name the name of the lock
	 * @param options lease, wait and the rest
	 * @return a future of the handle; it fails with the exceptions that
	 * {@link #acquire(String, LockOptions)} throws
	 * @throws InvalidLockNameException if the name cannot be a lock name
	 */
	CompletableFuture<LockHandle> acquireAsync(String name, LockOptions options);

	/**
	 * Acquire several locks without blocking a thread, all or none, in sorted order and
	 * within one shared wait.
	 * @param names the names, at least one
	 * @param options lease, wait and the rest; the same for every lock
	 * @return a future of one handle for all locks
	 * @throws InvalidLockNameException if there is no name, or one cannot be a lock name
	 */
	CompletableFuture<LockHandle> acquireAllAsync(Collection<String> names, LockOptions options);

	/**
	 * Do asynchronous work under a lock without blocking a thread, with the
	 * {@link #optionsFor options configured for it}.
	 * @param name the name of the lock
	 * @param work what to do under the lock
	 * @param <T> the type of the result
	 * @return a future of the result of the work
	 * @throws InvalidLockNameException if the name cannot be a lock name
	 * @see #executeAsync(String, LockOptions, Function)
	 */
	default <T extends @Nullable Object> CompletableFuture<T> executeAsync(String name,
			Function<LockHandle, ? extends CompletionStage<T>> work) {
		return executeAsync(name, optionsFor(name), work);
	}

	/**
	 * Do asynchronous work under a lock without blocking a thread. The lock is released
	 * when the stage that the work returns completes, normally or exceptionally.
	 * {@link LockContext} shows the lock to the work until it returns that stage.
	 * <p>
	 * Cancelling the returned future, completing it or giving it a timeout ends the wait.
	 * Once the work has been called, this no longer releases the lock: the returned
	 * future completes immediately, while the work continues and keeps the lock, renewed
	 * if the options require it, until its own stage completes. That stage is not
	 * cancelled, because this would complete it without stopping the computation. If such
	 * abandoned work fails, the failure is logged at debug level.
	 * {@link LockOptions#maxHold()} limits the renewal for work that never ends.
	 * @param name the name of the lock
	 * @param options lease, wait and the rest
	 * @param work what to do under the lock
	 * @param <T> the type of the result
	 * @return a future of the result of the work
	 * @throws InvalidLockNameException if the name cannot be a lock name
	 */
	<T extends @Nullable Object> CompletableFuture<T> executeAsync(String name, LockOptions options,
			Function<LockHandle, ? extends CompletionStage<T>> work);

	/**
	 * Ask the store whether the lock is currently held.
	 * @param name the name of the lock
	 * @return whether it is held by anyone
	 * @throws LockUnavailableException if the store cannot be reached
	 */
	default boolean isLocked(String name) {
		return find(name).isPresent();
	}

	/**
	 * Ask the store who currently holds the lock.
	 * @param name the name of the lock
	 * @return the information that the store has, or empty if the lock is free
	 * @throws LockUnavailableException if the store cannot be reached
	 */
	Optional<LockInfo> find(String name);

	/**
	 * Return the hold that the current thread has on the lock.
	 * @param name the name of the lock
	 * @return the handle of the acquisition or, if that was closed already, of the first
	 * re-entry; empty if the current thread does not hold the lock, or no longer holds it
	 */
	Optional<LockHandle> current(String name);

	/**
	 * Re-enter a lock through the handle with which the caller holds it, regardless of
	 * the thread that acquired it. Does not ask the store. The lock is released when all
	 * handles on it are closed; the lease may grow but never shrinks.
	 * @param held the handle with which the lock is held
	 * @param options the lease that the inner work needs, and whether to renew it
	 * @return another handle on the same hold, or empty if the given handle was closed,
	 * is no longer held, or comes from another lock service
	 */
	Optional<LockHandle> reenter(LockHandle held, LockOptions options);

	/**
	 * Return a view of the lock as a {@link Lock}, with the {@link #optionsFor options
	 * configured for it}.
	 * @param name the name of the lock
	 * @return the view
	 * @see #asLock(String, LockOptions)
	 */
	default Lock asLock(String name) {
		return asLock(name, optionsFor(name));
	}

	/**
	 * Return a view of the lock as a {@link Lock}. The thread that locks must be the one
	 * that unlocks. {@code lock()} waits without limit and ignores interrupts,
	 * {@code tryLock()} does not wait, and {@link LockOptions#waitTime()} is not used. A
	 * lock whose thread has died is no longer renewed. {@code newCondition()} throws an
	 * {@link UnsupportedOperationException}. {@code unlock()} throws an
	 * {@link IllegalMonitorStateException} if the current thread has not locked it
	 * through a view with the same mode and permits, and a {@link LockLostException} if
	 * it has lost the lock.
	 * @param name the name of the lock
	 * @param options lease and the rest
	 * @return the view; views are cheap and interchangeable
	 */
	Lock asLock(String name, LockOptions options);

	/**
	 * Return a view of the lock as a {@link ReadWriteLock}, with the {@link #optionsFor
	 * options configured for it}.
	 * @param name the name of the lock
	 * @return the view
	 * @see #asReadWriteLock(String, LockOptions)
	 */
	default ReadWriteLock asReadWriteLock(String name) {
		return asReadWriteLock(name, optionsFor(name));
	}

	/**
	 * Return a view of the lock as a {@link ReadWriteLock}: its read lock is
	 * {@linkplain LockOptions#withShared() shared}, its write lock is
	 * {@linkplain LockOptions#withExclusive() exclusive}, and both behave like views of
	 * {@link #asLock(String, LockOptions)}. A thread that has the write lock may also
	 * take the read lock; nobody else gets in until it has unlocked both. A thread that
	 * has only the read lock gets a {@link LockConfigurationException} when it tries to
	 * take the write lock.
	 * @param name the name of the lock
	 * @param options lease and the rest; permits and mode are not used
	 * @return the view; views are cheap and interchangeable
	 */
	default ReadWriteLock asReadWriteLock(String name, LockOptions options) {
		LockOptions exclusive = options.withExclusive();
		return new ReadWriteLockView(asLock(name, exclusive.withShared()), asLock(name, exclusive));
	}

}
