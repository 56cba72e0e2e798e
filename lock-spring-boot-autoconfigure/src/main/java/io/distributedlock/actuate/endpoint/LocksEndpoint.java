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

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.distributedlock.DeclaredLocks;
import io.distributedlock.HeldLock;
import io.distributedlock.InvalidLockNameException;
import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockInfo;
import io.distributedlock.LockInspector;
import io.distributedlock.LockService;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.WaitingLock;
import io.distributedlock.actuate.endpoint.ForceReleaseDescriptor.Outcome;
import io.distributedlock.actuate.endpoint.LocksDescriptor.Declared;
import io.distributedlock.actuate.endpoint.LocksDescriptor.Held;
import io.distributedlock.actuate.endpoint.LocksDescriptor.Leading;
import io.distributedlock.actuate.endpoint.LocksDescriptor.Options;
import io.distributedlock.actuate.endpoint.LocksDescriptor.Store;
import io.distributedlock.actuate.endpoint.LocksDescriptor.Waiting;
import io.distributedlock.internal.Printable;
import io.distributedlock.leadership.Candidacy;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoreReport;
import io.distributedlock.store.StoredLock;
import io.distributedlock.store.StoredLockDetails;
import io.distributedlock.store.StoredLocks;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Shows the locks that this instance holds, waits for and declares, and what the store
 * knows about the locks of all instances; also releases a lock by force. No response
 * contains a token, because a token is enough to release a lock.
 *
 * <p>
 * By default, only reading is allowed. Set {@code management.endpoint.locks.access} to
 * {@code unrestricted} to be able to release by force.
 *
 * @since 0.1.0
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
@RegisterReflectionForBinding({ LocksDescriptor.class, StoredLocksDescriptor.class })
public final class LocksEndpoint {

	/** The type of the audit event of a lock that was released by force. */
	public static final String AUDIT_TYPE = "LOCK_FORCE_RELEASED";

	private static final Log logger = LogFactory.getLog(LocksEndpoint.class);

	private static final int DEFAULT_LIMIT = 100;

	private static final int MAX_LIMIT = 1_000;

	private final LockService service;

	private final @Nullable LockInspector inspector;

	private final @Nullable LockStore store;

	private final Supplier<StoreReport> report;

	private final @Nullable String instance;

	private final DeclaredLocks declaredLocks;

	private final Supplier<List<Candidacy>> candidacies;

	private final InstantSource clock;

	private final ApplicationEventPublisher publisher;

	private final Show showValues;

	/**
	 * Create a new instance.
	 * @param service the service to ask about a lock
	 * @param inspector shows the locks of this instance, or {@code null} if nothing does
	 * @param store the store to ask about the locks of every instance, or {@code null} if
	 * there is none
	 * @param report the known facts about the store
	 * @param instance the instance part of the tokens of this instance, or {@code null}
	 * if that is unknown
	 * @param declaredLocks the declared locks
	 * @param candidacies the leaderships for which this instance stands
	 * @param clock the clock for the time of day
	 * @param publisher where to publish audit events
	 * @param showValues whether the names of locks are shown to unknown callers
	 */
	public LocksEndpoint(LockService service, @Nullable LockInspector inspector, @Nullable LockStore store,
			Supplier<StoreReport> report, @Nullable String instance, DeclaredLocks declaredLocks,
			Supplier<List<Candidacy>> candidacies, InstantSource clock, ApplicationEventPublisher publisher,
			Show showValues) {
		this.service = service;
		this.inspector = inspector;
		this.store = store;
		this.report = report;
		this.instance = instance;
		this.declaredLocks = declaredLocks;
		this.candidacies = candidacies;
		this.clock = clock;
		this.publisher = publisher;
		this.showValues = showValues;
	}

	/**
	 * Show locks.
	 * @param scope {@code instance}, the default: the locks that this instance holds,
	 * waits for and declares, without asking the store; or {@code store}: the locks that
	 * any instance holds
	 * @param limit how many locks of the store to show at most, by default 100, at most
	 * 1,000
	 * @return a {@link LocksDescriptor} or a {@link StoredLocksDescriptor}
	 */
	@ReadOperation
	public OperationResponseBody locks(@Nullable Scope scope, @Nullable Integer limit) {
		return locks(scope, limit, this.showValues == Show.ALWAYS);
	}

	OperationResponseBody locks(@Nullable Scope scope, @Nullable Integer limit, boolean showNames) {
		if (scope == Scope.STORE) {
			return storedLocks((limit != null) ? limit : DEFAULT_LIMIT, showNames);
		}
		return new LocksDescriptor(description(), held((lock) -> true, showNames), waiting((lock) -> true, showNames),
				this.candidacies.get()
					.stream()
					.map((candidacy) -> Leading.of(candidacy, shown(candidacy.name(), showNames)))
					.toList(),
				Options.of(this.service.defaults()), this.declaredLocks.declared().stream().map(Declared::of).toList());
	}

	private StoredLocksDescriptor storedLocks(int limit, boolean showNames) {
		if (limit < 1 || limit > MAX_LIMIT) {
			String reason = "The limit is " + limit + ", but must be from 1 to " + MAX_LIMIT + ".";
			throw new InvalidEndpointRequestException(reason, reason);
		}
		StoredLocks found = join(requiredStore().list(limit));
		return new StoredLocksDescriptor(description(),
				found.locks()
					.stream()
					.map((lock) -> StoredLocksDescriptor.Entry.of(shown(lock.name(), showNames), lock, this.instance))
					.toList(),
				!found.complete());
	}

	/**
	 * Ask the store about one lock. Over HTTP, the name is never a part of the path: see
	 * {@link LocksEndpointWebExtension#locks}.
	 * @param name the name of the lock
	 * @return what is known about it
	 * @throws InvalidLockNameException if no lock can have this name
	 */
	@ReadOperation
	public LockDescriptor lock(@Selector(match = Selector.Match.ALL_REMAINING) String name) {
		List<Held> held = held((lock) -> lock.name().equals(name), true);
		List<Waiting> waiting = waiting((lock) -> lock.name().equals(name), true);
		String shown = Printable.of(name);
		try {
			// The service knows which names are possible
			LockInfo found = this.service.find(name).orElse(null);
			if (found != null && this.store == null) {
				return LockDescriptor.held(shown, found, held, waiting);
			}
			StoredLockDetails details = (found != null && this.store != null)
					? join(this.store.describe(name)).orElse(null) : null;
			return (details != null) ? LockDescriptor.held(shown, details, this.instance, held, waiting)
					: LockDescriptor.unheld(shown, held, waiting);
		}
		catch (LockUnavailableException | LockConfigurationException ex) {
			return LockDescriptor.unknown(shown, ex.getMessage(), held, waiting);
		}
	}

	/**
	 * Take a lock from its holder.
	 * @param name the name of the lock
	 * @param hold the hold to release, as shown by {@link #lock}
	 * @return the outcome, with the name
	 * @throws InvalidLockNameException if no lock can have this name
	 */
	@DeleteOperation
	public ForceReleaseDescriptor forceRelease(String name, String hold) {
		return forceRelease(name, hold, "JMX");
	}

	ForceReleaseDescriptor forceRelease(String name, String hold, String caller) {
		return new ForceReleaseDescriptor(Printable.of(name), takeFromHolder(name, hold, caller));
	}

	private Outcome takeFromHolder(String name, String hold, String caller) {
		LockStore store = requiredStore();
		// The service knows which names are possible
		StoredLock lock = this.service.find(name).isPresent() ? join(store.find(name)).orElse(null) : null;
		if (lock == null) {
			return Outcome.FREE;
		}
		if (!lock.digest().equals(hold)) {
			return Outcome.HELD_BY_ANOTHER;
		}
		LockInfo info = lock.describe(name, this.instance);
		ReleaseOutcome outcome;
		try {
			outcome = join(store.forceRelease(name, lock.holder()));
		}
		catch (LockUnavailableException ex) {
			report(info, hold, caller, "may have been taken", "unknown");
			throw ex;
		}
		return switch (outcome) {
			case RELEASED -> {
				report(info, hold, caller, "was taken", "released");
				yield Outcome.RELEASED;
			}
			case ABSENT -> Outcome.FREE;
			case OTHER -> Outcome.HELD_BY_ANOTHER;
		};
	}

	private void report(LockInfo lock, String hold, String caller, String what, String outcome) {
		String name = Printable.of(lock.name());
		logger.warn("Lock '" + name + "' " + what + " by force from " + lock.describeHolder() + ", by '"
				+ Printable.of(caller) + "' through the actuator endpoint. The work of this holder may still go on.");
		try {
			this.publisher.publishEvent(new AuditApplicationEvent(caller, AUDIT_TYPE,
					Map.of("lock", name, "hold", hold, "holder", lock.describeHolder(), "outcome", outcome)));
		}
		catch (RuntimeException ex) {
			logger.warn("The audit event of the release of lock '" + name + "' by force could not be published.", ex);
		}
	}

	private LockStore requiredStore() {
		if (this.store == null) {
			String reason = "There is no lock store to ask: the application has its own lock service.";
			throw new InvalidEndpointRequestException(reason, reason);
		}
		return this.store;
	}

	private Store description() {
		return Store.of((this.store != null) ? this.store.description() : "no store", this.report.get());
	}

	private List<Held> held(Predicate<HeldLock> filter, boolean showNames) {
		Instant now = this.clock.instant();
		return ((this.inspector != null) ? this.inspector.held() : List.<HeldLock>of()).stream()
			.filter(filter)
			.map((lock) -> Held.of(lock, shown(lock.name(), showNames), now))
			.toList();
	}

	private List<Waiting> waiting(Predicate<WaitingLock> filter, boolean showNames) {
		Instant now = this.clock.instant();
		return ((this.inspector != null) ? this.inspector.waiting() : List.<WaitingLock>of()).stream()
			.filter(filter)
			.map((lock) -> Waiting.of(lock, shown(lock.name(), showNames), now))
			.toList();
	}

	private static String shown(String name, boolean showNames) {
		return showNames ? Printable.of(name) : SanitizableData.SANITIZED_VALUE;
	}

	private static <T> T join(CompletableFuture<T> answer) {
		try {
			return answer.join();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof UnsupportedOperationException unsupported) {
				String reason = String.valueOf(unsupported.getMessage());
				throw new InvalidEndpointRequestException(reason, reason);
			}
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : ex;
		}
	}

	/**
	 * Which locks to show.
	 */
	public enum Scope {

		/**
		 * Those of this instance.
		 */
		INSTANCE,

		/**
		 * Those of every instance.
		 */
		STORE

	}

}
