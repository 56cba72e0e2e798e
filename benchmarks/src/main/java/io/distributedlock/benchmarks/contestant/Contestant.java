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

import java.io.File;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The locks that are compared.
 */
public enum Contestant {

	/**
	 * The yardstick: {@code SET NX PX}, repeated every 10 ms, and a compare-and-delete
	 * script.
	 */
	BARE_LOOP("bare Lettuce loop", Poll.INTERVAL, BareLoopClient::new),

	REDISSON("Redisson", Duration.ZERO, RedissonClientAdapter::plain),

	REDISSON_FAIR("Redisson, fair lock", Duration.ZERO, RedissonClientAdapter::fair),

	SPRING_INTEGRATION_SPIN("Spring Integration, spin", Duration.ofMillis(100), SpringIntegrationClient::spinning),

	SPRING_INTEGRATION_PUB_SUB("Spring Integration, pub/sub", Duration.ZERO, SpringIntegrationClient::subscribed),

	/**
	 * ShedLock's Redis provider. It does not wait, so it is asked every 10 ms.
	 */
	SHEDLOCK("ShedLock", Poll.INTERVAL, ShedLockClient::new),

	LOCK4J("Lock4j", Duration.ofMillis(100), Lock4jClient::new),

	DISTRIBUTED_LOCK("**this project**", Duration.ZERO, DistributedLockClient::new),

	ANNOTATED_MONO("**this project, annotated `Mono`**", Duration.ZERO, AnnotatedMonoClient::new),

	/**
	 * This project's lock, where a release does not wait for its answer.
	 */
	RELEASE_AHEAD("this project, `distributed-lock.release.await=false`", Duration.ZERO,
			DistributedLockClient::releasingAhead),

	/**
	 * Another build of this project, to compare: the class path in the system property
	 * {@code benchmark.baseline} replaces the same modules of the run.
	 */
	BASELINE("this project, other build", Duration.ZERO, DistributedLockClient::new),

	/**
	 * This project's two scripts without its engine, for the uncontended pair.
	 */
	STORE_SCRIPTS("this project's two scripts, bare template", Duration.ZERO, StoreScriptsClient::new),

	STORE("this project's store, no engine", Duration.ZERO, StoreClient::new),

	/**
	 * This project's protocol with next to nothing around it.
	 */
	PROTOTYPE("this project's scripts and messages, bare prototype", Duration.ZERO, PrototypeClient::new),

	/**
	 * The yardstick of locks with several holders: a script that counts them, repeated
	 * every 10 ms.
	 */
	BARE_COMPANY("bare Lettuce loop", Poll.INTERVAL, BareCompanyClient::new),

	/**
	 * Redisson's semaphore with leases, and its lock for readers and writers.
	 */
	REDISSON_COMPANY("Redisson, `RPermitExpirableSemaphore` and `RReadWriteLock`", Duration.ZERO,
			RedissonCompanyClient::new),

	/**
	 * Not a lock to compare but the floor of a hand-off: a baton in a list, taken by
	 * {@code BLPOP} and given back by {@code RPUSH}.
	 */
	BLOCKING_POP("blocking pop (floor)", Duration.ZERO, BlockingPopClient::new);

	private final String label;

	private final Duration pollInterval;

	private final BiFunction<URI, String, LockClient> opener;

	Contestant(String label, Duration pollInterval, BiFunction<URI, String, LockClient> opener) {
		this.label = label;
		this.pollInterval = pollInterval;
		this.opener = opener;
	}

	/**
	 * The locks that can be contended for.
	 */
	public static List<Contestant> locks() {
		EnumSet<Contestant> locks = EnumSet.range(BARE_LOOP, ANNOTATED_MONO);
		locks.add(BASELINE);
		return List.copyOf(locks);
	}

	/**
	 * The locks that a thread waits for.
	 */
	public static List<Contestant> blocking() {
		return List.copyOf(EnumSet.range(BARE_LOOP, DISTRIBUTED_LOCK));
	}

	/**
	 * What is handed over between two JVMs.
	 */
	public static List<Contestant> handedOver() {
		return List
			.copyOf(EnumSet.complementOf(EnumSet.of(STORE_SCRIPTS, RELEASE_AHEAD, BARE_COMPANY, REDISSON_COMPANY)));
	}

	/**
	 * The locks that several may hold at the same time.
	 */
	public static List<Contestant> inCompany() {
		return List.of(BARE_COMPANY, REDISSON_COMPANY, DISTRIBUTED_LOCK);
	}

	/**
	 * What one thread takes and gives back.
	 */
	public static List<Contestant> uncontended() {
		return List.copyOf(EnumSet.range(BARE_LOOP, STORE_SCRIPTS));
	}

	/**
	 * Those with the given names.
	 * @param names names of constants, separated by commas, in lower case or not, with
	 * hyphens or underscores; {@code floor}, {@code bare} and {@code ours} for short; or
	 * {@code all}, which leaves out the other build
	 */
	public static Set<Contestant> named(String names) {
		if (names.equals("all")) {
			return EnumSet.complementOf(EnumSet.of(BASELINE));
		}
		return Stream.of(names.split(","))
			.map(Contestant::one)
			.collect(Collectors.toCollection(() -> EnumSet.noneOf(Contestant.class)));
	}

	private static Contestant one(String name) {
		return switch (name) {
			case "floor" -> BLOCKING_POP;
			case "bare" -> BARE_LOOP;
			case "ours" -> DISTRIBUTED_LOCK;
			default -> Stream.of(values())
				.filter((contestant) -> contestant.name().equalsIgnoreCase(name.replace('-', '_')))
				.findFirst()
				.orElseThrow(() -> new IllegalArgumentException("There is no contestant '" + name
						+ "'. The contestants are floor, bare, ours, " + Arrays.toString(values())));
		};
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
		Set<Path> replaced = elements(baseline).map(Contestant::inModule).collect(Collectors.toSet());
		return Stream
			.concat(elements(baseline), elements(run).filter((element) -> !replaced.contains(inModule(element))))
			.map(Path::toString)
			.collect(Collectors.joining(File.pathSeparator));
	}

	private static Stream<Path> elements(String classPath) {
		return Stream.of(classPath.split(File.pathSeparator)).map(Path::of);
	}

	/** {@code module/target/classes}. */
	private static Path inModule(Path element) {
		int names = element.getNameCount();
		return element.subpath(Math.max(0, names - 3), names);
	}

	public String label() {
		return this.label;
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
