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

package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.distributedlock.LockMode;
import io.distributedlock.OnLost;
import io.distributedlock.annotation.LockValidation;
import io.distributedlock.autoconfigure.internal.LockStartupException;
import io.distributedlock.internal.GivenOptions;
import io.distributedlock.internal.LockAttribute;
import io.distributedlock.internal.Printable;
import io.distributedlock.observation.LockObservations.Spans;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of distributed locks. Durations take a unit, as in {@code 500ms}, {@code 30s},
 * {@code 5m} or {@code PT30S}; numbers without a unit are rejected.
 *
 * @param enabled Whether distributed locks are configured. If not, annotated methods run
 * without a lock.
 * @param provider Where the locks are kept.
 * @param keyPrefix Prefix of the Redis key, before the name of the lock. Applications
 * that share locks must use the same prefix.
 * @param instanceName Human-readable name of this instance in messages and in the store.
 * Derived from the application's name, the host and the process id by default.
 * @param defaults Default options of locks, unless the annotation or the caller specifies
 * others.
 * @param renewal Renewal of leases.
 * @param localHandoffs Hand-offs of a lock between threads of this instance without
 * asking the store.
 * @param locks Options of individual locks by their declared name, which override
 * defaults and annotations: timeout, wait-time, auto-renew, renew-interval, min-hold,
 * max-hold, on-lost, permits and mode; or the exact Redis key. A name with other
 * characters than letters, digits and dashes must be in brackets, as in
 * 'distributed-lock.locks[OrderService.pay].timeout'.
 * @param validation What happens if lock annotations cannot work.
 * @param check What happens if the check of the store at start-up finds that locks do not
 * work, or that settings weaken a guarantee.
 * @param redis Access to Redis.
 * @param annotation Methods annotated with @DistributedLock.
 * @param metrics Meters.
 * @param observations Observations, and the spans created from them.
 * @param logging Logging.
 * @param web Answers to HTTP clients.
 * @param release Releases.
 * @param shutdown What happens to locks when the application stops.
 * @since 0.1.0
 */
@ConfigurationProperties("distributed-lock")
public record DistributedLockProperties(@DefaultValue("true") boolean enabled, @DefaultValue("redis") Provider provider,
		@DefaultValue("lock:") String keyPrefix, @Nullable String instanceName, @DefaultValue Defaults defaults,
		@DefaultValue Renewal renewal, @DefaultValue LocalHandoffs localHandoffs,
		@DefaultValue Map<String, NamedLock> locks, @DefaultValue("fail") LockValidation validation,
		@DefaultValue("warn") StoreCheck check, @DefaultValue Redis redis, @DefaultValue Annotation annotation,
		@DefaultValue Metrics metrics, @DefaultValue Observations observations, @DefaultValue Logging logging,
		@DefaultValue Web web, @DefaultValue Release release, @DefaultValue Shutdown shutdown) {

	/**
	 * Copy the locks, and refuse a limit that nothing enforces.
	 */
	public DistributedLockProperties {
		locks = Map.copyOf(locks);
		Duration limit = annotation.maxHoldLimit();
		if (limit != null && (validation == LockValidation.OFF || validation == LockValidation.WARN)) {
			throw LockStartupException.ofSettings("A limit of holds is set, and the validation does not enforce it.",
					Map.of("distributed-lock.annotation.max-hold-limit", limit, "distributed-lock.validation",
							validation),
					"Set distributed-lock.validation to fail or strict. Or remove distributed-lock.annotation.max-hold-limit.",
					null);
		}
	}

	/** The exact Redis keys by the name of the lock. */
	Map<String, String> keys() {
		Map<String, String> keys = new TreeMap<>();
		this.locks.forEach((name, lock) -> {
			if (lock.key() != null) {
				keys.put(name, lock.key());
			}
		});
		return keys;
	}

	/** The options of all locks. */
	GivenOptions givenDefaults() {
		return this.defaults.given().with(LockAttribute.RENEW_INTERVAL, this.renewal.interval());
	}

	/**
	 * @param property without the prefix
	 * @param rule with a place for the value
	 * @param allowed what the value may be
	 * @param usual the default
	 */
	private static void check(boolean holds, String property, Object found, String rule, String allowed, String usual) {
		if (!holds) {
			String name = "distributed-lock." + property;
			throw LockStartupException.ofSettings(
					rule.formatted((found instanceof Duration duration) ? Printable.of(duration) : found),
					Map.of(name, found),
					"Set %s to %s, or remove it to use its default, %s.".formatted(name, allowed, usual), null);
		}
	}

	private static void checkPositive(String property, Duration duration, String what, String usual) {
		check(duration.compareTo(Duration.ZERO) > 0, property, duration, what + " is %s, but must be positive.",
				"a positive time", usual);
	}

	/**
	 * Where locks are kept.
	 */
	public enum Provider {

		/**
		 * In Redis, shared by all instances.
		 */
		REDIS,

		/**
		 * In the memory of this JVM: excludes its threads from each other, but not other
		 * instances. For development and tests.
		 */
		IN_MEMORY

	}

	/**
	 * How to handle the findings of the check at start-up.
	 */
	public enum StoreCheck {

		/**
		 * Log them. Start-up does not wait for them.
		 */
		WARN,

		/**
		 * Start-up waits for them and fails if locks do not work. Findings that only
		 * weaken a guarantee are logged.
		 */
		FAIL,

		/**
		 * Like {@link #FAIL}, and start-up also fails if a finding weakens a guarantee,
		 * if something could not be checked, or if the provider is
		 * {@linkplain Provider#IN_MEMORY in-memory}.
		 */
		STRICT,

		/**
		 * Like {@link #STRICT}, but an outage does not end the start: a store that does
		 * not answer, which is not checked then, or that refuses writes at present, for
		 * lack of memory or replicas.
		 */
		STRICT_IF_REACHABLE,

		/**
		 * No check.
		 */
		OFF

	}

	/**
	 * Default options of locks, unless the annotation or the caller specifies others.
	 *
	 * @param timeout Time after which the store frees a lock that was neither renewed nor
	 * released (its lease).
	 * @param waitTime How long to wait for a lock that is held elsewhere. Zero means one
	 * attempt.
	 * @param autoRenew Whether leases are renewed until the lock is released.
	 * @param minHold Minimum time for which a lock stays taken, even if it is released
	 * earlier.
	 * @param maxHold Maximum time for which a renewed lock is held. Unlimited by default.
	 * @param onLost What happens if a lock is lost before its release.
	 */
	public record Defaults(@DefaultValue("30s") Duration timeout, @DefaultValue("0s") Duration waitTime,
			@DefaultValue("false") boolean autoRenew, @DefaultValue("0s") Duration minHold, @Nullable Duration maxHold,
			@DefaultValue("log") OnLost onLost) {

		GivenOptions given() {
			return new GivenOptions().with(LockAttribute.TIMEOUT, this.timeout)
				.with(LockAttribute.WAIT_TIME, this.waitTime)
				.with(LockAttribute.AUTO_RENEW, this.autoRenew)
				.with(LockAttribute.MIN_HOLD, this.minHold)
				.with(LockAttribute.MAX_HOLD, this.maxHold)
				.with(LockAttribute.ON_LOST, this.onLost);
		}

	}

	/**
	 * Renewal of leases.
	 *
	 * @param interval Time between two renewals, at most half of the lease. A third of
	 * each lease by default.
	 */
	public record Renewal(@Nullable Duration interval) {

		/**
		 * Check the interval.
		 */
		public Renewal {
			if (interval != null) {
				checkPositive("renewal.interval", interval, "The renewal interval", "a third of each lease");
			}
		}

	}

	/**
	 * Hand-offs of a lock between threads of this instance without asking the store.
	 *
	 * @param count Number of consecutive hand-offs of a lock within this instance before
	 * other instances get their turn, at most 100. Zero gives them their turn after each
	 * holder.
	 */
	public record LocalHandoffs(@DefaultValue("32") int count) {

		/**
		 * Check the limit.
		 */
		public LocalHandoffs {
			check(count >= 0 && count <= 100, "local-handoffs.count", count,
					"The number of local hand-offs is %s, but must be from 0 to 100.", "a number from 0 to 100", "32");
		}

	}

	/**
	 * Options of an individual lock, which override defaults and annotations.
	 *
	 * @param timeout Time after which the store frees the lock if it was neither renewed
	 * nor released (its lease).
	 * @param waitTime How long to wait for the lock. Zero means one attempt.
	 * @param autoRenew Whether the lease is renewed until the lock is released.
	 * @param renewInterval Time between two renewals, at most half of the lease.
	 * @param minHold Minimum time for which the lock stays taken, even if it is released
	 * earlier.
	 * @param maxHold Maximum time for which the lock is renewed.
	 * @param onLost What happens if the lock is lost before its release.
	 * @param permits How many may hold the lock at the same time, on all instances
	 * together. Not for locks that are fenced or shared.
	 * @param mode Whether any number of callers may hold the lock at the same time.
	 * @param key The whole Redis key of the lock, for a lock that is shared with another
	 * library. Applies to the lock with exactly this name.
	 */
	public record NamedLock(@Nullable Duration timeout, @Nullable Duration waitTime, @Nullable Boolean autoRenew,
			@Nullable Duration renewInterval, @Nullable Duration minHold, @Nullable Duration maxHold,
			@Nullable OnLost onLost, @Nullable Integer permits, @Nullable LockMode mode, @Nullable String key) {

		GivenOptions given() {
			return new GivenOptions().with(LockAttribute.TIMEOUT, this.timeout)
				.with(LockAttribute.WAIT_TIME, this.waitTime)
				.with(LockAttribute.AUTO_RENEW, this.autoRenew)
				.with(LockAttribute.RENEW_INTERVAL, this.renewInterval)
				.with(LockAttribute.MIN_HOLD, this.minHold)
				.with(LockAttribute.MAX_HOLD, this.maxHold)
				.with(LockAttribute.ON_LOST, this.onLost)
				.with(LockAttribute.PERMITS, this.permits)
				.with(LockAttribute.MODE, this.mode);
		}

	}

	/**
	 * Access to Redis.
	 *
	 * @param commandTimeout Time after which a command without an answer counts as
	 * failed.
	 * @param connectTimeout Time after which an attempt to open a connection for locks
	 * counts as failed.
	 * @param fenceRetention How long the last fencing token of a lock is kept after it
	 * was granted, at least twice its lease in any case.
	 * @param dedicatedConnection Whether locks use dedicated connections and threads, so
	 * that they never queue behind commands of the application. Lettuce only.
	 * @param connectionFactory Name of the connection factory bean, if there are several
	 * and locks must not use the primary one.
	 */
	public record Redis(@DefaultValue("1s") Duration commandTimeout, @DefaultValue("2s") Duration connectTimeout,
			@DefaultValue("10m") Duration fenceRetention, @DefaultValue("true") boolean dedicatedConnection,
			@Nullable String connectionFactory) {

		/**
		 * Check the timeouts.
		 */
		public Redis {
			checkPositive("redis.command-timeout", commandTimeout, "The Redis command timeout", "1s");
			checkPositive("redis.connect-timeout", connectTimeout, "The Redis connect timeout", "2s");
			checkPositive("redis.fence-retention", fenceRetention, "The retention of fencing tokens", "10m");
		}

	}

	/**
	 * Methods annotated with @DistributedLock.
	 *
	 * @param enabled Whether annotated methods are locked. If not, they run without a
	 * lock.
	 * @param order Order of the lock among other advice. Lower than that of transactions,
	 * so that a lock is released after the commit.
	 * @param maxHoldLimit Longest time for which a method may hold its lock: its maximum
	 * hold if the lease is renewed, otherwise the lease. If a method may hold it for
	 * longer, the application does not start. Unlimited by default.
	 */
	public record Annotation(@DefaultValue("true") boolean enabled, @DefaultValue("2147483547") int order,
			@Nullable Duration maxHoldLimit) {

		/**
		 * Check the limit.
		 */
		public Annotation {
			if (maxHoldLimit != null) {
				checkPositive("annotation.max-hold-limit", maxHoldLimit, "The limit of holds", "no limit");
			}
		}

	}

	/**
	 * Meters.
	 *
	 * @param enabled Whether meters are recorded if Micrometer is present.
	 * @param maxNames Maximum number of lock names with their own meters. Further names
	 * are counted together as 'other'.
	 */
	public record Metrics(@DefaultValue("true") boolean enabled, @DefaultValue("100") int maxNames) {

		/**
		 * Check the number of names.
		 */
		public Metrics {
			check(maxNames >= 0, "metrics.max-names", maxNames,
					"The number of metered lock names is %s, but must not be negative.", "zero or more", "100");
		}

	}

	/**
	 * Observations, and the spans created from them.
	 *
	 * @param spans Which acquisitions and holds are observed if Micrometer Observation is
	 * present.
	 * @param includeName Whether spans carry the evaluated name of the lock, its holder
	 * and the fencing token.
	 */
	public record Observations(@DefaultValue("contended") Spans spans, @DefaultValue("false") boolean includeName) {
	}

	/**
	 * Logging.
	 *
	 * @param mdc Whether the logging context (MDC) of threads that work under a lock
	 * carries its name and fencing token.
	 */
	public record Logging(@DefaultValue("false") boolean mdc) {
	}

	/**
	 * Responses to HTTP clients, if Spring MVC or Spring WebFlux is present.
	 *
	 * @param enabled Whether lock exceptions that the application does not handle are
	 * answered with problem details rather than as server errors.
	 * @param includeHolder Whether responses contain the name of the lock and its holder.
	 * Both may reveal something about other users.
	 */
	public record Web(@DefaultValue("true") boolean enabled, @DefaultValue("false") boolean includeHolder) {
	}

	/**
	 * Releases.
	 *
	 * @param await Whether locked methods and LockHandle.close() wait until the store has
	 * confirmed the release. If not, they return once it was sent; another instance may
	 * then still find the lock held for a moment.
	 */
	public record Release(@DefaultValue("true") boolean await) {

	}

	/**
	 * What happens to locks when the application stops.
	 *
	 * @param gracePeriod How long locks that are still held after the web server,
	 * schedulers and listeners have stopped are kept before they are released.
	 */
	public record Shutdown(@DefaultValue("5s") Duration gracePeriod) {

		/**
		 * Check the grace period.
		 */
		public Shutdown {
			check(!gracePeriod.isNegative(), "shutdown.grace-period", gracePeriod,
					"The grace period at shutdown is %s, but must not be negative.", "zero or more", "5s");
		}

	}

}
