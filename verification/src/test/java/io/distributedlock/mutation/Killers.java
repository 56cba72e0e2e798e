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

package io.distributedlock.mutation;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.distributedlock.store.trace.ScriptTraces;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * What a mutant of a script has to pass to survive, first what finds most in the shortest
 * time: traces, as on the present server and as on an old one, the tests of the store,
 * and the comparison with the store in memory. All stops at the first failure.
 */
final class Killers implements AutoCloseable {

	private static final int TRACES = 250;

	private static final int TRACES_ON_AN_OLD_SERVER = 100;

	private static final Duration LIMIT = Duration.ofSeconds(90);

	/** The contract on three kinds of connections: each runs a third of it. */
	private static final List<String> CONTRACTS = redis("RedisLockStoreTests",
			"RedisLockStoreOnApplicationConnectionTests", "RedisLockStoreOnJedisTests");

	private static final List<String> OTHERS = redis("ForeignKeysTests", "RedisLockStoreDataTests",
			"RedisPermissionsTests", "RefusedPublishOnLettuceTests", "ReplicaTests");

	/** They start a dozen servers, and matter only to the check at start. */
	private static final List<String> OF_THE_CHECK = redis("MissingCommandsTests");

	/**
	 * What the traces do not show: a waiter that is dead, though its place has not ended,
	 * and the check at start.
	 */
	private static final List<String> ON_AN_OLD_SERVER = redis(
			"RedisLockStoreTests#waitingWriterOfAnInstanceWithoutAListenerDelaysNoReader",
			"RedisLockStoreDataTests#settingThatEvictsKeysIsTheOnlyFinding");

	private static final List<String> COMPARISON = List.of("io.distributedlock.engine.simulation.StoresAgreeTests");

	/**
	 * They compare times, or look at all that is logged: the classes beside them disturb
	 * that.
	 */
	private static final Set<String> ALONE = Set.of("tenThousandHoldersHardlySlowTheNextRequest",
			"theServerIsWarnedOfOnce");

	private final SentScripts scripts;

	private ScriptTraces traces = new ScriptTraces();

	Killers(SentScripts scripts) {
		this.scripts = scripts;
	}

	private static List<String> redis(String... names) {
		return Stream.of(names).map("io.distributedlock.redis."::concat).toList();
	}

	/**
	 * Return what fails first, or {@code null}.
	 * @param script the name of the file that was changed, if any
	 */
	@Nullable String firstFailure(String script) throws Exception {
		String failure = trace(TRACES, UnaryOperator.identity());
		if (failure == null) {
			failure = trace(TRACES_ON_AN_OLD_SERVER, SentScripts::onAnOldServer);
		}
		if (failure == null) {
			failure = this.scripts.with(SentScripts::onAnOldServer,
					() -> run(ON_AN_OLD_SERVER.stream().map(DiscoverySelectors::selectMethod).toList()));
		}
		if (failure == null) {
			failure = run(classes(Stream.concat(CONTRACTS.stream(), OTHERS.stream()).toList()));
		}
		if (failure == null && script.equals("inspect.lua")) {
			failure = run(classes(OF_THE_CHECK));
		}
		return (failure != null) ? failure : run(classes(COMPARISON));
	}

	private @Nullable String trace(int traces, UnaryOperator<String> change) throws Exception {
		return this.scripts.with((text) -> change.apply(ScriptTraces.withStandingClock(text)),
				() -> within(LIMIT, () -> this.traces.check(traces), () -> this.traces = new ScriptTraces()));
	}

	/**
	 * A busy machine fails a test now and then: what fails once must fail again, alone.
	 */
	private static @Nullable String run(List<? extends DiscoverySelector> tests) {
		String failure = null;
		for (int i = 0; i < 3; i++) {
			CancellationToken cancellation = CancellationToken.create();
			AtomicReference<@Nullable String> failed = new AtomicReference<>();
			failure = within(LIMIT, () -> execute(tests, cancellation, failed), cancellation::cancel);
			String test = failed.get();
			if (failure == null || test == null) {
				return failure;
			}
			failure = within(LIMIT, () -> execute(List.of(DiscoverySelectors.selectUniqueId(test)),
					CancellationToken.create(), new AtomicReference<>()), () -> {
					});
			if (failure != null) {
				return failure;
			}
		}
		return failure;
	}

	private static List<? extends DiscoverySelector> classes(List<String> names) {
		return names.stream().map(DiscoverySelectors::selectClass).toList();
	}

	/**
	 * A mutant may wait for ever. Its thread is left to the time limits of the test, and
	 * its server is its own.
	 */
	private static @Nullable String within(Duration limit, Callable<@Nullable String> check, Runnable giveUp) {
		FutureTask<@Nullable String> execution = new FutureTask<>(check);
		Thread thread = new Thread(execution, "killers");
		thread.setDaemon(true);
		thread.start();
		try {
			return execution.get(limit.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			giveUp.run();
			thread.interrupt();
			return "no end within " + limit;
		}
		catch (ExecutionException ex) {
			giveUp.run();
			return String.valueOf(ex.getCause());
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static @Nullable String execute(List<? extends DiscoverySelector> tests, CancellationToken cancellation,
			AtomicReference<@Nullable String> failed) {
		LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
			.selectors(tests)
			.filters((PostDiscoveryFilter) (test) -> FilterResult.includedIf(isChosen(test)))
			.configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
			.configurationParameter("junit.jupiter.execution.parallel.mode.default", "same_thread")
			.configurationParameter("junit.jupiter.execution.parallel.mode.classes.default", "concurrent")
			.configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
			.configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism",
					String.valueOf(tests.size()))
			.build();
		AtomicReference<@Nullable String> failure = new AtomicReference<>();
		LauncherFactory.create()
			.execute(LauncherExecutionRequestBuilder.request(request)
				.cancellationToken(cancellation)
				.listeners(new TestExecutionListener() {

					@Override
					public void executionFinished(TestIdentifier test, TestExecutionResult result) {
						if (result.getStatus() == TestExecutionResult.Status.FAILED) {
							failed.compareAndSet(null, test.getUniqueId());
							failure.compareAndSet(null, test.getUniqueId().replaceFirst(".*\\[class:", "[") + ": "
									+ result.getThrowable().map(Throwable::toString).orElse(""));
							cancellation.cancel();
						}
					}

				})
				.build());
		return failure.get();
	}

	private static boolean isChosen(TestDescriptor test) {
		if (!(test.getSource().orElse(null) instanceof MethodSource method)) {
			return true;
		}
		int contract = CONTRACTS.indexOf(method.getClassName());
		return !ALONE.contains(method.getMethodName())
				&& (contract < 0 || Math.floorMod(method.getMethodName().hashCode(), CONTRACTS.size()) == contract);
	}

	@Override
	public void close() {
		this.traces.close();
	}

}
