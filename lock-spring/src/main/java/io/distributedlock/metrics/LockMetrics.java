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

package io.distributedlock.metrics;

import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.LockEvent;
import io.distributedlock.LockEvent.Acquired;
import io.distributedlock.LockEvent.AtRisk;
import io.distributedlock.LockEvent.Lost;
import io.distributedlock.LockEvent.NotAcquired;
import io.distributedlock.LockEvent.ReleaseFailed;
import io.distributedlock.LockEvent.Released;
import io.distributedlock.LockEvent.RenewalFailed;
import io.distributedlock.LockEvent.Renewed;
import io.distributedlock.LockInspector;
import io.distributedlock.LockListener;
import io.distributedlock.LockOptions;
import io.distributedlock.LossCause;
import io.distributedlock.scheduling.JobListener;
import io.distributedlock.scheduling.JobRun;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

/**
 * Records meters for the locks of this instance:
 * <ul>
 * <li>timer {@code distributed.lock.acquire}, from the call to its answer, by
 * {@code outcome}: {@code acquired}, {@code busy}, {@code interrupted} or
 * {@code unavailable};</li>
 * <li>timer {@code distributed.lock.hold}, from the grant to its end, by {@code outcome}:
 * {@code released} or {@code lost};</li>
 * <li>distribution summary {@code distributed.lock.lease.used}: the time for which a lock
 * was held, divided by its lease, recorded at its release or loss; more than one if the
 * lease was renewed;</li>
 * <li>counter {@code distributed.lock.lost}, by {@code cause};</li>
 * <li>timer {@code distributed.lock.lost.unconfirmed}, by {@code cause}:
 * {@code key_vanished}, {@code taken_by_other} or {@code forced}; for a lock that the
 * store no longer had, the time since the store last confirmed it, recorded when the loss
 * is told;</li>
 * <li>counter {@code distributed.lock.release.failures};</li>
 * <li>counter {@code distributed.lock.renewals}, by {@code outcome}: {@code renewed} or
 * {@code failed};</li>
 * <li>counter {@code distributed.lock.at.risk}: leases that were not renewed within two
 * thirds of their time;</li>
 * <li>gauges {@code distributed.lock.held} and {@code distributed.lock.waiting};</li>
 * <li>time gauge {@code distributed.lock.oldest.hold}: for how long the oldest hold has
 * lasted, zero if there is none;</li>
 * <li>timer {@code distributed.lock.job.run}, from the start of the run of a job to its
 * end, by {@code outcome}: {@code succeeded} or {@code failed};</li>
 * <li>counter {@code distributed.lock.job.missed}: fire times of a job for which no run
 * ended, by {@code cause}: {@code missed}, {@code abandoned} or {@code held};</li>
 * <li>gauge {@code distributed.lock.job.overdue}, for jobs that an annotation declares
 * under one name: fire times that have passed since the newest one whose run succeeded or
 * goes on, as far as the lock store has told; zero while an operator holds the job;</li>
 * <li>counter {@code distributed.lock.store.errors}, by {@code operation}:
 * {@code acquire}, {@code extend}, {@code release}, {@code find} or {@code record};</li>
 * <li>gauge {@code distributed.lock.store.warnings}: what the latest check of the lock
 * store has found that weakens a guarantee.</li>
 * </ul>
 * All but the last two carry the tag {@code lock.name}: the declared name of the lock,
 * never its evaluated name. The first names get a value of their own, the rest share
 * {@code other}, which exists when there can be no more of them. All meters of a name
 * exist, at zero, as soon as the name is known, because an alert does not see an increase
 * in a series that begins with one.
 *
 * @since 0.1.0
 */
public final class LockMetrics implements LockListener, JobListener, AutoCloseable {

	private static final Log logger = LogFactory.getLog(LockMetrics.class);

	private static final String HELD = "distributed.lock.held";

	private static final String OVERDUE = "distributed.lock.job.overdue";

	private static final String STORE_WARNINGS = "distributed.lock.store.warnings";

	private static final String OTHER = "other";

	private final MeterRegistry registry;

	private final int maxNames;

	private final LockCensus census;

	private final ConcurrentMap<String, DeclaredNameMeters> metersByName = new ConcurrentHashMap<>();

	/** By the name in the meters, which many jobs may share. */
	private final ConcurrentMap<String, JobMeters> jobMetersByName = new ConcurrentHashMap<>();

	private final AtomicInteger names = new AtomicInteger();

	/** Registered with the last name that gets a value of its own. */
	private final SingletonSupplier<DeclaredNameMeters> otherMeters;

	private final Map<StoreOperation, Counter> storeErrors;

	private final Queue<Meter> gauges = new ConcurrentLinkedQueue<>();

	private volatile boolean closed;

	private final AtomicBoolean undeclaredTold = new AtomicBoolean();

	private final AtomicBoolean limitTold = new AtomicBoolean();

	/**
	 * Create one and register the meters that belong to no declared name.
	 * @param registry where to record
	 * @param inspector shows the locks that the gauges count; queried when gauges are
	 * read, once for those that are read together; may be empty at first
	 * @param maxNames how many different names get meters of their own
	 */
	public LockMetrics(MeterRegistry registry, Supplier<? extends @Nullable LockInspector> inspector, int maxNames) {
		this.registry = registry;
		this.maxNames = maxNames;
		this.census = new LockCensus(inspector, this::meteredName, registry.config().clock());
		this.otherMeters = SingletonSupplier.of(() -> {
			registerGauges(OTHER);
			return new DeclaredNameMeters(registry, OTHER);
		});
		this.storeErrors = byValue(StoreOperation.class,
				(operation) -> counter(registry, "distributed.lock.store.errors",
						"Commands that the lock store did not answer, or refused",
						Tags.of("operation", tagValue(operation))));
		if (maxNames == 0) {
			this.otherMeters.obtain();
		}
	}

	@Override
	public void onLockEvent(LockEvent event) {
		metersOf(event.declaredName()).record(event);
	}

	@Override
	public void onJobRun(JobRun run) {
		jobMetersOf(run.declaredName()).record(run);
	}

	/**
	 * Count a command that the store did not answer in time, or refused.
	 * @param operation the operation of the command
	 */
	public void onStoreError(StoreOperation operation) {
		of(operation, this.storeErrors).increment();
	}

	/**
	 * Create all meters of some names, at zero, before anything happens.
	 * @param names the declared names of the locks that are known
	 */
	public void declare(Collection<String> names) {
		names.forEach(this::metersOf);
	}

	/**
	 * Create all meters of some jobs, at zero, before anything happens.
	 * @param names the declared names of the jobs that are known
	 */
	public void declareJobs(Collection<String> names) {
		names.forEach(this::jobMetersOf);
	}

	/**
	 * Create the gauge of the overdue fire times of a job, unless the job shares the
	 * meters of {@code other}, or another component has registered the gauge, which then
	 * removes it.
	 * @param declaredName the declared name of the job
	 * @param fireTimes returns how many fire times are overdue, or NaN if that is unknown
	 */
	public void declareOverdue(String declaredName, Supplier<Number> fireTimes) {
		if (meteredName(declaredName).equals(OTHER)
				|| this.registry.find(OVERDUE).tag("lock.name", declaredName).gauge() != null) {
			return;
		}
		this.gauges.add(Gauge.builder(OVERDUE, fireTimes)
			.description("Fire times since the newest one whose run succeeded or goes on")
			.tag("lock.name", declaredName)
			.register(this.registry));
		if (this.closed) {
			removeGauges();
		}
	}

	/**
	 * Create the gauge of what weakens a guarantee of the lock store, unless another
	 * component has registered it, which then removes it.
	 * @param warnings returns how many warnings a check has found, or NaN if that is
	 * unknown
	 */
	public void declareStoreWarnings(Supplier<Number> warnings) {
		if (this.registry.find(STORE_WARNINGS).gauge() == null) {
			this.gauges.add(Gauge.builder(STORE_WARNINGS, warnings)
				.description("Findings of the latest check of the lock store that weaken a guarantee")
				.register(this.registry));
		}
	}

	/**
	 * Remove the gauges from a registry that may outlive the service. Counters and timers
	 * are sums over the life of the registry, and stay.
	 */
	@Override
	public void close() {
		this.closed = true;
		removeGauges();
	}

	private void removeGauges() {
		for (Meter gauge = this.gauges.poll(); gauge != null; gauge = this.gauges.poll()) {
			this.registry.remove(gauge);
		}
	}

	private DeclaredNameMeters metersOf(String declaredName) {
		DeclaredNameMeters known = this.metersByName.get(declaredName);
		if (known != null) {
			return known;
		}
		if (declaredName.equals(LockOptions.UNDECLARED) && this.undeclaredTold.compareAndSet(false, true)) {
			logger.info("Locks that are taken with options without a declared name are metered together, as '"
					+ declaredName
					+ "'. Give them one that distinguishes the uses, with LockOptions.withDeclaredName.");
		}
		DeclaredNameMeters admitted = (this.names.get() < this.maxNames)
				? this.metersByName.computeIfAbsent(declaredName, this::admit) : null;
		return (admitted != null) ? admitted : beyondTheLimit();
	}

	private JobMeters jobMetersOf(String declaredName) {
		return this.jobMetersByName.computeIfAbsent(meteredName(declaredName),
				(name) -> new JobMeters(this.registry, name));
	}

	private DeclaredNameMeters beyondTheLimit() {
		if (this.limitTold.compareAndSet(false, true)) {
			logger.info("There are more than " + this.maxNames + " names of locks: the rest is metered together, as '"
					+ OTHER
					+ "'. Raise their maximum, 'distributed-lock.metrics.max-names' with Spring Boot, or declare fewer names.");
		}
		return this.otherMeters.obtain();
	}

	private @Nullable DeclaredNameMeters admit(String declaredName) {
		int before = this.names.getAndUpdate((count) -> Math.min(count + 1, this.maxNames));
		if (before >= this.maxNames) {
			return null;
		}
		if (before + 1 == this.maxNames) {
			this.otherMeters.obtain();
		}
		registerGauges(declaredName);
		return new DeclaredNameMeters(this.registry, declaredName);
	}

	/** A lock may be held or a job run whose name no event has brought yet. */
	private String meteredName(String declaredName) {
		metersOf(declaredName);
		return this.metersByName.containsKey(declaredName) ? declaredName : OTHER;
	}

	/**
	 * Register the gauges of a name, unless another component has registered them, which
	 * then removes them.
	 */
	private void registerGauges(String name) {
		if (this.registry.find(HELD).tag("lock.name", name).gauge() != null) {
			return;
		}
		this.gauges.add(Gauge.builder(HELD, this.census.new Reader(name, (tally) -> tally.held))
			.description("Locks that this instance holds")
			.tag("lock.name", name)
			.register(this.registry));
		this.gauges
			.add(Gauge.builder("distributed.lock.waiting", this.census.new Reader(name, (tally) -> tally.waiting))
				.description("Callers in this instance that wait for a lock")
				.tag("lock.name", name)
				.register(this.registry));
		this.gauges.add(TimeGauge
			.builder("distributed.lock.oldest.hold", this.census.new Reader(name, (tally) -> tally.oldest),
					TimeUnit.NANOSECONDS)
			.description("Time for which the oldest hold of this instance has lasted")
			.tag("lock.name", name)
			.register(this.registry));
		if (this.closed) {
			removeGauges();
		}
	}

	private static Timer timer(MeterRegistry registry, String name, String description, Tags tags) {
		return Timer.builder(name).description(description).tags(tags).register(registry);
	}

	private static Counter counter(MeterRegistry registry, String name, String description, Tags tags) {
		return Counter.builder(name).description(description).tags(tags).register(registry);
	}

	private static <E extends Enum<E>, M> Map<E, M> byValue(Class<E> type, Function<E, M> registration) {
		Map<E, M> meters = new EnumMap<>(type);
		for (E value : type.getEnumConstants()) {
			meters.put(value, registration.apply(value));
		}
		return meters;
	}

	private static <E extends Enum<E>, M> M of(E value, Map<E, M> meters) {
		return Objects.requireNonNull(meters.get(value));
	}

	private static String tagValue(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT);
	}

	/**
	 * The operations of a lock store.
	 */
	public enum StoreOperation {

		/**
		 * To grant a lock.
		 */
		ACQUIRE,

		/**
		 * To extend a lease.
		 */
		EXTEND,

		/**
		 * To free a lock.
		 */
		RELEASE,

		/**
		 * To find the holder of a lock.
		 */
		FIND,

		/**
		 * To write down that a job begins or ends.
		 */
		RECORD

	}

	/**
	 * The meters of one declared name, which are looked up in the registry once only.
	 */
	private static final class DeclaredNameMeters {

		private final Timer acquired;

		private final Map<LockEvent.Reason, Timer> notAcquired;

		private final Timer released;

		private final Timer holdLost;

		private final DistributionSummary leaseUsed;

		private final Map<LossCause, Counter> lost;

		/** Only for losses that begin in the store, of which a holder may learn late. */
		private final Map<LossCause, Timer> lostUnconfirmed = new EnumMap<>(LossCause.class);

		private final Counter releaseFailures;

		private final Counter renewed;

		private final Counter renewalFailures;

		private final Counter atRisk;

		DeclaredNameMeters(MeterRegistry registry, String declaredName) {
			Tags name = Tags.of("lock.name", declaredName);
			Function<String, Timer> acquire = (outcome) -> timer(registry, "distributed.lock.acquire",
					"Time from the call to its answer", name.and("outcome", outcome));
			this.acquired = acquire.apply("acquired");
			this.notAcquired = byValue(LockEvent.Reason.class, (reason) -> acquire.apply(tagValue(reason)));
			Function<String, Timer> hold = (outcome) -> timer(registry, "distributed.lock.hold",
					"Time for which a lock was held", name.and("outcome", outcome));
			this.released = hold.apply("released");
			this.holdLost = hold.apply("lost");
			this.leaseUsed = DistributionSummary.builder("distributed.lock.lease.used")
				.description("Time for which a lock was held, divided by its lease")
				.tags(name)
				.register(registry);
			this.lost = byValue(LossCause.class, (cause) -> counter(registry, "distributed.lock.lost",
					"Locks that were lost before they were released", name.and("cause", tagValue(cause))));
			for (LossCause cause : EnumSet.of(LossCause.KEY_VANISHED, LossCause.TAKEN_BY_OTHER, LossCause.FORCED)) {
				this.lostUnconfirmed.put(cause,
						timer(registry, "distributed.lock.lost.unconfirmed",
								"Time since the store last confirmed a lock, when its loss was told",
								name.and("cause", tagValue(cause))));
			}
			this.releaseFailures = counter(registry, "distributed.lock.release.failures",
					"Releases whose first attempt did not reach the store", name);
			Function<String, Counter> renewals = (outcome) -> counter(registry, "distributed.lock.renewals",
					"Renewals of leases", name.and("outcome", outcome));
			this.renewed = renewals.apply("renewed");
			this.renewalFailures = renewals.apply("failed");
			this.atRisk = counter(registry, "distributed.lock.at.risk",
					"Leases that were not renewed within two thirds of their time", name);
		}

		void record(LockEvent event) {
			if (event instanceof Acquired acquired) {
				this.acquired.record(acquired.waited());
			}
			else if (event instanceof Released released) {
				this.released.record(released.held());
				recordLeaseUsed(released.held().toNanos(), released.lease().toNanos());
			}
			else if (event instanceof NotAcquired notAcquired) {
				of(notAcquired.reason(), this.notAcquired).record(notAcquired.waited());
			}
			else if (event instanceof Lost lost) {
				this.holdLost.record(lost.held());
				recordLeaseUsed(lost.held().toNanos(), lost.lease().toNanos());
				of(lost.cause(), this.lost).increment();
				Timer unconfirmed = this.lostUnconfirmed.get(lost.cause());
				if (unconfirmed != null) {
					unconfirmed.record(lost.sinceConfirmed());
				}
			}
			else if (event instanceof ReleaseFailed failed) {
				this.released.record(failed.held());
				recordLeaseUsed(failed.held().toNanos(), failed.lease().toNanos());
				this.releaseFailures.increment();
			}
			else if (event instanceof Renewed) {
				this.renewed.increment();
			}
			else if (event instanceof RenewalFailed) {
				this.renewalFailures.increment();
			}
			else if (event instanceof AtRisk) {
				this.atRisk.increment();
			}
		}

		private void recordLeaseUsed(double held, double lease) {
			this.leaseUsed.record(held / lease);
		}

	}

	/**
	 * The meters of the jobs with one declared name.
	 */
	private static final class JobMeters {

		private final Timer succeeded;

		private final Timer failed;

		private final Counter missed;

		private final Counter abandoned;

		private final Counter held;

		JobMeters(MeterRegistry registry, String declaredName) {
			Tags name = Tags.of("lock.name", declaredName);
			Function<String, Timer> run = (outcome) -> timer(registry, "distributed.lock.job.run",
					"Time from the start of a run to its end", name.and("outcome", outcome));
			this.succeeded = run.apply("succeeded");
			this.failed = run.apply("failed");
			Function<String, Counter> missed = (cause) -> counter(registry, "distributed.lock.job.missed",
					"Fire times for which no run ended", name.and("cause", cause));
			this.missed = missed.apply("missed");
			this.abandoned = missed.apply("abandoned");
			this.held = missed.apply("held");
		}

		void record(JobRun run) {
			Duration duration = Objects.requireNonNullElse(run.duration(), Duration.ZERO);
			switch (run.outcome()) {
				case SUCCEEDED -> this.succeeded.record(duration);
				case FAILED -> this.failed.record(duration);
				case MISSED -> this.missed.increment(run.fireTimes());
				case ABANDONED -> this.abandoned.increment(run.fireTimes());
				case HELD -> this.held.increment(run.fireTimes());
			}
		}

	}

}
