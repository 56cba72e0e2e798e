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

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.distributedlock.HeldLock;
import io.distributedlock.InvalidLockNameException;
import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockInfo;
import io.distributedlock.LockInspector;
import io.distributedlock.LockService;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.WaitingLock;
import io.distributedlock.actuate.endpoint.LocksEndpoint.ForceReleaseDescriptor.Outcome;
import io.distributedlock.actuate.endpoint.LocksEndpoint.HoldDescriptor.HoldOutcome;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LocksDescriptor.Declared;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LocksDescriptor.Held;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LocksDescriptor.Job;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LocksDescriptor.Leading;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LocksDescriptor.Store;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LocksDescriptor.Waiting;
import io.distributedlock.internal.DeclaredJobs;
import io.distributedlock.internal.DeclaredJobs.DeclaredJob;
import io.distributedlock.internal.DeclaredLock;
import io.distributedlock.internal.DeclaredLocks;
import io.distributedlock.internal.Failures;
import io.distributedlock.internal.KnownLosses;
import io.distributedlock.internal.LastRun;
import io.distributedlock.internal.LockAttribute;
import io.distributedlock.internal.Printable;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoreReport;
import io.distributedlock.store.StoreReport.Finding;
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
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Shows the locks that this instance holds, waits for and declares, and what the store
 * knows about the locks of all instances; also holds a lock for an operator, and releases
 * one by force. No response contains a token, because a token is enough to release a
 * lock.
 *
 * <p>
 * By default, only reading is allowed. Set {@code management.endpoint.locks.access} to
 * {@code unrestricted} to be able to hold and to release by force.
 *
 * @since 0.1.0
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
@RegisterReflectionForBinding({ LocksEndpoint.LocksDescriptor.class, LocksEndpoint.StoredLocksDescriptor.class,
		LockExplanation.class })
public final class LocksEndpoint implements AutoCloseable {

	/** The type of the audit event of a lock that was released by force. */
	public static final String AUDIT_TYPE = "LOCK_FORCE_RELEASED";

	/** The type of the audit events of a lock that an operator holds. */
	public static final String HOLD_AUDIT_TYPE = "LOCK_HELD_BY_OPERATOR";

	private static final Log logger = LogFactory.getLog(LocksEndpoint.class);

	private static final int DEFAULT_LIMIT = 100;

	private static final int MAX_LIMIT = 1_000;

	private static final int MAX_SUPPRESSED = 100;

	/** Messages of the store contain the name of the lock that it was asked about. */
	static final String UNNAMED_PROBLEM = "The lock store does not answer, or refuses. Its message may contain names of locks.";

	private static final String NO_STORE = "There is no lock store to ask: the application has its own lock service.";

	private static final Pattern NUMBER = Pattern.compile("\\+?0*([1-9]\\d*)");

	private final Supplier<Sources> sources;

	private final DeclaredLocks declaredLocks;

	private final LeadingContributor leading;

	private final DeclaredJobs jobs;

	private final InstantSource clock;

	private final ApplicationEventPublisher publisher;

	private final Show showValues;

	private final OperatorHolds operatorHolds;

	/**
	 * Create a new instance.
	 * @param sources what to ask; called at each request, never earlier, so that an
	 * application without locks creates nothing for this endpoint before somebody asks
	 * @param declaredLocks the declared locks
	 * @param leading the leaderships for which this instance stands
	 * @param jobs the jobs that run once per fire time
	 * @param clock the clock for the time of day
	 * @param publisher where to publish audit events
	 * @param showValues whether the names of locks are shown to unknown callers
	 */
	public LocksEndpoint(Supplier<Sources> sources, DeclaredLocks declaredLocks, LeadingContributor leading,
			DeclaredJobs jobs, InstantSource clock, ApplicationEventPublisher publisher, Show showValues) {
		this.sources = sources;
		this.declaredLocks = declaredLocks;
		this.leading = leading;
		this.jobs = jobs;
		this.clock = clock;
		this.publisher = publisher;
		this.showValues = showValues;
		this.operatorHolds = new OperatorHolds(clock,
				(String operator, Map<String, @Nullable Object> what) -> audit(operator, HOLD_AUDIT_TYPE, what));
	}

	/**
	 * Show locks.
	 * @param scope {@code instance}, the default: the locks that this instance holds,
	 * waits for and declares, and its jobs, for the last runs of which alone the store is
	 * asked; or {@code store}: the locks that any instance holds
	 * @param limit how many locks of the store to show at most, or about how many jobs to
	 * ask it; by default 100, at most 1,000
	 * @return a {@link LocksDescriptor} or a {@link StoredLocksDescriptor}
	 */
	@ReadOperation
	public OperationResponseBody locks(@Nullable Scope scope, @Nullable Integer limit) {
		return locks(scope, limit, this.showValues == Show.ALWAYS);
	}

	OperationResponseBody locks(@Nullable Scope scope, @Nullable Integer limit, boolean showNames) {
		int most = (limit != null) ? limit : DEFAULT_LIMIT;
		if (most < 1 || most > MAX_LIMIT) {
			String reason = "The limit is " + most + ", but must be from 1 to " + MAX_LIMIT + ".";
			throw new InvalidEndpointRequestException(reason, reason);
		}
		if (scope == Scope.STORE) {
			return storedLocks(most, showNames);
		}
		List<Leading> leading = this.leading.leading()
			.stream()
			.map((each) -> each.named(shown(each.name(), showNames)))
			.toList();
		return new LocksDescriptor(storeDescriptor(), held((lock) -> true, showNames),
				waiting((lock) -> true, showNames), leading, jobs(most, showNames),
				LockAttribute.describe(this.sources.get().service().defaults()), settings(),
				this.declaredLocks.declared().stream().map(Declared::of).toList());
	}

	private Map<String, Object> settings() {
		Map<String, Object> settings = new LinkedHashMap<>(this.sources.get().settings());
		List<String> suppressed = this.declaredLocks.suppressed().stream().limit(MAX_SUPPRESSED).toList();
		if (!suppressed.isEmpty()) {
			settings.put("suppressed", suppressed);
		}
		return settings;
	}

	private StoredLocksDescriptor storedLocks(int limit, boolean showNames) {
		StoredLocks found = join(requiredStore().list(limit));
		List<StoredLocksDescriptor.Entry> locks = found.locks()
			.stream()
			.map((lock) -> StoredLocksDescriptor.Entry.of(shown(lock.name(), showNames), lock,
					this.sources.get().instance(), showNames))
			.toList();
		return new StoredLocksDescriptor(storeDescriptor(), locks, !found.complete());
	}

	/**
	 * All questions are asked before the first answer is awaited, so that a store that
	 * does not answer costs the time of one command.
	 */
	private List<Job> jobs(int limit, boolean showNames) {
		List<DeclaredJob> declared = this.jobs.jobs();
		if (declared.isEmpty()) {
			return List.of();
		}
		List<CompletableFuture<Job>> described = new ArrayList<>();
		for (DeclaredJob job : declared) {
			described.add(described(job, (described.size() < limit) ? lastRun(job)
					: unknown("The store was not asked about this job: raise the limit."), showNames));
		}
		return described.stream().map(CompletableFuture::join).toList();
	}

	private CompletableFuture<Job> described(DeclaredJob job, CompletableFuture<Optional<LastRun>> lastRun,
			boolean showNames) {
		String name = shown(job.name(), showNames);
		return lastRun.thenApply((found) -> Job.of(job, name, found.orElse(null)))
			.exceptionally((failure) -> Job.withoutRun(job, name,
					(Failures.unwrap(failure) instanceof IllegalArgumentException)
							? "The record of this job is not one that this version has written."
							: problem(failure, showNames)));
	}

	private CompletableFuture<Optional<LastRun>> lastRun(DeclaredJob job) {
		LockStore store = this.sources.get().store();
		return (store != null)
				? LastRun.of(job,
						new LastRun.Source(store::record,
								(name) -> store.find(name)
									.thenApply((lock) -> lock.map((found) -> found.describe(name, null)))))
				: unknown(NO_STORE);
	}

	private static CompletableFuture<Optional<String>> record(@Nullable LockStore store, String name) {
		try {
			return (store != null) ? store.record(name) : unknown(NO_STORE);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private static <T> CompletableFuture<T> unknown(String problem) {
		return CompletableFuture.failedFuture(new UnsupportedOperationException(problem));
	}

	private static String problem(Throwable failure, boolean showNames) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		return (showNames || cause instanceof UnsupportedOperationException)
				? Printable.of(String.valueOf(cause.getMessage())) : UNNAMED_PROBLEM;
	}

	/**
	 * Ask the store about one lock. Over HTTP, the name is never a part of the path: see
	 * {@link LocksEndpointWebExtension#locks}.
	 * @param name the name of the lock
	 * @return the details of the lock
	 * @throws InvalidLockNameException if no lock can have this name
	 */
	@ReadOperation
	public LockDescriptor lock(@Selector(match = Selector.Match.ALL_REMAINING) String name) {
		return this.jobs.jobs()
			.stream()
			.filter((job) -> job.name().equals(name))
			.findFirst()
			.map(this::lockOf)
			.orElseGet(() -> describe(name));
	}

	/**
	 * Explain what holds for a lock, and why.
	 * @param name the name of the lock, or of what declares it
	 * @throws InvalidLockNameException if no lock can have this name
	 */
	LockExplanation explain(String name, boolean showNames) {
		LockService service = this.sources.get().service();
		LockStore store = this.sources.get().store();
		boolean watched = store != null && store.canWatch();
		LockExplanation.Use undeclared = LockExplanation.Use.ofService(service, name, watched);
		List<DeclaredLock> declared = this.declaredLocks.declared();
		List<DeclaredLock> uses = declared.stream()
			.filter((lock) -> lock.match(name) != DeclaredLock.Match.NONE)
			.sorted(Comparator.comparing((DeclaredLock lock) -> lock.match(name)))
			.toList();
		DeclaredLock.Match closest = uses.isEmpty() ? DeclaredLock.Match.NONE : uses.get(0).match(name);
		Leading leading = this.leading.leading()
			.stream()
			.filter((each) -> each.name().equals(name))
			.findFirst()
			.map((each) -> each.named(Printable.of(name)))
			.orElse(null);
		boolean known = closest.compareTo(DeclaredLock.Match.PATTERN) <= 0 || leading != null;
		boolean declaration = closest == DeclaredLock.Match.DECLARATION;
		return new LockExplanation(Printable.of(name), LockExplanation.undeclared(known),
				Stream
					.concat(uses.stream().map((lock) -> LockExplanation.Use.of(lock, lock.match(name), watched)),
							known ? Stream.of() : Stream.of(undeclared))
					.toList(),
				leading, declaration ? null : lock(name), lastLoss(name, declaration, showNames), storeDescriptor(),
				LockExplanation.guarantees(keepsRecords(name)), findings(declared, uses, known));
	}

	private LockExplanation.@Nullable Loss lastLoss(String name, boolean declaration, boolean showNames) {
		if (!(this.sources.get().service() instanceof KnownLosses known)) {
			return null;
		}
		return known.losses()
			.stream()
			.filter((loss) -> name.equals(declaration ? loss.event().declaredName() : loss.event().name()))
			.findFirst()
			.map((loss) -> LockExplanation.Loss.of(loss, shown(loss.event().name(), showNames || !declaration),
					shown(loss.event().explanation(), showNames || !declaration), this.clock.instant()))
			.orElse(null);
	}

	private @Nullable Boolean keepsRecords(String name) {
		return record(this.sources.get().store(), name)
			.<@Nullable Boolean>handle((found, failure) -> (failure == null) ? Boolean.TRUE
					: (Failures.unwrap(failure) instanceof UnsupportedOperationException) ? Boolean.FALSE : null)
			.join();
	}

	/**
	 * What cannot work declares nothing, so its name is unknown, and may be this one.
	 */
	private List<LockExplanation.Finding> findings(List<DeclaredLock> declared, List<DeclaredLock> uses,
			boolean known) {
		return this.declaredLocks.reported()
			.stream()
			.filter((finding) -> uses.stream().anyMatch((lock) -> LockExplanation.Finding.isAbout(finding, lock))
					|| (!known && finding.severity().equals("ERROR")
							&& declared.stream().noneMatch((lock) -> LockExplanation.Finding.isAbout(finding, lock))))
			.map(LockExplanation.Finding::of)
			.toList();
	}

	private LockDescriptor lockOf(DeclaredJob job) {
		return describe(job.name()).with(described(job, lastRun(job), true).join());
	}

	private LockDescriptor describe(String name) {
		List<Held> held = held((lock) -> lock.name().equals(name), true);
		List<Waiting> waiting = waiting((lock) -> lock.name().equals(name), true);
		String shown = Printable.of(name);
		try {
			LockStore store = this.sources.get().store();
			if (store == null) {
				return this.sources.get()
					.service()
					.find(name)
					.map((found) -> LockDescriptor.held(shown, found, held, waiting))
					.orElseGet(() -> LockDescriptor.withoutHolder(shown, false, null, held, waiting));
			}
			return details(store, name)
				.map((details) -> LockDescriptor.held(shown, details, this.sources.get().instance(), held, waiting))
				.orElseGet(() -> LockDescriptor.withoutHolder(shown, false, null, held, waiting));
		}
		catch (LockUnavailableException | LockConfigurationException ex) {
			return LockDescriptor.withoutHolder(shown, null, ex.getMessage(), held, waiting);
		}
	}

	/** The service knows which names are possible, so it is asked first. */
	private Optional<StoredLockDetails> details(LockStore store, String name) {
		return this.sources.get().service().find(name).flatMap((found) -> join(store.describe(name)));
	}

	/**
	 * Hold a lock, so that no instance gets it: for maintenance, for example. The hold
	 * ends with its time, or by {@link #forceRelease}.
	 * @param name the name of the lock or of the job
	 * @param duration for how long from now, at least a second, at most 7 days, such as
	 * {@code 45m}
	 * @param reason why, in at most 200 bytes of UTF-8; whoever is refused reads it.
	 * Needed unless a hold is given
	 * @param whenHeld what to do if the lock is held; by default {@link WhenHeld#REFUSE}
	 * @param hold the hold of an operator that is to end at another time, as shown by
	 * {@link #lock}, or {@code null} for a new one
	 * @return the outcome, with the name
	 * @throws InvalidLockNameException if no lock can have this name
	 * @throws InvalidEndpointRequestException if the duration or the reason cannot be, if
	 * there is no store, or if this instance waits for 16 locks already
	 * @throws LockUnavailableException if the store does not answer, so that the lock may
	 * be held
	 * @throws LockConfigurationException if the store refuses
	 */
	@WriteOperation
	public HoldDescriptor hold(String name, String duration, @Nullable String reason, @Nullable WhenHeld whenHeld,
			@Nullable String hold) {
		return hold(name, duration, reason, whenHeld, hold, "JMX");
	}

	HoldDescriptor hold(String name, String duration, @Nullable String reason, @Nullable WhenHeld whenHeld,
			@Nullable String hold, String caller) {
		LockStore store = requiredStore();
		Duration time = duration(duration);
		this.sources.get().service().find(name);
		if (hold != null && !hold.isEmpty()) {
			return changeEnd(store, name, time, hold, caller);
		}
		boolean waits = whenHeld == WhenHeld.WAIT;
		String instance = this.sources.get().instance();
		String warning = warning(name);
		OperatorHolds.Attempt attempt = this.operatorHolds.take(store, name, time, instanceName(), caller,
				(reason != null) ? reason : "", waits);
		AcquireOutcome.Busy refusal = attempt.refusal();
		if (refusal == null) {
			return HoldDescriptor.held(Printable.of(name), attempt.digest(), attempt.until(), warning);
		}
		LockInfo holder = refusal.describe(name, instance);
		return new HoldDescriptor(Printable.of(name), waits ? HoldOutcome.WAITING : HoldOutcome.HELD_BY_ANOTHER,
				waits ? attempt.digest() : null, waits ? attempt.until() : null, holder.describe(), holder.remaining(),
				waits ? warning : null);
	}

	private String instanceName() {
		String instance = this.sources.get().instance();
		return (instance != null) ? instance.substring(0, Math.max(0, instance.lastIndexOf('~'))) : "";
	}

	private HoldDescriptor changeEnd(LockStore store, String name, Duration time, String hold, String caller) {
		OperatorHolds.checkDuration(time);
		StoredLockDetails details = details(store, name).orElse(null);
		LockInfo holder = (details != null) ? details.lock().describe(name, this.sources.get().instance()) : null;
		if (details == null || holder == null || holder.kind() != LockInfo.Kind.OPERATOR
				|| !details.lock().digest().equals(hold)) {
			return new HoldDescriptor(Printable.of(name), HoldOutcome.HELD_BY_ANOTHER, null, null,
					(holder != null) ? holder.describe() : null, (holder != null) ? holder.remaining() : null, null);
		}
		this.operatorHolds.requireNoticed(details);
		String reason = String.valueOf(holder.reason());
		Instant until = this.clock.instant().plus(time);
		LeaseExtension extension = new LeaseExtension(name, LockToken.parse(details.lock().holder()), time,
				LeaseExtension.Mode.EXACTLY, 1);
		try {
			if (join(store.extend(List.of(extension)).get(0)) != ExtendOutcome.EXTENDED) {
				return new HoldDescriptor(Printable.of(name), HoldOutcome.HELD_BY_ANOTHER, null, null, null, null,
						null);
			}
		}
		catch (LockUnavailableException ex) {
			this.operatorHolds.report(caller, name,
					"may hold lock '%s' for " + Printable.of(time) + " from now: the store did not answer.", reason,
					"unknown");
			throw ex;
		}
		this.operatorHolds.report(caller, name, "holds lock '%s' for " + Printable.of(time) + " from now.", reason,
				"changed");
		return HoldDescriptor.held(Printable.of(name), hold, until, null);
	}

	/**
	 * A misspelt name is a lock as any other, which nobody uses.
	 */
	private @Nullable String warning(String name) {
		boolean declared = this.jobs.jobs().stream().anyMatch((job) -> job.name().equals(name))
				|| this.leading.leading().stream().anyMatch((each) -> each.name().equals(name))
				|| this.declaredLocks.declared()
					.stream()
					.anyMatch((lock) -> lock.names().contains(name) || lock.names().contains("'" + name + "'"));
		return declared ? null
				: "No job and no annotation of this instance has exactly this name. Check its spelling, unless it is evaluated or used in code.";
	}

	/** As in properties, a number without a unit is none: it would be milliseconds. */
	private static Duration duration(String text) {
		Matcher number = NUMBER.matcher(text.strip());
		if (number.matches()) {
			String reason = "The duration '" + text.strip() + "' has no unit. "
					+ (number.group(1).endsWith("000")
							? "Write %sms for milliseconds, or another unit such as s, m or h."
							: "Write %ss for seconds, or another unit such as m or h.")
						.formatted(number.group(1));
			throw new InvalidEndpointRequestException(reason, reason);
		}
		try {
			return DurationStyle.detectAndParse(text);
		}
		catch (IllegalArgumentException | ArithmeticException ex) {
			String reason = "The duration is '" + Printable.of(text) + "'. Write it as 30s, 45m or 4h.";
			throw new InvalidEndpointRequestException(reason, reason, ex);
		}
	}

	/** Stop to wait for locks that operators want. */
	@Override
	public void close() {
		this.operatorHolds.close();
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
		if (this.operatorHolds.cancel(name, hold, caller)) {
			return Outcome.RELEASED;
		}
		StoredLockDetails details = details(store, name).orElse(null);
		if (details == null) {
			return Outcome.FREE;
		}
		details.queue()
			.stream()
			.filter((waiter) -> new StoredLock(waiter.token(), null).digest().equals(hold))
			.findFirst()
			.ifPresent(LocksEndpoint::refuseToCancel);
		StoredLock lock = details.holds()
			.stream()
			.filter((held) -> held.digest().equals(hold))
			.findFirst()
			.orElse(null);
		if (lock == null) {
			return Outcome.HELD_BY_ANOTHER;
		}
		LockInfo info = lock.describe(name, this.sources.get().instance());
		if (info.kind() == LockInfo.Kind.OPERATOR) {
			this.operatorHolds.requireNoticed(details);
		}
		try {
			// The operator's own release, so to speak, which every store knows
			CompletableFuture<ReleaseOutcome> release = (info.kind() == LockInfo.Kind.OPERATOR)
					? store.release(name, LockToken.parse(lock.holder())) : store.forceRelease(name, lock.holder());
			return switch (join(release)) {
				case RELEASED -> {
					report(info, hold, caller, "was taken", "released");
					yield Outcome.RELEASED;
				}
				case ABSENT -> Outcome.FREE;
				case OTHER -> Outcome.HELD_BY_ANOTHER;
			};
		}
		catch (LockUnavailableException ex) {
			report(info, hold, caller, "may have been taken", "unknown");
			throw ex;
		}
	}

	private static void refuseToCancel(StoredLockDetails.Waiter waiter) {
		String instance = Printable.of(String.valueOf(StoredLock.instanceNameIn(waiter.token())));
		String reason = "This hold still waits, at instance '" + instance
				+ "'. Send the request there; or wait until it has the lock.";
		throw new InvalidEndpointRequestException(reason, reason);
	}

	private void report(LockInfo lock, String hold, String caller, String what, String outcome) {
		String name = Printable.of(lock.name());
		logger.warn("Lock '" + name + "' " + what + " by force from " + lock.describeHolder() + ", by '"
				+ Printable.of(caller) + "' through the actuator endpoint."
				+ ((lock.kind() != LockInfo.Kind.OPERATOR) ? " The work of this holder may still continue." : ""));
		audit(caller, AUDIT_TYPE,
				Map.of("lock", name, "hold", hold, "holder", lock.describeHolder(), "outcome", outcome));
	}

	private void audit(String caller, String type, Map<String, @Nullable Object> data) {
		try {
			this.publisher.publishEvent(new AuditApplicationEvent(caller, type, data));
		}
		catch (RuntimeException ex) {
			logger.warn("The audit event " + type + " of lock '" + data.get("lock") + "' could not be published.", ex);
		}
	}

	private LockStore requiredStore() {
		LockStore store = this.sources.get().store();
		if (store == null) {
			String reason = "There is no lock store to ask: the application has its own lock service.";
			throw new InvalidEndpointRequestException(reason, reason);
		}
		return store;
	}

	private Store storeDescriptor() {
		LockStore store = this.sources.get().store();
		StoreReport report = this.sources.get().report().get();
		return new Store((store != null) ? store.description() : "no store", report.version(), report.findings(),
				report.unchecked());
	}

	private List<Held> held(Predicate<HeldLock> filter, boolean showNames) {
		Instant now = this.clock.instant();
		LockInspector inspector = this.sources.get().inspector();
		return ((inspector != null) ? inspector.held() : List.<HeldLock>of()).stream()
			.filter(filter)
			.map((lock) -> Held.of(lock, shown(lock.name(), showNames), now))
			.toList();
	}

	private List<Waiting> waiting(Predicate<WaitingLock> filter, boolean showNames) {
		Instant now = this.clock.instant();
		LockInspector inspector = this.sources.get().inspector();
		return ((inspector != null) ? inspector.waiting() : List.<WaitingLock>of()).stream()
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

	/**
	 * What to do for an operator if a lock is held.
	 */
	public enum WhenHeld {

		/**
		 * Say who holds it, and leave it.
		 */
		REFUSE,

		/**
		 * Take it when those that hold it or wait for it now have released it.
		 */
		WAIT

	}

	/**
	 * What the endpoint asks.
	 *
	 * @param service the service to ask about a lock
	 * @param inspector shows the locks of this instance, or {@code null} if nothing does
	 * @param store the store to ask about the locks of every instance, or {@code null} if
	 * there is none
	 * @param report the known facts about the store
	 * @param instance the instance part of the tokens of this instance, or {@code null}
	 * @param settings what a platform may prescribe, by the name of the property
	 */
	public record Sources(LockService service, @Nullable LockInspector inspector, @Nullable LockStore store,
			Supplier<StoreReport> report, @Nullable String instance, Map<String, String> settings) {

		/**
		 * Create sources without settings.
		 */
		public Sources(LockService service, @Nullable LockInspector inspector, @Nullable LockStore store,
				Supplier<StoreReport> report, @Nullable String instance) {
			this(service, inspector, store, report, instance, Map.of());
		}

	}

	/**
	 * The locks of this instance. Texts are {@linkplain Printable#of(String) printable}.
	 *
	 * @param store where the locks are kept
	 * @param held the locks that this instance holds
	 * @param waiting the locks that callers in this instance wait for
	 * @param leading the leaderships for which this instance stands
	 * @param jobs the jobs that run once per fire time
	 * @param defaults the options that apply if none are given
	 * @param settings the settings that a platform may prescribe: {@code version} if it
	 * is known, {@code check}, {@code validation}, {@code keyPrefix},
	 * {@code maxHoldLimit} if there is one, and {@code suppressed} if there are any: the
	 * first 100 classes and methods with {@code @SuppressLockWarnings}. Where a setting
	 * comes from has its name and {@code Source}, as in {@code checkSource}
	 * @param declared the locks that annotations declare
	 */
	public record LocksDescriptor(Store store, List<Held> held, List<Waiting> waiting, List<Leading> leading,
			List<Job> jobs, Map<String, Object> defaults, Map<String, Object> settings,
			List<Declared> declared) implements OperationResponseBody {

		/**
		 * Where the locks are kept.
		 *
		 * @param description its kind and address, without credentials
		 * @param version its product and version, or {@code null} if unknown
		 * @param findings the findings of the check at start-up
		 * @param unchecked what that check could not look at, and why, or {@code null}
		 */
		public record Store(String description, @Nullable String version, List<Finding> findings,
				@Nullable String unchecked) {

		}

		/**
		 * A lock that this instance holds.
		 *
		 * @param name the name of the lock
		 * @param declaredName the declared name of its options
		 * @param owner the thread that acquired it
		 * @param since when it was acquired, by the clock of this instance
		 * @param remaining how long it is certain to be held without a renewal
		 * @param fencingToken the fencing token
		 * @param autoRenew whether it is renewed
		 */
		public record Held(String name, String declaredName, String owner, Instant since, Duration remaining,
				long fencingToken, boolean autoRenew) {

			static Held of(HeldLock lock, String name, Instant now) {
				return new Held(name, Printable.of(lock.declaredName()), Printable.of(lock.owner()),
						now.minus(lock.heldFor()), lock.remaining(), lock.fencingToken(), lock.autoRenew());
			}

		}

		/**
		 * A lock that a caller in this instance waits for.
		 *
		 * @param name the name of the lock
		 * @param declaredName the declared name of its options
		 * @param owner the thread that waits
		 * @param since when the wait began, by the clock of this instance
		 */
		public record Waiting(String name, String declaredName, String owner, Instant since) {

			static Waiting of(WaitingLock lock, String name, Instant now) {
				return new Waiting(name, Printable.of(lock.declaredName()), Printable.of(lock.owner()),
						now.minus(lock.waitedFor()));
			}

		}

		/**
		 * A leadership for which this instance stands.
		 *
		 * @param name the name of the leadership and of its lock
		 * @param leader whether this instance leads
		 * @param remaining how long it is certain to lead without a renewal, or
		 * {@code null} if it does not lead
		 * @param fencingToken the token of the term, or {@code null} if it does not lead
		 */
		public record Leading(String name, boolean leader, @Nullable Duration remaining, @Nullable Long fencingToken) {

			Leading named(String shown) {
				return new Leading(shown, this.leader, this.remaining, this.fencingToken);
			}

		}

		/**
		 * A job that runs once per fire time.
		 *
		 * @param name the name of the job and of its lock
		 * @param location where it is declared
		 * @param next the next fire time by the clock of this instance, or {@code null}
		 * if it is unknown
		 * @param catchUp how late a run may be, or {@code null} for never
		 * @param lastRun the last run on any instance, or {@code null} if the store has
		 * no record of one
		 * @param missed how many fire times have passed since that run, for which no call
		 * is to be expected any more, or {@code null} if the last run is not known
		 * @param problem why the last run is not known, or {@code null}
		 */
		public record Job(String name, String location, @Nullable Instant next, @Nullable Duration catchUp,
				@Nullable Run lastRun, @Nullable Long missed, @Nullable String problem) {

			static Job of(DeclaredJob job, String name, @Nullable LastRun last) {
				return (last == null) ? withoutRun(job, name, null) : new Job(name, job.location(), job.next(),
						job.catchUp(), Run.of(last), job.missedSince(last.run().fireTime()), null);
			}

			static Job withoutRun(DeclaredJob job, String name, @Nullable String problem) {
				return new Job(name, job.location(), job.next(), job.catchUp(), null, null, problem);
			}

		}

		/**
		 * The last run of a job, as its record has it.
		 *
		 * @param fireTime the fire time
		 * @param state {@code running}, {@code succeeded} or {@code failed}; or
		 * {@code abandoned}, if a run did not end and its instance does not have the lock
		 * @param instance the instance that ran it
		 * @param start when it began, by the clock of that instance
		 * @param end when it ended, or {@code null} if it has not
		 * @param duration how long it took, or {@code null} if it has not ended
		 * @param failure the type of the exception, or {@code null} if there is none
		 * @param repeated whether this is the second run for the fire time
		 */
		public record Run(Instant fireTime, String state, String instance, Instant start, @Nullable Instant end,
				@Nullable Duration duration, @Nullable String failure, boolean repeated) {

			static Run of(LastRun last) {
				DeclaredJobs.Run run = last.run();
				Instant end = run.end();
				return new Run(run.fireTime(), last.abandoned() ? "abandoned" : run.state(),
						Printable.of(run.instance()), run.start(), end,
						(end != null) ? Duration.between(run.start(), end) : null,
						(run.failure() != null) ? Printable.of(run.failure()) : null, run.repeated());
			}

		}

		/**
		 * A lock that an annotation declares.
		 *
		 * @param declaredName the declared name
		 * @param names the names as declared
		 * @param location where it is declared
		 * @param options the options in force
		 * @param sources where each of them comes from: built in, the defaults of the
		 * application, the annotation, or who changed it afterwards
		 * @param onContention what happens if it is held elsewhere
		 * @param fenced {@code true} if transactions under the lock claim its fence,
		 * otherwise {@code null}
		 */
		public record Declared(String declaredName, List<String> names, String location, Map<String, Object> options,
				Map<String, String> sources, String onContention, @Nullable Boolean fenced) {

			static Declared of(DeclaredLock lock) {
				return new Declared(Printable.of(lock.declaredName()),
						lock.names().stream().map(Printable::of).toList(), lock.location(),
						LockAttribute.describe(lock.options()), printable(lock.sources()), lock.onContention(),
						lock.fenced() ? true : null);
			}

			private static Map<String, String> printable(Map<String, String> sources) {
				Map<String, String> shown = new LinkedHashMap<>();
				sources.forEach((option, source) -> shown.put(option, Printable.of(source)));
				return shown;
			}

		}

	}

	/**
	 * One lock, as the store and this instance see it.
	 *
	 * <p>
	 * If a lock has several holders, the holder is the one whose lease ends first.
	 *
	 * @param name the {@linkplain Printable#of(String) printable} name
	 * @param locked whether it is held, or {@code null} if the store did not answer
	 * @param heldBy the kind of its holder, or {@code null} if there is none
	 * @param holder the name of the instance or of the operator that holds it, or
	 * {@code null} if none does
	 * @param reason why an operator holds it, or {@code null} for any other holder
	 * @param digest tells foreign holders apart, or {@code null} for others
	 * @param hold identifies the hold for a forced release, or {@code null} if there is
	 * none, or no store to look into
	 * @param age how long ago the store granted it, or {@code null} if that is unknown
	 * @param remaining how long the store keeps it if it is not renewed, or {@code null}
	 * @param company its holders, if it accepts several, or {@code null}
	 * @param queue the first of the instances that wait for it, in their order
	 * @param problem why the store did not answer, or {@code null}
	 * @param held the holds of this instance
	 * @param waiting the callers in this instance that wait for it
	 * @param job the job with this name, or {@code null} if there is none
	 */
	public record LockDescriptor(String name, @Nullable Boolean locked, LockInfo.@Nullable Kind heldBy,
			@Nullable String holder, @Nullable String reason, @Nullable String digest, @Nullable String hold,
			@Nullable Duration age, @Nullable Duration remaining, @Nullable Company company, List<Queued> queue,
			@Nullable String problem, List<LocksDescriptor.Held> held, List<LocksDescriptor.Waiting> waiting,
			@Nullable Job job) implements OperationResponseBody {

		LockDescriptor with(Job job) {
			return new LockDescriptor(this.name, this.locked, this.heldBy, this.holder, this.reason, this.digest,
					this.hold, this.age, this.remaining, this.company, this.queue, this.problem, this.held,
					this.waiting, job);
		}

		static LockDescriptor held(String name, StoredLockDetails lock, @Nullable String instance,
				List<LocksDescriptor.Held> held, List<LocksDescriptor.Waiting> waiting) {
			LockInfo info = lock.lock().describe(lock.name(), instance);
			return new LockDescriptor(name, true, info.kind(), holder(info), reason(info), info.digest(),
					lock.lock().digest(), lock.age(), info.remaining(), Company.of(lock, instance),
					lock.queue().stream().map(Queued::of).toList(), null, held, waiting, null);
		}

		/** Of a service that has no store to look into. */
		static LockDescriptor held(String name, LockInfo info, List<LocksDescriptor.Held> held,
				List<LocksDescriptor.Waiting> waiting) {
			return new LockDescriptor(name, true, info.kind(), holder(info), reason(info), info.digest(), null, null,
					info.remaining(), null, List.of(), null, held, waiting, null);
		}

		static LockDescriptor withoutHolder(String name, @Nullable Boolean locked, @Nullable String problem,
				List<LocksDescriptor.Held> held, List<LocksDescriptor.Waiting> waiting) {
			return new LockDescriptor(name, locked, null, null, null, null, null, null, null, null, List.of(), problem,
					held, waiting, null);
		}

		private static @Nullable String holder(LockInfo info) {
			return (info.holder() != null) ? Printable.of(info.holder()) : null;
		}

		private static @Nullable String reason(LockInfo info) {
			return (info.reason() != null) ? Printable.of(info.reason()) : null;
		}

		/**
		 * The holders of a lock with permits, or of a shared one.
		 *
		 * @param holders how many there are
		 * @param smallestLimit the smallest number of holders that one of them accepts,
		 * or {@code null} if all accept any number
		 * @param largestLimit the largest number that one of them names, or {@code null};
		 * if it is not the smallest one, the lock is used with different permits
		 * @param nearest those whose leases end first
		 */
		public record Company(long holders, @Nullable Integer smallestLimit, @Nullable Integer largestLimit,
				List<Holder> nearest) {

			static @Nullable Company of(StoredLockDetails lock, @Nullable String instance) {
				StoredLockDetails.Company company = lock.company();
				return (company == null) ? null
						: new Company(company.holders(), company.smallestLimit(), company.largestLimit(),
								company.nearest()
									.stream()
									.map((held) -> Holder.of(held, held.describe(lock.name(), instance)))
									.toList());
			}

		}

		/**
		 * One of several holders.
		 *
		 * @param heldBy the kind of holder
		 * @param holder the name of its instance, or {@code null} if it is none
		 * @param hold identifies this hold for a forced release
		 * @param remaining how long the store keeps it if it is not renewed
		 */
		public record Holder(LockInfo.Kind heldBy, @Nullable String holder, String hold, @Nullable Duration remaining) {

			static Holder of(StoredLock lock, LockInfo info) {
				return new Holder(info.kind(), info.holder(), lock.digest(), lock.remaining());
			}

		}

		/**
		 * An instance that waits for itself, or for an operator.
		 *
		 * @param instance its name
		 * @param waited for how long it has waited
		 * @param operator the operator for whom it waits, or {@code null}
		 * @param reason why the operator wants the lock, or {@code null}
		 */
		public record Queued(String instance, Duration waited, @Nullable String operator, @Nullable String reason) {

			static Queued of(StoredLockDetails.Waiter waiter) {
				String instance = StoredLock.instanceNameIn(waiter.token());
				LockInfo info = new StoredLock(waiter.token(), null).describe("", null);
				return new Queued((instance != null) ? Printable.of(instance) : "unknown", waiter.waited(),
						(info.kind() == LockInfo.Kind.OPERATOR) ? LockDescriptor.holder(info) : null,
						LockDescriptor.reason(info));
			}

		}

	}

	/**
	 * The locks that any instance holds, as the store sees them.
	 *
	 * @param store where the locks are kept
	 * @param locks the locks
	 * @param truncated whether there may be more: the limit was reached, or the search
	 * took too long
	 */
	public record StoredLocksDescriptor(LocksDescriptor.Store store, List<Entry> locks,
			boolean truncated) implements OperationResponseBody {

		/**
		 * A lock that is held.
		 *
		 * @param name the {@linkplain Printable#of(String) printable} name
		 * @param heldBy the kind of its holder
		 * @param holder the instance or the operator that holds it, or {@code null} if
		 * none does
		 * @param reason why an operator holds it, or {@code null} for any other holder
		 * @param digest tells foreign holders apart, or {@code null} for others
		 * @param hold identifies the hold for a forced release
		 * @param age how long ago the store granted it, or {@code null} if unknown
		 * @param remaining how long the store keeps it if it is not renewed, or
		 * {@code null} if without limit
		 * @param holders how many holders it has; the one whose lease ends first is shown
		 * @param waiting how many instances wait for it, or {@code null} if unknown
		 */
		public record Entry(String name, LockInfo.Kind heldBy, @Nullable String holder, @Nullable String reason,
				@Nullable String digest, String hold, @Nullable Duration age, @Nullable Duration remaining,
				long holders, @Nullable Long waiting) {

			/** Operators are persons, and their reasons may contain names of locks. */
			static Entry of(String name, StoredLockDetails lock, @Nullable String instance, boolean showNames) {
				LockInfo info = lock.lock().describe(lock.name(), instance);
				boolean operator = info.kind() == LockInfo.Kind.OPERATOR;
				return new Entry(name, info.kind(),
						operator ? shown(String.valueOf(info.holder()), showNames) : info.holder(),
						operator ? shown(String.valueOf(info.reason()), showNames) : null, info.digest(),
						lock.lock().digest(), lock.age(), info.remaining(),
						(lock.company() != null) ? lock.company().holders() : 1, lock.waiting());
			}

		}

	}

	/**
	 * The result of an operator's request to hold a lock.
	 *
	 * @param name the {@linkplain Printable#of(String) printable} name
	 * @param outcome the outcome
	 * @param hold identifies the hold for a forced release, or {@code null} if there is
	 * none
	 * @param until when the hold ends, by the clock of this instance, or {@code null} if
	 * there is none
	 * @param holder who is in the way, such as "held by instance 'shop-1'", or
	 * {@code null} if nobody is
	 * @param remaining how long the store keeps the lock for that holder without a
	 * renewal, or {@code null} if that is unknown
	 * @param warning what may be wrong with the request, or {@code null}
	 */
	public record HoldDescriptor(String name, HoldOutcome outcome, @Nullable String hold, @Nullable Instant until,
			@Nullable String holder, @Nullable Duration remaining,
			@Nullable String warning) implements OperationResponseBody {

		static HoldDescriptor held(String name, String hold, Instant until, @Nullable String warning) {
			return new HoldDescriptor(name, HoldOutcome.HELD, hold, until, null, null, warning);
		}

		/**
		 * The outcome.
		 */
		public enum HoldOutcome {

			/**
			 * The operator holds the lock.
			 */
			HELD,

			/**
			 * The lock is held, and this instance waits for it until the time has passed.
			 */
			WAITING,

			/**
			 * The lock is held, and its holder keeps it; or the given hold is over.
			 */
			HELD_BY_ANOTHER

		}

	}

	/**
	 * The result of a forced release.
	 *
	 * @param name the {@linkplain Printable#of(String) printable} name
	 * @param outcome the outcome
	 */
	public record ForceReleaseDescriptor(String name, Outcome outcome) implements OperationResponseBody {

		/**
		 * The outcome.
		 */
		public enum Outcome {

			/**
			 * The lock was taken from its holder, and is free or held by the next one.
			 */
			RELEASED,

			/**
			 * The lock has no holder.
			 */
			FREE,

			/**
			 * A hold other than the given one has the lock, and keeps it.
			 */
			HELD_BY_ANOTHER

		}

	}

}
