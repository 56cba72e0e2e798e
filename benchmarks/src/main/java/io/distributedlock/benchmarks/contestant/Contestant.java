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

package io.distributedlock.benchmarks.contestant;

import java.net.URI;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiFunction;

import io.distributedlock.testsupport.ClassPath;

/**
 * The locks that are compared. Ratios are those to the first of them that takes part.
 */
public enum Contestant {

	/**
	 * Another build of this project: the class path in the system property
	 * {@code benchmark.baseline} replaces the modules of the run.
	 */
	BASELINE("this project, other build", Duration.ZERO, DistributedLockClient::new),

	/**
	 * Not a lock but the least that a hand-off can be: a baton in a list, taken by
	 * {@code BLPOP} and given back by {@code RPUSH}.
	 */
	FLOOR("blocking pop (floor)", Duration.ZERO, BlockingPopClient::new),

	/**
	 * Not a lock but a part of a hand-off: {@code PUBLISH}, and the thread that it wakes.
	 */
	MESSAGE("message", Duration.ZERO, MessageClient::plain),

	/**
	 * The same, published by a script.
	 */
	SCRIPT("message of a script", Duration.ZERO, MessageClient::scripted),

	/**
	 * {@code SET NX PX}, repeated every 10 ms, and a compare-and-delete script.
	 */
	BARE("bare Lettuce loop", Poll.INTERVAL, BareLoopClient::new),

	REDISSON("Redisson", Duration.ZERO, RedissonLockClient::plain),

	REDISSON_FAIR("Redisson, fair lock", Duration.ZERO, RedissonLockClient::fair),

	SPRING_INTEGRATION_SPIN("Spring Integration, spin", Duration.ofMillis(100), SpringIntegrationClient::spinning),

	SPRING_INTEGRATION_PUB_SUB("Spring Integration, pub/sub", Duration.ZERO, SpringIntegrationClient::subscribed),

	/**
	 * ShedLock's Redis provider. It does not wait, so it is asked every 10 ms.
	 */
	SHEDLOCK("ShedLock", Poll.INTERVAL, ShedLockClient::new),

	LOCK4J("Lock4j", Duration.ofMillis(100), Lock4jClient::new),

	OURS("**this project**", Duration.ZERO, DistributedLockClient::new),

	RELEASE_AHEAD("this project, `distributed-lock.release.await=false`", Duration.ZERO,
			DistributedLockClient::releasingAhead);

	/** Those that exclude each other. */
	public static final Set<Contestant> LOCKS = Set.copyOf(EnumSet.complementOf(EnumSet.of(FLOOR, MESSAGE, SCRIPT)));

	/** Those that take part unless they are named. */
	public static final Set<Contestant> USUAL = Set.copyOf(EnumSet.complementOf(EnumSet.of(BASELINE, MESSAGE, SCRIPT)));

	/** Those that several may hold at the same time. */
	public static final Set<Contestant> WITH_COMPANY = Set.of(BASELINE, BARE, REDISSON, OURS);

	private final String label;

	private final Duration pollInterval;

	private final BiFunction<URI, String, LockClient> opener;

	Contestant(String label, Duration pollInterval, BiFunction<URI, String, LockClient> opener) {
		this.label = label;
		this.pollInterval = pollInterval;
		this.opener = opener;
	}

	/**
	 * The class path of the JVMs of this contestant: that of the run, or with the modules
	 * of another build instead of those of the run.
	 * @throws IllegalStateException if there is no other build
	 */
	public String classPath() {
		String run = System.getProperty("java.class.path");
		if (this != BASELINE) {
			return run;
		}
		String baseline = System.getProperty("benchmark.baseline");
		if (baseline == null) {
			throw new IllegalStateException(
					"There is no other build to compare with: name its classes with -Dbenchmark.baseline=/path");
		}
		return ClassPath.withBuild(baseline);
	}

	public String label() {
		return this.label;
	}

	/**
	 * The name of its JVMs and their log.
	 */
	public String fileName() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * How often a waiter asks Redis again.
	 * @return the interval, zero if waiters are woken by a message
	 */
	public Duration pollInterval() {
		return this.pollInterval;
	}

	/**
	 * Opens a client with connections of its own.
	 */
	public LockClient open(URI redis, String instance) {
		return this.opener.apply(redis, instance);
	}

}
