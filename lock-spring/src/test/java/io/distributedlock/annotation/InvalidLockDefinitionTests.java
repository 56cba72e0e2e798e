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

import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.expression.LockExpressionParser;
import io.reactivex.Single;
import io.reactivex.rxjava3.flowables.ConnectableFlowable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.ParallelFlux;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
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
		assertThat(failure.getMethod()).isEqualTo(BadExpression.class.getName() + ".run(String)");
		assertThat(failure.getAttribute()).isEqualTo("name");
		assertThat(failure.getValue()).isEqualTo("'pay:' + + #id)");
		assertThat(failure.getAction()).contains("pay:#{#orderId}");
		assertThat(failure).hasMessageContaining(failure.getMethod()).hasMessageContaining(failure.getAction());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			textBlock = """
					unquoted               | Write "pay:#{#id}".
					unclosedTemplate       | The expression cannot be parsed: ~ Close it: "stock:#{#orderId}".
					textAndProperty        | The expression cannot be parsed: ~ Write "stock:#{#orderId}.txt #1:#{#name.length()}".
					textWithoutParameters  | The expression cannot be parsed: ~ The method has no parameters: write the expression without #day, or add the parameter.
					textAndUnknownVariable | Write a template, as in pay:#{#orderId}, or quote what is not evaluated, as in 'pay:' + #orderId.
					textAndQuotes          | Write a template, as in pay:#{#orderId}, or quote what is not evaluated, as in 'pay:' + #orderId.
					unclosedText           | Write a template, as in pay:#{#orderId}, or quote what is not evaluated, as in 'pay:' + #orderId.
					unclosedTwice          | Write a template, as in pay:#{#orderId}, or quote what is not evaluated, as in 'pay:' + #orderId.
					shortMaxHoldOfLease    | maxHold = 10 ~ The maximum hold is 10s, but must not be shorter than the lease of 1m. Set timeoutString = "10s" in place of timeout: a lease that is renewed is no limit on the work. Or set maxHold to at least the lease, or remove it. A maximum hold also needs renewal: add autoRenew = true, unless the configuration renews the lease.
					unknownVariable        | There is no parameter 'userID'. Did you mean #userId? Known are #userId, #orderId (or #p0, #p1).
					unknownInTemplate      | 'missing'
					unknownPosition        | 'p1'
					unknownInCondition     | condition = ~ There is no parameter 'mount'.
					blankName              | name = ~ The name is blank.
					missingPlaceholder     | It cannot be resolved: ~ no.such.property
					noDuration             | timeoutString = ~ 'half an hour'
					negativeDuration       | waitTime = -5 ~ must not be negative
					endlessDuration        | timeout = ~ The duration is too long.
					emptyLease             | at least 10ms
					contradictoryDurations | 10s ~ at most half of the lease of 5s
					skippedPrimitive       | boolean ~ fallbackMethod
					missingFallback        | no method none in ~ String none(long, LockNotAcquiredException)
					wrongFallback          | busy(String) ~ busy(long, IllegalStateException)
					fallbackWithNumber     | returns int
					fallbackWithParentheses | It is more than the name of a method ~ Write fallbackMethod = "calm", and declare String calm(LockNotAcquiredException)
					fallbackElsewhere      | Write fallbackMethod = "calm", and declare String calm(LockNotAcquiredException), if it is not there yet.
					ownFallback            | It is the locked method itself. ~ as in String ownFallbackWhenBusy(LockNotAcquiredException).
					unknownFuture          | CompletableFuture
					ambiguousHandle        | LockHandle
					noPermits              | The permits are 0, but must be at least 1.
					sharedPermits          | A shared lock has no permits
					permitsTwice           | permits = 2 is given as well.
					unknownInPermits       | #palallel
					fencedPermits          | fencing tokens
					fencedAndShared        | fencing tokens
					""")
	void aMistakeIsReportedWithItsFix(String method, String texts) {
		Method locked = Stream.of(Mistakes.class.getDeclaredMethods())
			.filter((each) -> each.getName().equals(method))
			.findFirst()
			.orElseThrow();
		InvalidLockDefinitionException failure = catchThrowableOfType(InvalidLockDefinitionException.class,
				() -> source().find(locked, Mistakes.class));
		assertThat(failure).hasMessageContainingAll(texts.split(" ~ "));
	}

	@Test
	void allMistakesOfADefinitionAreFound() throws Exception {
		Method locked = ManyMistakes.class.getDeclaredMethod("pay", long.class);
		InvalidLockDefinitionException failure = catchThrowableOfType(InvalidLockDefinitionException.class,
				() -> source().find(locked, ManyMistakes.class));
		assertThat(failure.getAttribute()).isEqualTo("name");
		assertThat(Stream.of(failure.getSuppressed()).map((each) -> ((InvalidLockDefinitionException) each)))
			.extracting(InvalidLockDefinitionException::getAttribute)
			.containsExactly("waitTime", "minHoldString", "condition", "timeout", "renewInterval", "name",
					"fallbackMethod", "permitsString");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			zero   | timeout       | renewInterval ~ maxHold
			noText | timeoutString | renewIntervalString ~ maxHoldString
			fits   | timeout       | ''
			""")
	void whatDoesNotFitTheLeaseThatIsProposedIsToldBesideAMistakenOne(String method, String lease, String others)
			throws Exception {
		Method locked = MistakenLeases.class.getDeclaredMethod(method);
		InvalidLockDefinitionException failure = catchThrowableOfType(InvalidLockDefinitionException.class,
				() -> source().find(locked, MistakenLeases.class));
		assertThat(failure.getAttribute()).isEqualTo(lease);
		assertThat(Stream.of(failure.getSuppressed()).map((each) -> ((InvalidLockDefinitionException) each)))
			.extracting(InvalidLockDefinitionException::getAttribute)
			.containsExactly(others.isEmpty() ? new String[0] : others.split(" ~ "));
	}

	@Test
	void theMistakeInANameIsNotTakenForARepeatedName() throws Exception {
		Method locked = ManyMistakes.class.getDeclaredMethod("twice", long.class);
		InvalidLockDefinitionException failure = catchThrowableOfType(InvalidLockDefinitionException.class,
				() -> source().find(locked, ManyMistakes.class));
		assertThat(Stream.concat(Stream.of(failure), Stream.of(failure.getSuppressed())))
			.extracting(Throwable::getMessage)
			.satisfiesExactly((first) -> assertThat(first).contains("'odrer'"),
					(second) -> assertThat(second).contains("'ordr'"));
	}

	@Test
	void fallbackDeclaredAsAdvisedByTheReportIsAccepted() throws Exception {
		Method locked = Mistakes.class.getDeclaredMethod("namedAsTheReportSays");
		assertThat(source().find(locked, Mistakes.class)).isNotNull();
	}

	@Test
	void missingParameterNamesAreAnsweredWithTheCompilerOption() throws Exception {
		Method method = String.class.getMethod("indexOf", int.class, int.class);
		LockExpressionParser.Scope scope = new LockExpressionParser(new DefaultListableBeanFactory())
			.scopeOf(new AnnotatedMethod(method, String.class), method);
		assertThatExceptionOfType(InvalidLockDefinitionException.class).isThrownBy(() -> scope.name("#userId"))
			.withMessageContaining("-parameters")
			.withMessageContaining("#p0, #p1");
		assertThat(scope.name("#p1")).isNotNull();
	}

	@Test
	void fallbackOfAStaticMethodThatIsNotStatic() throws Exception {
		AnnotatedMethod locked = new AnnotatedMethod(StaticWithFallback.class.getDeclaredMethod("run"),
				StaticWithFallback.class);
		InvalidLockDefinitionException failure = catchThrowableOfType(InvalidLockDefinitionException.class,
				() -> FallbackMethod.named("busy", locked, new SkipLog(() -> 0)));
		assertThat(failure.getProblem()).isEqualTo("The locked method is static, and busy() is not.");
		assertThat(failure.getAction()).isEqualTo("Declare busy() static as well.");
		assertThat(FallbackMethod.named("quiet", locked, new SkipLog(() -> 0)).describe())
			.isEqualTo("fallback quiet()");
	}

	@ParameterizedTest
	@ValueSource(classes = { Deferred.OfCallable.class, Deferred.OfTask.class, Deferred.OfResult.class,
			Deferred.OfWebTask.class, Deferred.OfBody.class, Deferred.OfEmitter.class, Deferred.OfEntity.class,
			Deferred.OfFluxEntity.class, Deferred.OfLaterEntity.class })
	void workThatTheWebFrameworkDoesLater(Class<?> type) {
		InvalidLockDefinitionException failure = start(type);
		assertThat(failure.getProblem()).startsWith("It is not known when the work of a method that returns ");
		assertThat(failure.getAction()).contains("CompletableFuture");
	}

	@Test
	void workThatBeginsAtASubscriptionWithoutAnAdapter() {
		InvalidLockDefinitionException failure = start(Deferred.OfSingle.class);
		assertThat(failure.getProblem())
			.isEqualTo("It is not known when the work of a method that returns io.reactivex.Single is done.");
		assertThat(failure.getAction()).isEqualTo("Return a Mono or Flux, or the type of RxJava 3.");
	}

	@Test
	void completedResponseIsAccepted() {
		assertThat(this.fixture.start(Deferred.OfText.class).run().getBody()).isEqualTo("done");
		assertThat(this.fixture.locks.log).containsExactly("acquire deferred", "release deferred");
	}

	@ParameterizedTest
	@ValueSource(classes = { Subtype.OfParallelFlux.class, Subtype.OfConnectableFlux.class,
			Subtype.OfConnectableFlowable.class })
	void publisherOfASubtype(Class<?> type) {
		InvalidLockDefinitionException failure = start(type);
		assertThat(failure.getProblem()).contains("is no ").contains(type.getSimpleName().substring(2));
		assertThat(failure.getAction()).containsAnyOf("Return reactor.core.publisher.Flux.", ".Flowable.");
	}

	@Test
	void publisherOfASupertypeIsNotRefused() {
		assertThat(Flux.from(this.fixture.start(Subtype.OfPublisher.class).run()).blockLast()).isEqualTo("done");
	}

	private LockedMethodSource source() {
		DefaultListableBeanFactory beans = this.fixture.context.getDefaultListableBeanFactory();
		this.fixture.context.refresh();
		return new LockedMethodSource(() -> new LockedMethodFactory(beans, () -> this.fixture.locks,
				beans.getBeanProvider(LockOptionsCustomizer.class)));
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

	static class MistakenLeases {

		@DistributedLock(timeout = 0, autoRenew = true, renewInterval = 16, maxHold = 20)
		void zero() {
		}

		@DistributedLock(timeoutString = "90x", autoRenew = true, renewIntervalString = "40s", maxHoldString = "5s")
		void noText() {
		}

		@DistributedLock(timeout = -1, autoRenew = true, renewInterval = 15, maxHold = 30, minHold = 30)
		void fits() {
		}

	}

	static class ManyMistakes {

		@DistributedLock(name = { "${no.such.property}", "pay:#{#odrer}" }, timeout = 0, waitTime = -5,
				renewInterval = 4000 * 24 * 3600, minHoldString = "soon", condition = "${nor.this}",
				permitsString = "#palallel", fallbackMethod = "none")
		void pay(long order) {
		}

		@DistributedLock(name = "pay:#{#odrer}")
		@DistributedLock(name = "ship:#{#ordr}")
		void twice(long order) {
		}

	}

	static class Mistakes {

		@DistributedLock("pay:#id")
		void unquoted(String id) {
		}

		@DistributedLock("stock:#{#orderId")
		void unclosedTemplate(String orderId) {
		}

		@DistributedLock("stock:#orderId.txt #1:#name.length()")
		void textAndProperty(String orderId, String name) {
		}

		@DistributedLock("nightly:#day")
		void textWithoutParameters() {
		}

		@DistributedLock("stock:#orderID:#orderId")
		void textAndUnknownVariable(String orderId) {
		}

		@DistributedLock("'stock:' #orderId")
		void textAndQuotes(String orderId) {
		}

		@DistributedLock("stock:#{'item}")
		void unclosedText(String orderId) {
		}

		@DistributedLock("stock:#{#orderId:#{#orderId")
		void unclosedTwice(String orderId) {
		}

		@DistributedLock(timeout = 60, maxHold = 10)
		void shortMaxHoldOfLease() {
		}

		@DistributedLock("#userID + #orderId")
		void unknownVariable(long userId, String orderId) {
		}

		@DistributedLock("order:#{#ids.?[#this > #missing]}")
		void unknownInTemplate(long[] ids) {
		}

		@DistributedLock("#p1")
		void unknownPosition(String id) {
		}

		@DistributedLock(condition = "#mount > 100")
		void unknownInCondition(int amount) {
		}

		@DistributedLock(" ")
		void blankName() {
		}

		@DistributedLock("${no.such.property}")
		void missingPlaceholder() {
		}

		@DistributedLock(timeoutString = "half an hour")
		void noDuration() {
		}

		@DistributedLock(waitTime = -5)
		void negativeDuration() {
		}

		@DistributedLock(timeout = Long.MAX_VALUE, timeUnit = TimeUnit.DAYS)
		void endlessDuration() {
		}

		@DistributedLock(timeout = 0)
		void emptyLease() {
		}

		@DistributedLock(timeout = 5, autoRenew = true, renewInterval = 10)
		void contradictoryDurations() {
		}

		@DistributedLock(onContention = OnContention.SKIP)
		boolean skippedPrimitive() {
			return true;
		}

		@DistributedLock(fallbackMethod = "none")
		String missingFallback(long id) {
			return "";
		}

		@DistributedLock(fallbackMethod = "busy")
		String wrongFallback(long id) {
			return "";
		}

		String busy(String id) {
			return "";
		}

		String busy(long id, IllegalStateException exception) {
			return "";
		}

		@DistributedLock(fallbackMethod = "number")
		String fallbackWithNumber(long id) {
			return "";
		}

		int number(long id, LockNotAcquiredException exception) {
			return 0;
		}

		@DistributedLock
		FutureTask<String> unknownFuture() {
			return new FutureTask<>(() -> "");
		}

		@DistributedLock("a")
		@DistributedLock("b")
		void ambiguousHandle(LockHandle handle) {
		}

		@DistributedLock(permits = 0)
		void noPermits() {
		}

		@DistributedLock(permits = 2, mode = LockMode.SHARED)
		void sharedPermits() {
		}

		@DistributedLock(fallbackMethod = "calm()")
		String fallbackWithParentheses() {
			return "";
		}

		@DistributedLock(fallbackMethod = "Other.calm")
		String fallbackElsewhere() {
			return "";
		}

		@DistributedLock(fallbackMethod = "ownFallback")
		String ownFallback() {
			return "";
		}

		@DistributedLock(fallbackMethod = "calm")
		String namedAsTheReportSays() {
			return "";
		}

		String calm(LockNotAcquiredException busy) {
			return "calm";
		}

		@DistributedLock(permits = 2, permitsString = "3")
		void permitsTwice() {
		}

		@DistributedLock(permitsString = "#palallel")
		void unknownInPermits(int parallel) {
		}

		@DistributedLock(permits = 2, fenced = true)
		void fencedPermits() {
		}

		@DistributedLock(mode = LockMode.SHARED, fenced = true)
		void fencedAndShared() {
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

	static class Deferred<T> {

		@DistributedLock("deferred")
		T run() {
			throw new IllegalStateException("Refused.");
		}

		static class OfCallable extends Deferred<Callable<String>> {

		}

		static class OfSingle extends Deferred<Single<String>> {

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
