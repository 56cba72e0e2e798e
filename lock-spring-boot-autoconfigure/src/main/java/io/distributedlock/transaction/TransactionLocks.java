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

package io.distributedlock.transaction;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * The locks that were taken in one transaction, which keeps them until it has completed.
 * Bound to the transaction as a resource, also while it is suspended.
 */
abstract class TransactionLocks {

	private final @Nullable TransactionLocks outer;

	private final Lock guard = new ReentrantLock();

	private final Deque<KeptLock> kept = new ArrayDeque<>();

	private final Map<String, List<LockHandle>> byName = new HashMap<>();

	private volatile boolean suspended;

	private volatile boolean completed;

	/**
	 * Create the locks of a transaction.
	 * @param outer those of the transaction that is suspended for it, if there is one
	 */
	TransactionLocks(@Nullable TransactionLocks outer) {
		this.outer = outer;
	}

	/**
	 * Return the transaction that was bound before.
	 */
	@Nullable TransactionLocks outer() {
		return this.outer;
	}

	void suspended(boolean suspended) {
		this.suspended = suspended;
	}

	/**
	 * Return the locks of the present transaction, if the bound ones are still its own.
	 * @param bound those that are bound, if any are
	 * @return the locks, or {@code null} if the present transaction has none yet
	 */
	static @Nullable TransactionLocks present(@Nullable TransactionLocks bound) {
		return (bound != null && !bound.suspended) ? bound : null;
	}

	/**
	 * Return the innermost locks that are still kept.
	 * @param bound those that are bound, if any are; their transaction may have completed
	 * in another thread
	 * @return the locks, or {@code null} if there are none
	 */
	static @Nullable TransactionLocks open(@Nullable Object bound) {
		TransactionLocks locks = (TransactionLocks) bound;
		while (locks != null && locks.completed) {
			locks = locks.outer;
		}
		return locks;
	}

	/**
	 * Keep a lock until the transaction has completed.
	 * @param handle the lock
	 * @param parties how many have to let go of it: the transaction, and the work if it
	 * may last longer
	 * @return the lock, or {@code null} if the transaction has completed already
	 */
	@Nullable KeptLock keep(LockHandle handle, int parties) {
		this.guard.lock();
		try {
			if (this.completed) {
				return null;
			}
			KeptLock lock = new KeptLock(handle, new AtomicInteger(parties));
			this.kept.push(lock);
			for (LockHandle part : handle.parts()) {
				index(part);
			}
			return lock;
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Of many handles on one hold, one is enough to enter it again.
	 */
	private void index(LockHandle part) {
		List<LockHandle> known = this.byName.computeIfAbsent(part.name(), (name) -> new ArrayList<>(1));
		known.removeIf((other) -> !other.isHeld());
		if (known.stream().noneMatch((other) -> other.fencingToken() == part.fencingToken())) {
			known.add(part);
		}
	}

	/**
	 * Return the locks of the given names that a transaction, or one that is suspended
	 * for it, keeps: they were taken by calls that are over, and later calls take part in
	 * them.
	 * @param innermost the locks of the transaction, or {@code null} if there is none
	 * @param names the names
	 * @return the handles
	 */
	static List<LockHandle> named(@Nullable TransactionLocks innermost, Collection<String> names) {
		List<LockHandle> handles = new ArrayList<>();
		for (TransactionLocks locks = innermost; locks != null; locks = locks.outer) {
			locks.addNamed(names, handles);
		}
		return handles;
	}

	private void addNamed(Collection<String> names, List<LockHandle> handles) {
		this.guard.lock();
		try {
			for (String name : names) {
				handles.addAll(this.byName.getOrDefault(name, List.of()));
			}
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Continue with the commit only if all locks are certain to be held.
	 * @throws io.distributedlock.LockLostException if one of them was lost
	 */
	void assertHeld() {
		locks().forEach((lock) -> lock.handle().assertNotLost());
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
	 * @return the handles that are no longer needed, the newest first
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
		List<LockHandle> free = new ArrayList<>();
		for (KeptLock lock : locks) {
			if (!committed) {
				lock.handle().waiveMinHold();
			}
			if (lock.letGo()) {
				free.add(lock.handle());
			}
		}
		return free;
	}

	/**
	 * What was found of transactions when a method is called.
	 *
	 * @param keeper keeps the locks until the transaction has completed, or {@code null}
	 * if there is no transaction, or the method does not take part in it
	 * @param kept the locks of the same names that it keeps already
	 */
	record Found(@Nullable TransactionLocks keeper, List<LockHandle> kept) {

		static final Found NONE = new Found(null, List.of());

	}

	/**
	 * A lock that is released when all of its parties have let go of it.
	 *
	 * @param handle the lock
	 * @param parties how many parties still need it
	 */
	record KeptLock(LockHandle handle, AtomicInteger parties) {

		/**
		 * Let go of the lock.
		 * @return whether no other party needs it, so that it must be released
		 */
		boolean letGo() {
			return this.parties.decrementAndGet() == 0;
		}

	}

}
