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

package io.distributedlock.benchmarks.jmh;

import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import reactor.core.publisher.Mono;

import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.contestant.LockClient;
import io.distributedlock.benchmarks.contestant.ReactiveLockClient;

/**
 * An acquisition and its release by one thread, while nobody else wants the lock.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class UncontendedPair {

	/**
	 * The system property with the address of Redis.
	 */
	public static final String REDIS = "benchmark.redis";

	private static final Duration LEASE = Duration.ofSeconds(30);

	/**
	 * Whose lock.
	 */
	@Param("BARE_LOOP")
	public Contestant contestant = Contestant.BARE_LOOP;

	// Set before the first call
	@SuppressWarnings("NullAway.Init")
	private LockClient client;

	/**
	 * Opens the client.
	 */
	@Setup
	public void open() {
		this.client = this.contestant.open(URI.create(System.getProperty(REDIS)), "jmh");
	}

	/**
	 * The measured pair.
	 * @throws Exception if the lock could not be acquired
	 */
	@Benchmark
	public void acquireAndRelease() throws Exception {
		if (this.client instanceof ReactiveLockClient reactive) {
			reactive.locked("uncontended", Mono::empty).block();
		}
		else {
			this.client.acquire("uncontended", LEASE, Duration.ZERO).close();
		}
	}

	/**
	 * Closes the client.
	 */
	@TearDown
	public void close() {
		this.client.close();
	}

}
