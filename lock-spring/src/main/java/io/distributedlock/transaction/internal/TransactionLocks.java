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

package io.distributedlock.transaction.internal;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.internal.RolledBack;
import io.distributedlock.internal.WorkUnderLock;
import org.jspecify.annotations.Nullable;

/**
 * The locks that were taken in one transaction, which keeps them until it has completed:
 * it has a handle of its own on each. Bound to the transaction as a resource, also while
 * it is suspended.
 */
abstract class TransactionLocks {

	/**
	 * The shortest lease: that of the lock is long enough already. Shared, because this
	 * enters every lock, however many holders it has.
	 */
	private static final LockOptions ENTRY = LockOptions.ofLease(Duration.ofMillis(10)).withShared();

	private static final LockOptions RENEWED_ENTRY = ENTRY.withAutoRenew();

	/** Those of the transaction that is suspended for this one, if there is one. */
	private final @Nullable TransactionLocks outer;

	private final Lock guard = new ReentrantLock();

	private final Deque<KeptLock> kept = new ArrayDeque<>();

	private final Map<String, List<KeptPart>> byName = new HashMap<>();

	private volatile boolean suspended;

	private volatile boolean completed;

	TransactionLocks(@Nullable TransactionLocks outer) {
		this.outer = outer;
	}

	@Nullable TransactionLocks outer() {
		return this.outer;
	}

	void suspended(boolean suspended) {
		this.suspended = suspended;
	}

	/**
	 * Return the bound locks if they belong to the current transaction.
	 */
	static @Nullable TransactionLocks present(@Nullable TransactionLocks bound) {
		return (bound != null && !bound.suspended) ? bound : null;
	}

	/**
	 * Return the innermost locks that are still kept. The transaction of those that are
	 * bound may have completed in another thread.
	 */
	static @Nullable TransactionLocks open(@Nullable Object bound) {
		TransactionLocks locks = (TransactionLocks) bound;
		while (locks != null && locks.completed) {
			locks = locks.outer;
		}
		return locks;
	}

	/**
	 * Keep a lock until the transaction has completed, unless it does so already.
	 * @return whether it is kept; {@code false} if the transaction has completed
	 */
	boolean keep(LockHandle handle, LockOptions options,
			BiFunction<LockHandle, LockOptions, Optional<LockHandle>> reentry) {
		List<LockHandle> parts = handle.parts();
		List<LockHandle> missing;
		this.guard.lock();
		try {
			if (this.completed) {
				return false;
			}
			missing = parts.stream().filter((part) -> !isKept(part, options.autoRenew())).toList();
		}
		finally {
			this.guard.unlock();
		}
		// Several locks by one handle, whose releases are sent together
		List<LockHandle> entering = (missing.size() == parts.size()) ? List.of(handle) : missing;
		boolean all = true;
		for (LockHandle lock : entering) {
			all &= add(lock, options.autoRenew(), reentry);
		}
		return all;
	}

	private boolean isKept(LockHandle part, boolean renewed) {
		return this.byName.getOrDefault(part.name(), List.of())
			.stream()
			.anyMatch((known) -> known.fencingToken() == part.fencingToken() && (known.renewed() || !renewed));
	}

	/**
	 * Enter a lock. If it cannot be entered, it was lost, which the transaction has to
	 * know before it commits.
	 */
	private boolean add(LockHandle handle, boolean renewed,
			BiFunction<LockHandle, LockOptions, Optional<LockHandle>> reentry) {
		LockHandle own = reentry.apply(handle, renewed ? RENEWED_ENTRY : ENTRY).orElse(handle);
		this.guard.lock();
		try {
			if (!this.completed) {
				this.kept.push(new KeptLock(handle, own));
				for (LockHandle part : handle.parts()) {
					this.byName.computeIfAbsent(part.name(), (name) -> new ArrayList<>(1))
						.add(new KeptPart(part.fencingToken(), renewed, named(part.name(), own)));
				}
				return true;
			}
		}
		finally {
			this.guard.unlock();
		}
		if (own != handle) {
			own.releaseAsync();
		}
		return false;
	}

	private static LockHandle named(String name, LockHandle handle) {
		return handle.parts().stream().filter((part) -> part.name().equals(name)).findFirst().orElse(handle);
	}

	/**
	 * Return the locks of the given names that a transaction, or one that is suspended
	 * for it, keeps: they were taken by calls that are over, and later calls take part in
	 * them.
	 */
	static List<LockHandle> named(@Nullable TransactionLocks innermost, Collection<String> names) {
		if (innermost == null) {
			return List.of();
		}
		List<LockHandle> handles = new ArrayList<>();
		for (TransactionLocks locks = innermost; locks != null; locks = locks.outer) {
			locks.guard.lock();
			try {
				for (String name : names) {
					locks.byName.getOrDefault(name, List.of()).forEach((part) -> handles.add(part.own()));
				}
			}
			finally {
				locks.guard.unlock();
			}
		}
		return handles;
	}

	/**
	 * Continue with the commit only if all locks are certain to be held.
	 */
	void assertHeld() {
		try {
			locks().forEach((lock) -> lock.own().assertHeld());
		}
		catch (LockLostException ex) {
			throw RolledBack.note(ex);
		}
	}

	private List<KeptLock> locks() {
		this.guard.lock();
		try {
			return List.copyOf(this.kept);
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * The transaction has completed: let go of its locks. Nothing is kept from now on.
	 * @param committed whether it was committed; otherwise no minimum hold is kept
	 * @return the handles to close, the newest first
	 */
	List<LockHandle> complete(boolean committed) {
		List<KeptLock> locks;
		this.guard.lock();
		try {
			this.completed = true;
			locks = List.copyOf(this.kept);
			this.kept.clear();
			this.byName.clear();
		}
		finally {
			this.guard.unlock();
		}
		if (!committed) {
			locks.forEach((lock) -> WorkUnderLock.waiveMinHold(lock.acquired()));
		}
		return locks.stream().map(KeptLock::own).toList();
	}

	/**
	 * The transactions that were found.
	 *
	 * @param keeper the one that may keep more locks
	 * @param innermost the one that keeps locks already: the keeper, or one that is
	 * suspended
	 */
	record Found(@Nullable TransactionLocks keeper, @Nullable TransactionLocks innermost) {

		static final Found NONE = new Found(null, null);

	}

	/**
	 * A lock, or several, with the handle of the code that acquired it.
	 */
	private record KeptLock(LockHandle acquired, LockHandle own) {

	}

	/**
	 * A single lock that the transaction keeps.
	 *
	 * @param fencingToken tells it from a later lock of the same name
	 * @param renewed whether it is renewed on behalf of the transaction
	 */
	private record KeptPart(long fencingToken, boolean renewed, LockHandle own) {

	}

}
