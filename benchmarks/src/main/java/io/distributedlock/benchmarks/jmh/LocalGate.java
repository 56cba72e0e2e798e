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

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockOptions;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/**
 * The engine alone: one name, and a store that grants everything.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LocalGate {

	private static final LockOptions OPTIONS = LockOptions.ofLease(Duration.ofSeconds(30))
		.withWaitTime(Duration.ofSeconds(30));

	// Set before the first call
	@SuppressWarnings("NullAway.Init")
	private DefaultLockService locks;

	/**
	 * Starts the engine.
	 */
	@Setup
	public void start() {
		this.locks = new DefaultLockService(new GrantingStore(), EngineSettings.of("jmh"), List.of());
	}

	/**
	 * The measured pair.
	 */
	@Benchmark
	public void acquireAndRelease() {
		this.locks.acquire("gate", OPTIONS).close();
	}

	/**
	 * The same where four threads contend at the local gate.
	 */
	@Benchmark
	@Threads(4)
	public void acquireAndReleaseContended() {
		acquireAndRelease();
	}

	/**
	 * Stops the engine.
	 */
	@TearDown
	public void stop() {
		this.locks.close();
	}

}
