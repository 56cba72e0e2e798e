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

package io.distributedlock.annotation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.LockedBean.Body;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what is special about methods whose work goes on after they returned, on a
 * real Redis: subscriptions, the Reactor context, and cancellations at any instant. What
 * all return types have in common is tested by {@link LockOutcomesTests}.
 */
@ExtendWith(RedisExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LockReturnTypesTests {

	private final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private RedisServer server;

	private RedisInstances instances;

	private DefaultLockService here;

	private LockFixture fixture;

	private Work work;

	@BeforeAll
	void startInstances(RedisServer server) {
		this.server = server;
		this.instances = new RedisInstances(server);
		this.here = this.instances.start("here", this.events::add);
		this.fixture = new LockFixture(this.here);
		this.work = this.fixture.start(Work.class);
	}

	@BeforeEach
	void forget() {
		this.server.flushAll();
		this.events.clear();
	}

	@AfterEach
	void awaitThatNothingIsLeft() {
		await().untilAsserted(this::assertNothingIsLeft);
	}

	@AfterAll
	void stop() throws Exception {
		this.fixture.close();
		this.instances.close();
	}

	@Test
	void eachSubscriptionTakesTheLockAnewAndAssemblyTakesNone() throws Exception {
		Body body = new Body();
		Mono<String> mono = this.work.mono(body);
		assertThat(body.starts()).isZero();
		assertThat(isLocked()).isFalse();
		body.result.complete("done");
		assertThat(mono.toFuture().get(10, TimeUnit.SECONDS)).isEqualTo("done");
		assertThat(mono.toFuture().get(10, TimeUnit.SECONDS)).isEqualTo("done");
		assertThat(body.starts()).isEqualTo(2);
		assertThat(this.events).filteredOn(LockEvent.Acquired.class::isInstance).hasSize(2);
	}

	@Test
	void reactiveCallWithinTakesPartInTheLockOfTheContext() throws Exception {
		Body body = new Body();
		body.result.complete("inner");
		Work proxy = this.work;
		assertThat(this.work.around(Mono.defer(() -> proxy.mono(body))).toFuture().get(10, TimeUnit.SECONDS))
			.isEqualTo("inner");
		assertThat(this.events).filteredOn(LockEvent.Acquired.class::isInstance).hasSize(1);
		assertNothingIsLeft();
	}

	@Test
	void reactiveCallsBesideEachOtherDoNotShareTheLock() {
		Body body = new Body();
		CompletableFuture<String> first = this.work.mono(body).toFuture();
		await().until(() -> body.starts() > 0);
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> this.work.mono(body).toFuture().get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockNotAcquiredException.class);
		first.cancel(true);
	}

	@Test
	void handleIsInTheReactorContext() throws Exception {
		assertThat(this.work.token(null).toFuture().get(10, TimeUnit.SECONDS)).isPositive();
	}

	@Test
	void nullInPlaceOfAFutureIsAFailure() {
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> this.work.nothing().get(10, TimeUnit.SECONDS))
			.withMessageContaining("returned null");
		assertNothingIsLeft();
	}

	@Test
	void manyCancellationsAtAnyInstantLeaveNothing() {
		for (int round = 0; round < 100; round++) {
			for (Kind kind : Kind.values()) {
				Body body = new Body();
				CompletableFuture<?> result = kind.call.apply(this.work, body);
				long end = System.nanoTime() + round * 5_000L;
				while (System.nanoTime() < end) {
					Thread.onSpinWait();
				}
				result.cancel(true);
				assertThat(result.isCancelled()).isTrue();
				// The work of a future is not stopped by it
				body.result.complete("done");
				await().pollInterval(Duration.ofMillis(1)).until(() -> this.here.held().isEmpty() && !isLocked());
			}
		}
		assertNothingIsLeft();
	}

	private boolean isLocked() {
		return this.server.cli("EXISTS", "lock:matrix").equals(1L);
	}

	private void assertNothingIsLeft() {
		assertThat(isLocked()).isFalse();
		assertThat(this.server.cli("EXISTS", "{lock:matrix}:queue", "{lock:matrix}:waiting")).isEqualTo(0L);
		assertThat(this.here.held()).isEmpty();
		assertThat(this.here.waiting()).isEmpty();
	}

	enum Kind {

		COMPLETABLE_FUTURE(Work::future),

		COMPLETION_STAGE((work, body) -> work.stage(body).toCompletableFuture()),

		MONO((work, body) -> work.mono(body).toFuture()),

		FLUX((work, body) -> work.flux(body).singleOrEmpty().toFuture());

		final BiFunction<Work, Body, CompletableFuture<?>> call;

		Kind(BiFunction<Work, Body, CompletableFuture<?>> call) {
			this.call = call;
		}

	}

	static class Work {

		@DistributedLock("matrix")
		CompletableFuture<String> future(Body body) {
			return body.start();
		}

		@DistributedLock("matrix")
		CompletionStage<String> stage(Body body) {
			return body.start();
		}

		@DistributedLock("matrix")
		@Nullable Future<String> nothing() {
			return null;
		}

		@DistributedLock("matrix")
		Mono<String> mono(Body body) {
			return Mono.fromFuture(body.start());
		}

		@DistributedLock("matrix")
		Mono<String> around(Mono<String> inner) {
			return inner;
		}

		@DistributedLock("matrix")
		Mono<Long> token(@Nullable LockHandle handle) {
			return Mono.deferContextual((context) -> {
				assertThat(context.<LockHandle>get(LockHandle.class)).isSameAs(handle);
				return Mono.just(handle.fencingToken());
			});
		}

		@DistributedLock("matrix")
		Flux<String> flux(Body body) {
			return Flux.from(Mono.fromFuture(body.start()));
		}

	}

}
