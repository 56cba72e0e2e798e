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

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.InvalidLockDefinitionException.Kind;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.reactivex.rxjava3.flowables.ConnectableFlowable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.ParallelFlux;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests for definitions that are refused when the application starts.
 */
class InvalidLockDefinitionTests {

	private final LockFixture fixture = new LockFixture();

	@AfterEach
	void stop() {
		this.fixture.close();
	}

	@Test
	void expressionThatCannotBeParsed() {
		InvalidLockDefinitionException failure = start(BadExpression.class);
		assertThat(failure.getKind()).isEqualTo(Kind.EXPRESSION);
		assertThat(failure.getMethod()).isEqualTo(BadExpression.class.getName() + ".run(String)");
		assertThat(failure.getAttribute()).isEqualTo("name");
		assertThat(failure.getValue()).isEqualTo("'pay:' + + #id)");
		assertThat(failure.getAction()).contains("pay:#{#orderId}");
		assertThat(failure).hasMessageContaining(failure.getMethod()).hasMessageContaining(failure.getAction());
	}

	@Test
	void unquotedTextBesideAVariable() {
		assertThat(start(UnquotedExpression.class).getAction()).contains("Quote");
	}

	@Test
	void unknownVariableIsAnsweredWithTheNearestName() {
		InvalidLockDefinitionException failure = start(UnknownVariable.class);
		assertThat(failure.getKind()).isEqualTo(Kind.VARIABLE);
		assertThat(failure.getProblem()).isEqualTo("There is no parameter 'userID'.");
		assertThat(failure.getAction()).isEqualTo("Did you mean #userId? Known are #userId, #orderId (or #p0, #p1).");
	}

	@Test
	void unknownVariableDeepInATemplate() {
		assertThat(start(UnknownInTemplate.class).getProblem()).contains("'missing'");
	}

	@Test
	void unknownPosition() {
		assertThat(start(UnknownPosition.class).getProblem()).contains("'p1'");
	}

	@Test
	void conditionWithUnknownVariable() {
		assertThat(start(UnknownInCondition.class).getAttribute()).isEqualTo("condition");
	}

	@Test
	void blankName() {
		assertThat(start(BlankName.class).getKind()).isEqualTo(Kind.NAME);
	}

	@Test
	void placeholderWithoutValue() {
		InvalidLockDefinitionException failure = start(MissingPlaceholder.class);
		assertThat(failure.getKind()).isEqualTo(Kind.PLACEHOLDER);
		assertThat(failure.getProblem()).contains("no.such.property");
	}

	@Test
	void textThatIsNoDuration() {
		InvalidLockDefinitionException failure = start(BadDuration.class);
		assertThat(failure.getKind()).isEqualTo(Kind.DURATION);
		assertThat(failure.getAttribute()).isEqualTo("timeoutString");
		assertThat(failure.getProblem()).contains("'half an hour'");
	}

	@Test
	void negativeDuration() {
		assertThat(start(NegativeDuration.class).getValue()).isEqualTo("-5");
	}

	@Test
	void endlessDuration() {
		assertThat(start(EndlessDuration.class).getKind()).isEqualTo(Kind.DURATION);
	}

	@Test
	void emptyLease() {
		assertThat(start(EmptyLease.class).getProblem()).contains("at least 10ms");
	}

	@Test
	void renewalIntervalLongerThanTheLease() {
		InvalidLockDefinitionException failure = start(ContradictoryDurations.class);
		assertThat(failure.getKind()).isEqualTo(Kind.DURATION);
		assertThat(failure.getProblem()).contains("10s").contains("at most half of the lease of 5s");
	}

	@Test
	void skipOfAPrimitive() {
		InvalidLockDefinitionException failure = start(SkippedPrimitive.class);
		assertThat(failure.getKind()).isEqualTo(Kind.SKIP_RESULT);
		assertThat(failure.getProblem()).contains("boolean");
		assertThat(failure.getAction()).contains("fallbackMethod");
	}

	@Test
	void missingFallback() {
		InvalidLockDefinitionException failure = start(MissingFallback.class);
		assertThat(failure.getKind()).isEqualTo(Kind.FALLBACK);
		assertThat(failure.getProblem()).contains("no method busy in");
		assertThat(failure.getAction()).contains("String busy(long, LockNotAcquiredException)");
	}

	@Test
	void fallbackWithOtherParameters() {
		assertThat(start(WrongFallback.class).getProblem()).contains("busy(String)")
			.contains("busy(long, IllegalStateException)");
	}

	@Test
	void fallbackOfAStaticMethodThatIsNotStatic() throws Exception {
		AnnotatedMethod locked = new AnnotatedMethod(StaticWithFallback.class.getDeclaredMethod("run"),
				StaticWithFallback.class);
		InvalidLockDefinitionException failure = catchThrowableOfType(InvalidLockDefinitionException.class,
				() -> FallbackMethod.named("busy", locked, new SkipLog(() -> 0)));
		assertThat(failure.getKind()).isEqualTo(Kind.FALLBACK);
		assertThat(failure.getProblem()).isEqualTo("The locked method is static, and busy() is not.");
		assertThat(failure.getAction()).isEqualTo("Declare busy() static as well.");
		assertThat(FallbackMethod.named("quiet", locked, new SkipLog(() -> 0)).describe())
			.isEqualTo("fallback quiet()");
	}

	@Test
	void fallbackWithAnotherResult() {
		assertThat(start(WrongFallbackResult.class).getProblem()).contains("returns int");
	}

	@Test
	void futureOfAnotherType() {
		InvalidLockDefinitionException failure = start(UnknownFuture.class);
		assertThat(failure.getKind()).isEqualTo(Kind.RETURN_TYPE);
		assertThat(failure.getAction()).contains("CompletableFuture");
	}

	@ParameterizedTest
	@ValueSource(classes = { Deferred.OfCallable.class, Deferred.OfTask.class, Deferred.OfResult.class,
			Deferred.OfWebTask.class, Deferred.OfBody.class, Deferred.OfEmitter.class, Deferred.OfEntity.class,
			Deferred.OfFluxEntity.class, Deferred.OfLaterEntity.class })
	void workThatTheWebFrameworkDoesLater(Class<?> type) {
		InvalidLockDefinitionException failure = start(type);
		assertThat(failure.getKind()).isEqualTo(Kind.RETURN_TYPE);
		assertThat(failure.getProblem()).startsWith("It is not known when the work of a method that returns ");
		assertThat(failure.getAction()).contains("CompletableFuture");
	}

	@Test
	void responseThatIsThereIsNotRefused() {
		assertThat(this.fixture.start(Deferred.OfText.class).run().getBody()).isEqualTo("done");
		assertThat(this.fixture.locks.log).containsExactly("acquire deferred", "release deferred");
	}

	@ParameterizedTest
	@ValueSource(classes = { Subtype.OfParallelFlux.class, Subtype.OfConnectableFlux.class,
			Subtype.OfConnectableFlowable.class })
	void publisherOfASubtype(Class<?> type) {
		InvalidLockDefinitionException failure = start(type);
		assertThat(failure.getKind()).isEqualTo(Kind.RETURN_TYPE);
		assertThat(failure.getProblem()).contains("is no ").contains(type.getSimpleName().substring(2));
		assertThat(failure.getAction()).containsAnyOf("Return reactor.core.publisher.Flux.", ".Flowable.");
	}

	@Test
	void publisherOfASupertypeIsNotRefused() {
		assertThat(Flux.from(this.fixture.start(Subtype.OfPublisher.class).run()).blockLast()).isEqualTo("done");
	}

	@Test
	void handleForRepeatedAnnotations() {
		assertThat(start(AmbiguousHandle.class).getKind()).isEqualTo(Kind.HANDLE_PARAMETER);
	}

	private InvalidLockDefinitionException start(Class<?> type) {
		BeanCreationException failure = catchThrowableOfType(BeanCreationException.class,
				() -> this.fixture.start(type));
		assertThat(failure).as("failure of the start").isNotNull();
		assertThat(failure.getCause()).isInstanceOf(InvalidLockDefinitionException.class);
		return (InvalidLockDefinitionException) failure.getCause();
	}

	static class BadExpression {

		@DistributedLock("'pay:' + + #id)")
		void run(String id) {
		}

	}

	static class UnquotedExpression {

		@DistributedLock("pay:#id")
		void run(String id) {
		}

	}

	static class UnknownVariable {

		@DistributedLock("#userID + #orderId")
		void run(long userId, String orderId) {
		}

	}

	static class UnknownInTemplate {

		@DistributedLock("order:#{#ids.?[#this > #missing]}")
		void run(long[] ids) {
		}

	}

	static class UnknownPosition {

		@DistributedLock("#p1")
		void run(String id) {
		}

	}

	static class UnknownInCondition {

		@DistributedLock(condition = "#mount > 100")
		void run(int amount) {
		}

	}

	static class BlankName {

		@DistributedLock(" ")
		void run() {
		}

	}

	static class MissingPlaceholder {

		@DistributedLock("${no.such.property}")
		void run() {
		}

	}

	static class BadDuration {

		@DistributedLock(timeoutString = "half an hour")
		void run() {
		}

	}

	static class NegativeDuration {

		@DistributedLock(waitTime = -5)
		void run() {
		}

	}

	static class EndlessDuration {

		@DistributedLock(timeout = Long.MAX_VALUE, timeUnit = TimeUnit.DAYS)
		void run() {
		}

	}

	static class EmptyLease {

		@DistributedLock(timeout = 0)
		void run() {
		}

	}

	static class ContradictoryDurations {

		@DistributedLock(timeout = 5, autoRenew = true, renewInterval = 10)
		void run() {
		}

	}

	static class SkippedPrimitive {

		@DistributedLock(onContention = OnContention.SKIP)
		boolean run() {
			return true;
		}

	}

	static class MissingFallback {

		@DistributedLock(fallbackMethod = "busy")
		String run(long id) {
			return "";
		}

	}

	static class WrongFallback {

		@DistributedLock(fallbackMethod = "busy")
		String run(long id) {
			return "";
		}

		String busy(String id) {
			return "";
		}

		String busy(long id, IllegalStateException exception) {
			return "";
		}

	}

	static class StaticWithFallback {

		@DistributedLock(fallbackMethod = "busy")
		static void run() {
		}

		void busy() {
		}

		static void quiet() {
		}

	}

	static class WrongFallbackResult {

		@DistributedLock(fallbackMethod = "busy")
		String run(long id) {
			return "";
		}

		int busy(long id, LockNotAcquiredException exception) {
			return 0;
		}

	}

	static class UnknownFuture {

		@DistributedLock
		FutureTask<String> run() {
			return new FutureTask<>(() -> "");
		}

	}

	static class AmbiguousHandle {

		@DistributedLock("a")
		@DistributedLock("b")
		void run(LockHandle handle) {
		}

	}

	static class Deferred<T> {

		@DistributedLock("deferred")
		T run() {
			throw new IllegalStateException("Refused.");
		}

		static class OfCallable extends Deferred<Callable<String>> {

		}

		static class OfTask extends Deferred<Task> {

		}

		static class OfResult extends Deferred<DeferredResult<String>> {

		}

		static class OfWebTask extends Deferred<WebAsyncTask<String>> {

		}

		static class OfBody extends Deferred<StreamingResponseBody> {

		}

		static class OfEmitter extends Deferred<SseEmitter> {

		}

		static class OfEntity extends Deferred<ResponseEntity<StreamingResponseBody>> {

		}

		static class OfFluxEntity extends Deferred<ResponseEntity<Flux<String>>> {

		}

		static class OfLaterEntity extends Deferred<Mono<ResponseEntity<Flux<String>>>> {

		}

		static class OfText extends Deferred<ResponseEntity<String>> {

			@Override
			@DistributedLock("deferred")
			ResponseEntity<String> run() {
				return ResponseEntity.ok("done");
			}

		}

		interface Task extends Callable<String> {

		}

	}

	static class Subtype<T> {

		@DistributedLock("subtype")
		T run() {
			throw new IllegalStateException("Refused.");
		}

		static class OfParallelFlux extends Subtype<ParallelFlux<String>> {

		}

		static class OfConnectableFlux extends Subtype<ConnectableFlux<String>> {

		}

		static class OfConnectableFlowable extends Subtype<ConnectableFlowable<String>> {

		}

		static class OfPublisher extends Subtype<Publisher<String>> {

			@Override
			@DistributedLock("subtype")
			Publisher<String> run() {
				return Flux.just("done");
			}

		}

	}

}
