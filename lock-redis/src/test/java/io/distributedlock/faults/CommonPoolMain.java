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

package io.distributedlock.faults;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.testsupport.FaultProxy;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * The other JVM of {@link CommonPoolTests}. Says what works, and ends with the first
 * thing that does not.
 */
final class CommonPoolMain {

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofSeconds(20));

	private static final long LIMIT_SECONDS = 15;

	private final RedisStandaloneConfiguration address;

	private final CountDownLatch unblock = new CountDownLatch(1);

	private CommonPoolMain(RedisStandaloneConfiguration address) {
		this.address = address;
	}

	public static void main(String[] arguments) {
		RedisStandaloneConfiguration address = new RedisStandaloneConfiguration(arguments[0],
				Integer.parseInt(arguments[1]));
		address.setPassword(arguments[2]);
		int code = 0;
		try {
			new CommonPoolMain(address).run();
		}
		catch (Exception ex) {
			System.out.println("> " + ex);
			code = 1;
		}
		Runtime.getRuntime().halt(code);
	}

	private void run() throws Exception {
		withInstance("acquired in the common pool", (instance) -> inEveryThread((i) -> () -> works(instance, "a" + i)));
		withInstance("acquired for a future",
				(instance) -> inEveryThread((i) -> () -> Stream.of(LockKind.values()).allMatch((kind) -> {
					try (LockHandle handle = instance.locks.acquireAsync(kind.named("b" + i), kind.of(PATIENT))
						.join()) {
						return handle.isHeld();
					}
				})));
		withInstance("acquired in a parallel stream",
				(instance) -> IntStream.range(0, 16).parallel().allMatch((i) -> works(instance, "c")));
		block();
		withInstance("connected while the pool is blocked", (instance) -> works(instance, "d"));
		LockKind.forEach((kind) -> System.out.println("> asked " + kind));
		withInstance("timed out while the pool is blocked", (instance) -> timesOut());
	}

	/** The first thing that the instance does; its connection is not open yet. */
	private void withInstance(String what, Check check) throws Exception {
		Instance instance = new Instance(EngineSettings.of("here"), this.address);
		if (!check.passes(instance)) {
			throw new IllegalStateException("not " + what);
		}
		System.out.println("> " + what);
	}

	private static boolean works(Instance instance, String name) {
		return Stream.of(LockKind.values())
			.allMatch((kind) -> instance.locks.execute(kind.named(name), kind.of(PATIENT), LockHandle::isHeld));
	}

	private static boolean inEveryThread(Work work) throws Exception {
		List<CompletableFuture<Boolean>> all = IntStream.range(0, ForkJoinPool.getCommonPoolParallelism())
			.mapToObj((i) -> CompletableFuture.supplyAsync(() -> call(work.inThread(i)), ForkJoinPool.commonPool()))
			.toList();
		boolean passed = true;
		for (CompletableFuture<Boolean> each : all) {
			passed &= each.get(LIMIT_SECONDS, TimeUnit.SECONDS);
		}
		return passed;
	}

	/** As anybody may. */
	private void block() throws InterruptedException {
		CountDownLatch blocked = new CountDownLatch(ForkJoinPool.getCommonPoolParallelism() + 1);
		for (int i = 0; i < ForkJoinPool.getCommonPoolParallelism(); i++) {
			ForkJoinPool.commonPool().execute(() -> block(blocked));
		}
		CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS, Runnable::run).execute(() -> block(blocked));
		// A pool that does the delays itself has no thread left for ours
		blocked.await(1, TimeUnit.SECONDS);
	}

	private void block(CountDownLatch blocked) {
		blocked.countDown();
		try {
			this.unblock.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private boolean timesOut() throws Exception {
		try (FaultProxy proxy = FaultProxy.to(this.address.getHostName(), this.address.getPort())) {
			RedisStandaloneConfiguration behindProxy = new RedisStandaloneConfiguration(proxy.host(), proxy.port());
			behindProxy.setPassword(this.address.getPassword());
			Instance instance = new Instance(EngineSettings.of("here"), behindProxy);
			instance.store.find("e").get(LIMIT_SECONDS, TimeUnit.SECONDS);
			proxy.stall();
			instance.store.find("e").get(LIMIT_SECONDS, TimeUnit.SECONDS);
			return false;
		}
		catch (ExecutionException ex) {
			return ex.getCause() instanceof LockUnavailableException;
		}
	}

	private static <T> T call(Callable<T> callable) {
		try {
			return callable.call();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private interface Check {

		boolean passes(Instance instance) throws Exception;

	}

	private interface Work {

		Callable<Boolean> inThread(int number);

	}

}
