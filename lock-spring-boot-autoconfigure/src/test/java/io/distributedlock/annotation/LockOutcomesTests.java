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

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.annotation.LockedBean.Body;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.faults.RedisInstances;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.TaskExecutor;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Every kind of return type with everything that may become of a call, on a real Redis:
 * nothing is left of the lock but its fencing counter, and the next one gets it at once.
 * And what only subscriptions and futures can do.
 */
@ExtendWith(RedisExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LockOutcomesTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	/** The lease of the methods that lose it. */
	private static final Duration SHORT = Duration.ofSeconds(60);

	private final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private final Map<Class<?>, LockFixture> fixtures = new HashMap<>();

	private RedisServer server;

	private RedisInstances instances;

	private DefaultLockService here;

	private DefaultLockService there;

	private @Nullable LockHandle holder;

	@BeforeAll
	void startInstances(RedisServer server) {
		this.server = server;
		this.instances = new RedisInstances(server);
		this.here = this.instances.start("here", this.events::add);
		this.there = this.instances.start("there");
	}

	@BeforeEach
	void forget() {
		this.server.flushAll();
		this.events.clear();
	}

	@AfterEach
	void nothingIsLeftAndTheNextOneGetsTheLockAtOnce() {
		if (this.holder != null) {
			this.holder.close();
			this.holder = null;
		}
		soon().untilAsserted(this::assertNothingIsLeft);
		assertThat(this.there.tryAcquire("matrix", LONG)).hasValueSatisfying(LockHandle::close);
		assertNothingIsLeft();
	}

	@AfterAll
	void stop() throws Exception {
		this.fixtures.values().forEach(LockFixture::close);
		this.instances.close();
	}

	@ParameterizedTest
	@EnumSource
	void lockIsHeldUntilTheWorkIsDoneAndFreeWhenTheCallerIsTold(Kind kind) throws Exception {
		Body body = new Body();
		CompletableFuture<?> result = call(kind, "plain", body);
		awaitStart(body, result);
		assertThat(isLocked()).isTrue();
		assertThat(result).isNotDone();
		body.result.complete("done");
		assertThat(result.get(20, TimeUnit.SECONDS)).isEqualTo(kind.result("done"));
		assertNothingIsLeft();
	}

	@ParameterizedTest
	@EnumSource
	void minimumHoldIsKeptAfterSuccess(Kind kind) throws Exception {
		Body body = new Body();
		body.result.complete("done");
		assertThat(call(kind, "keeping", body).get(20, TimeUnit.SECONDS)).isEqualTo(kind.result("done"));
		assertThat(isLocked()).isTrue();
		assertThat(this.here.held()).isEmpty();
		this.server.flushAll();
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("A failure of the work reaches the caller unchanged and ends the minimum hold")
	void failureReachesTheCallerAndEndsTheMinimumHold(Kind kind) {
		Body body = new Body();
		IOException failure = new IOException("test");
		CompletableFuture<?> result = call(kind, "keeping", body);
		awaitStart(body, result);
		assertThat(isLocked()).isTrue();
		body.result.completeExceptionally(failure);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> result.get(20, TimeUnit.SECONDS))
			.havingCause()
			.isSameAs(failure);
		assertNothingIsLeft();
	}

	@ParameterizedTest
	@EnumSource
	void exceptionAndErrorOfTheMethodItselfReachTheCallerUnchanged(Kind kind) {
		for (Throwable failure : List.of(new IllegalStateException("test"), new AssertionError("test"))) {
			Body body = new Body();
			body.failure = failure;
			CompletableFuture<?> result = call(kind, "keeping", body);
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> result.get(20, TimeUnit.SECONDS))
				.havingCause()
				.isSameAs(failure);
			assertNothingIsLeft();
		}
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = { "FUTURE", "COMPLETION_STAGE", "COMPLETABLE_FUTURE", "ASYNC_METHOD" })
	void cancelledWorkGivesTheLockBackWithoutMinimumHold(Kind kind) {
		Body body = new Body();
		CompletableFuture<?> result = call(kind, "keeping", body);
		awaitStart(body, result);
		assertThat(isLocked()).isTrue();
		result.cancel(true);
		soon().untilAsserted(this::assertNothingIsLeft);
		soon().until(body.result::isCancelled);
		assertThat(result).isCancelled();
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE,
			names = { "VOID", "VALUE", "OPTIONAL", "FUTURE", "COMPLETION_STAGE", "COMPLETABLE_FUTURE", "ASYNC_METHOD" })
	void timedOutSubscriptionGivesTheLockBack(Kind kind) {
		Body body = new Body();
		CompletableFuture<Void> timeout = new CompletableFuture<>();
		CompletableFuture<?> result = call(kind, "plain", body, timeout);
		awaitStart(body, result);
		timeout.complete(null);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> result.get(20, TimeUnit.SECONDS))
			.withCauseInstanceOf(TimeoutException.class);
		soon().untilAsserted(this::assertNothingIsLeft);
		soon().until(body.result::isCancelled);
	}

	/**
	 * To cancel a future, or to limit its time, completes it and does not stop the work.
	 */
	@ParameterizedTest
	@EnumSource(names = { "FUTURE", "COMPLETION_STAGE", "COMPLETABLE_FUTURE", "ASYNC_METHOD" })
	void workGoesOnUnderItsLockWhenItsFutureIsCancelledOrTimedOut(Kind kind) {
		for (CompletableFuture<Void> timeout : Arrays.asList(null, new CompletableFuture<Void>())) {
			Body body = new Body();
			CompletableFuture<?> result = call(kind, "plain", body, timeout);
			awaitStart(body, result);
			if (timeout != null) {
				timeout.complete(null);
			}
			else {
				result.cancel(true);
			}
			soon().until(result::isDone);
			assertThat(isLocked()).isTrue();
			assertThat(body.result).isNotDone();
			body.result.complete("done");
			soon().untilAsserted(this::assertNothingIsLeft);
		}
	}

	@ParameterizedTest
	@EnumSource
	void busyLockIsAFailureAndTheMethodDoesNotRun(Kind kind) {
		Body body = new Body();
		try (LockHandle elsewhere = this.there.acquire("matrix", LONG)) {
			CompletableFuture<?> result = call(kind, "plain", body);
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> result.get(20, TimeUnit.SECONDS))
				.withCauseInstanceOf(LockNotAcquiredException.class);
			assertThat(elsewhere.isHeld()).isTrue();
		}
		assertThat(body.starts()).isZero();
		assertNothingIsLeft();
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "SINGLE")
	void skippedCallIsEmpty(Kind kind) throws Exception {
		Body body = new Body();
		try (LockHandle elsewhere = this.there.acquire("matrix", LONG)) {
			assertThat(call(kind, "skipping", body).get(20, TimeUnit.SECONDS)).isNull();
			assertThat(elsewhere.isHeld()).isTrue();
		}
		assertThat(body.starts()).isZero();
		assertNothingIsLeft();
		body.result.complete("done");
		assertThat(call(kind, "skipping", body).get(20, TimeUnit.SECONDS)).isEqualTo(kind.result("done"));
	}

	@Test
	void typeThatCannotBeEmptyIsNotSkipped() {
		try (LockFixture fixture = new LockFixture()) {
			assertThatExceptionOfType(BeanCreationException.class)
				.isThrownBy(() -> fixture.start(LockedBean.OfSkippedSingle.class))
				.withRootCauseInstanceOf(InvalidLockDefinitionException.class)
				.havingRootCause()
				.withMessageContaining("which cannot be empty");
		}
	}

	@ParameterizedTest
	@EnumSource
	void fallbackAnswersForABusyLock(Kind kind) throws Exception {
		Body body = new Body();
		try (LockHandle elsewhere = this.there.acquire("matrix", LONG)) {
			assertThat(call(kind, "fallingBack", body).get(20, TimeUnit.SECONDS))
				.isEqualTo(kind.result("fallback of matrix"));
			assertThat(elsewhere.isHeld()).isTrue();
		}
		assertThat(body.starts()).isZero();
		assertNothingIsLeft();
	}

	@ParameterizedTest
	@EnumSource
	void waitingCallRunsWhenTheLockIsFree(Kind kind) throws Exception {
		Body body = new Body();
		this.holder = this.there.acquire("matrix", LONG);
		CompletableFuture<?> result = call(kind, "waiting", body);
		soon().until(() -> !this.here.waiting().isEmpty());
		assertThat(result).isNotDone();
		this.holder.close();
		awaitStart(body, result);
		body.result.complete("done");
		assertThat(result.get(20, TimeUnit.SECONDS)).isEqualTo(kind.result("done"));
		assertNothingIsLeft();
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "ASYNC_METHOD")
	void cancelledWaitLeavesNothingBehind(Kind kind) {
		Body body = new Body();
		try (LockHandle elsewhere = this.there.acquire("matrix", LONG)) {
			CompletableFuture<?> result = call(kind, "waiting", body);
			// A request that is under way may get the lock, and gives it back later
			soon().until(() -> this.server.cli("EXISTS", "{lock:matrix}:queue").equals(1L));
			result.cancel(true);
			soon().untilAsserted(() -> {
				assertThat(this.here.waiting()).isEmpty();
				assertThat(this.server.cli("EXISTS", "{lock:matrix}:queue", "{lock:matrix}:waiting")).isEqualTo(0L);
			});
			assertThat(elsewhere.isHeld()).isTrue();
		}
		assertThat(body.starts()).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void lossIsOnlyLoggedUnlessSomethingElseIsWanted(Kind kind) throws Exception {
		Body body = new Body();
		CompletableFuture<?> result = call(kind, "losing", body);
		awaitStart(body, result);
		lose();
		assertThat(this.server.cli("EXISTS", "lock:matrix")).isEqualTo(0L);
		body.result.complete("done");
		assertThat(result.get(20, TimeUnit.SECONDS)).isEqualTo(kind.result("done"));
		assertNothingIsLeft();
	}

	@ParameterizedTest
	@EnumSource
	void lossIsToldAfterTheWork(Kind kind) {
		Body body = new Body();
		CompletableFuture<?> result = call(kind, "losingAndThrowing", body);
		awaitStart(body, result);
		lose();
		assertThat(result).isNotDone();
		body.result.complete("done");
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> result.get(20, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockLostException.class);
		assertNothingIsLeft();
	}

	@ParameterizedTest
	@EnumSource
	void lossInterruptsTheWork(Kind kind) {
		Body body = new Body();
		CompletableFuture<?> result = call(kind, "losingAndInterrupted", body);
		awaitStart(body, result);
		this.instances.endLease("matrix", SHORT);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> result.get(20, TimeUnit.SECONDS))
			.withCauseInstanceOf(kind.isBlocking() ? InterruptedException.class : LockLostException.class);
		soon().until(body.result::isCancelled);
	}

	/**
	 * The late holder does no harm to the one who has the lock meanwhile.
	 */
	@ParameterizedTest
	@EnumSource
	void lateEndOfTheWorkLeavesTheLockOfTheNextHolderAlone(Kind kind) throws Exception {
		Body body = new Body();
		CompletableFuture<?> result = call(kind, "losing", body);
		awaitStart(body, result);
		lose();
		try (LockHandle elsewhere = this.there.acquire("matrix", LONG)) {
			body.result.complete("done");
			assertThat(result.get(20, TimeUnit.SECONDS)).isEqualTo(kind.result("done"));
			assertThat(isLocked()).isTrue();
			elsewhere.extend(Duration.ofMinutes(5));
		}
	}

	@Test
	void eachSubscriptionTakesTheLockAnewAndAssemblyTakesNone() throws Exception {
		Body body = new Body();
		Mono<String> mono = bean(LockedBean.OfMono.class).plain(body);
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
		Special proxy = bean(Special.class);
		assertThat(proxy.around(Mono.defer(() -> proxy.around(Mono.fromFuture(body.start()))))
			.toFuture()
			.get(10, TimeUnit.SECONDS)).isEqualTo("inner");
		assertThat(this.events).filteredOn(LockEvent.Acquired.class::isInstance).hasSize(1);
		assertNothingIsLeft();
	}

	@Test
	void reactiveCallsBesideEachOtherDoNotShareTheLock() {
		Body body = new Body();
		CompletableFuture<?> first = call(Kind.MONO, "plain", body);
		awaitStart(body, first);
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> call(Kind.MONO, "plain", body).get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockNotAcquiredException.class);
		first.cancel(true);
	}

	@Test
	void handleIsInTheReactorContext() throws Exception {
		assertThat(bean(Special.class).token(null).toFuture().get(10, TimeUnit.SECONDS)).isPositive();
	}

	@Test
	void nullInPlaceOfAFutureIsAFailure() {
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> bean(Special.class).nothing().get(10, TimeUnit.SECONDS))
			.withMessageContaining("returned null");
		assertNothingIsLeft();
	}

	@ParameterizedTest
	@EnumSource(names = { "COMPLETABLE_FUTURE", "COMPLETION_STAGE", "MONO", "FLUX" })
	void manyCancellationsAtAnyInstantLeaveNothing(Kind kind) {
		for (int round = 0; round < 100; round++) {
			Body body = new Body();
			CompletableFuture<?> result = call(kind, "plain", body);
			long end = System.nanoTime() + round * 5_000L;
			while (System.nanoTime() < end) {
				Thread.onSpinWait();
			}
			result.cancel(true);
			assertThat(result.isCancelled()).isTrue();
			// The work of a future is not stopped by it
			body.result.complete("done");
			soon().until(() -> this.here.held().isEmpty() && !isLocked());
		}
	}

	private static void awaitStart(Body body, CompletableFuture<?> result) {
		soon().until(() -> body.starts() > 0 || result.isDone());
		assertThat(body.starts()).as(() -> "Starts, with the result " + result.handle((v, f) -> v + " " + f).join())
			.isOne();
	}

	private void lose() {
		this.instances.endLease("matrix", SHORT);
		soon().until(() -> this.events.stream().anyMatch(LockEvent.Lost.class::isInstance));
		assertThat(isLocked()).isFalse();
	}

	private CompletableFuture<?> call(Kind kind, String method, Body body) {
		return call(kind, method, body, null);
	}

	private CompletableFuture<?> call(Kind kind, String method, Body body, @Nullable CompletableFuture<Void> timeout) {
		return kind.start(bean(kind.type), method, body, timeout);
	}

	private <T> T bean(Class<T> type) {
		return this.fixtures.computeIfAbsent(type, (missing) -> {
			LockFixture fixture = new LockFixture(this.here);
			fixture.context.register(AsyncConfiguration.class);
			fixture.start(missing);
			return fixture;
		}).context.getBean(type);
	}

	private boolean isLocked() {
		return this.server.cli("EXISTS", "lock:matrix").equals(1L);
	}

	private void assertNothingIsLeft() {
		assertThat((List<?>) this.server.cli("KEYS", "*")).allMatch("{lock:matrix}:fence"::equals);
		assertThat(this.here.held()).isEmpty();
		assertThat(this.here.waiting()).isEmpty();
	}

	private static ConditionFactory soon() {
		return org.awaitility.Awaitility.await()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(5))
			.atMost(Duration.ofSeconds(20));
	}

	enum Kind {

		VOID(LockedBean.OfVoid.class),

		VALUE(LockedBean.OfValue.class),

		OPTIONAL(LockedBean.OfOptional.class),

		FUTURE(LockedBean.OfFuture.class),

		COMPLETION_STAGE(LockedBean.OfStage.class),

		COMPLETABLE_FUTURE(LockedBean.OfCompletableFuture.class),

		ASYNC_METHOD(LockedBean.OfAsyncMethod.class),

		MONO(LockedBean.OfMono.class),

		FLUX(LockedBean.OfFlux.class),

		FLOW_PUBLISHER(LockedBean.OfFlowPublisher.class),

		FLOWABLE(LockedBean.OfFlowable.class),

		OBSERVABLE(LockedBean.OfObservable.class),

		MAYBE(LockedBean.OfMaybe.class),

		SINGLE(LockedBean.OfSingle.class),

		COMPLETABLE(LockedBean.OfCompletable.class),

		UNI(LockedBean.OfUni.class),

		MULTI(LockedBean.OfMulti.class);

		private final Class<?> type;

		Kind(Class<?> type) {
			this.type = type;
		}

		boolean isBlocking() {
			return this == VOID || this == VALUE || this == OPTIONAL;
		}

		@Nullable Object result(String text) {
			return (this == VOID || this == COMPLETABLE) ? null : text;
		}

		/**
		 * Call a method, in a thread of its own if it blocks. To cancel the future is to
		 * interrupt that thread, to cancel the future that the method returned, or to
		 * cancel the subscription.
		 */
		CompletableFuture<?> start(Object bean, String name, Body body, @Nullable CompletableFuture<Void> timeout) {
			Method method = ReflectionUtils.findMethod(this.type, name, Body.class);
			assertThat(method).isNotNull();
			ReflectionUtils.makeAccessible(method);
			if (isBlocking()) {
				return inThread(() -> method.invoke(bean, body));
			}
			Object returned = ReflectionUtils.invokeMethod(method, bean, body);
			assertThat(returned).isNotNull();
			if (returned instanceof CompletionStage<?> stage) {
				CompletableFuture<?> future = stage.toCompletableFuture();
				if (timeout != null) {
					timeout.thenRun(() -> future.orTimeout(1, TimeUnit.MILLISECONDS));
				}
				return future;
			}
			Flux<?> flux = Flux.from(
					ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned.getClass()).toPublisher(returned));
			return ((timeout != null) ? flux.timeout(Mono.fromFuture(timeout)) : flux).singleOrEmpty().toFuture();
		}

		private static CompletableFuture<?> inThread(Invocation invocation) {
			CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
			Thread thread = new Thread(() -> {
				try {
					Object value = invocation.proceed();
					result.complete((value instanceof Optional<?> optional) ? optional.orElse(null) : value);
				}
				catch (InvocationTargetException ex) {
					result.completeExceptionally(ex.getTargetException());
				}
				catch (ReflectiveOperationException ex) {
					result.completeExceptionally(ex);
				}
			});
			result.whenComplete((value, failure) -> {
				if (failure instanceof CancellationException) {
					thread.interrupt();
				}
			});
			thread.start();
			return result;
		}

	}

	private interface Invocation {

		@Nullable Object proceed() throws ReflectiveOperationException;

	}

	/**
	 * What only some types can do.
	 */
	static class Special {

		@DistributedLock("matrix")
		@Nullable Future<String> nothing() {
			return null;
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

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync(proxyTargetClass = true)
	static class AsyncConfiguration {

		@Bean
		TaskExecutor taskExecutor() {
			return new SimpleAsyncTaskExecutor("worker-");
		}

	}

}
