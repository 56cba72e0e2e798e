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

package io.distributedlock.actuate;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.distributedlock.DeclaredLocks;
import io.distributedlock.HeldLock;
import io.distributedlock.InvalidLockNameException;
import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockInfo;
import io.distributedlock.LockService;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.Printable;
import io.distributedlock.WaitingLock;
import io.distributedlock.actuate.LocksDescriptor.Declared;
import io.distributedlock.actuate.LocksDescriptor.Held;
import io.distributedlock.actuate.LocksDescriptor.Options;
import io.distributedlock.actuate.LocksDescriptor.Store;
import io.distributedlock.actuate.LocksDescriptor.Waiting;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Shows what this instance holds and waits for, the locks that are declared in it, and
 * what the store knows about a single lock.
 *
 * @since 0.1.0
 */
@Endpoint(id = "locks")
public final class LocksEndpoint {

	private final LockService service;

	private final Supplier<Store> store;

	private final DeclaredLocks declaredLocks;

	private final InstantSource clock;

	/**
	 * Create one.
	 * @param service the service whose locks are shown
	 * @param store what and where the store is, and what is known of it
	 * @param declaredLocks the declared locks
	 * @param clock tells the time of day
	 */
	public LocksEndpoint(LockService service, Supplier<Store> store, DeclaredLocks declaredLocks, InstantSource clock) {
		this.service = service;
		this.store = store;
		this.declaredLocks = declaredLocks;
		this.clock = clock;
	}

	/**
	 * Show what this instance holds and waits for, and what is declared in it. Asks
	 * nothing of the store.
	 * @return the locks of this instance
	 */
	@ReadOperation
	public LocksDescriptor locks() {
		return new LocksDescriptor(this.store.get(), held((lock) -> true), waiting((lock) -> true),
				Options.of(this.service.defaults()), this.declaredLocks.declared().stream().map(Declared::of).toList());
	}

	/**
	 * Ask the store about one lock.
	 * @param name the name of the lock; may contain slashes and colons
	 * @return what is known about it
	 */
	@ReadOperation
	public LockDescriptor lock(@Selector(match = Selector.Match.ALL_REMAINING) String... name) {
		return describe(String.join("/", name));
	}

	private LockDescriptor describe(String name) {
		List<Held> held = held((lock) -> lock.name().equals(name));
		List<Waiting> waiting = waiting((lock) -> lock.name().equals(name));
		String shown = Printable.of(name);
		try {
			LockInfo found = this.service.find(name).orElse(null);
			return (found != null) ? new LockDescriptor(shown, true, found.kind(), found.holder(), found.digest(),
					found.remaining(), null, held, waiting) : unheld(shown, false, null, held, waiting);
		}
		catch (LockUnavailableException | LockConfigurationException | InvalidLockNameException ex) {
			return unheld(shown, null, ex.getMessage(), held, waiting);
		}
	}

	private static LockDescriptor unheld(String name, @Nullable Boolean locked, @Nullable String problem,
			List<Held> held, List<Waiting> waiting) {
		return new LockDescriptor(name, locked, null, null, null, null, problem, held, waiting);
	}

	private List<Held> held(Predicate<HeldLock> filter) {
		Instant now = this.clock.instant();
		return this.service.held().stream().filter(filter).map((lock) -> Held.of(lock, now)).toList();
	}

	private List<Waiting> waiting(Predicate<WaitingLock> filter) {
		Instant now = this.clock.instant();
		return this.service.waiting().stream().filter(filter).map((lock) -> Waiting.of(lock, now)).toList();
	}

}
