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

package io.distributedlock.autoconfigure.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;

import javax.sql.DataSource;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import io.distributedlock.InvalidLockNameException;
import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInfo;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossCause;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockTransactionAutoConfiguration;
import io.distributedlock.web.internal.LockExceptionResolver;
import io.distributedlock.web.internal.LockWebExceptionHandler;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.http.codec.autoconfigure.CodecsAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.reactor.netty.autoconfigure.NettyReactiveWebServerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.ApplicationContextAssertProvider;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.boot.web.server.reactive.context.AnnotationConfigReactiveWebServerApplicationContext;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.webflux.autoconfigure.HttpHandlerAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.error.ErrorWebFluxAutoConfiguration;
import org.springframework.boot.webflux.error.ErrorWebExceptionHandler;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.MessageSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.support.StaticMessageSource;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the answers to HTTP clients, on real servers of both stacks.
 */
class LockWebAutoConfigurationTests {

	private static final String PAGE = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

	private static final int OWN_STATUS = 410;

	private static final Class<?>[] OURS = { DistributedLockAutoConfiguration.class, LockWebMvcAutoConfiguration.class,
			LockWebFluxAutoConfiguration.class };

	private static final LockOptions LEASE = LockOptions.ofLease(Duration.ofSeconds(90));

	@ParameterizedTest
	@CsvSource({ "MVC, 'blocking,callable,future,mono,join,functional,functional-future'",
			"WEBFLUX, 'blocking,future,mono,join,functional'" })
	void busyLockIsAConflictInEachKindOfHandler(Stack stack, String handlers) {
		stack.run((client) -> assertThat(handlers.split(","))
			.allSatisfy((handler) -> client.get(handler + "/busy").isProblem(409, "busy").hasRetryAfter("13")));
	}

	@ParameterizedTest
	@EnumSource
	void eachExceptionHasItsAnswer(Stack stack) {
		stack.run((client) -> {
			client.get("blocking/busy").isProblem(409, "busy").hasRetryAfter("13");
			client.get("blocking/nearly-free").isProblem(409, "busy").hasRetryAfter("1");
			client.get("blocking/unlimited").isProblem(409, "busy").hasRetryAfter(null);
			client.get("blocking/unknown-holder").isProblem(409, "busy").hasRetryAfter(null);
			assertThat(new String[] { "unavailable", "lost", "interrupted" })
				.allSatisfy((failure) -> client.get("blocking/" + failure).isProblem(503, failure).hasRetryAfter(null));
			assertThat(new String[] { "configuration", "name", "other" })
				.allSatisfy((failure) -> assertThat(client.get("blocking/" + failure).status()).isEqualTo(500));
		});
	}

	@ParameterizedTest
	@EnumSource
	void anAnswerSaysNothingOfOthers(Stack stack) {
		stack.run((client) -> assertThat(new String[] { "busy", "unavailable", "lost", "interrupted" })
			.allSatisfy((failure) -> assertThat(client.get("blocking/" + failure).body()).contains("detail")
				.doesNotContain("order", "shop-2", "secret", "42")));
	}

	@ParameterizedTest
	@EnumSource
	void aLockedMethodAnswersWithTheRemainingLease(Stack stack) {
		stack.run((client) -> {
			assertThat(client.get("locked").status()).isEqualTo(200);
			try (LockHandle held = client.locks().acquire("order:4711", LEASE)) {
				Response response = client.get("locked").isProblem(409, "busy");
				assertThat(Integer.parseInt(String.valueOf(response.retryAfter()))).isBetween(30, 90);
				assertThat(held.isHeld()).isTrue();
			}
		});
	}

	@ParameterizedTest
	@EnumSource
	void theHolderIsShownIfConfigured(Stack stack) {
		stack.with("distributed-lock.web.include-holder=true").run((client) -> {
			JsonNode busy = client.get("blocking/busy").isProblem(409, "busy").json();
			assertThat(busy.path("lock").asString()).isEqualTo("order:\\u000A4711");
			assertThat(busy.path("holder").asString()).isEqualTo("instance 'shop-2'");
			JsonNode lost = client.get("blocking/lost").isProblem(503, "lost").json();
			assertThat(lost.path("lock").asString()).isEqualTo("order:\\u000A4711");
		});
	}

	@ParameterizedTest
	@EnumSource
	void aBrowserSeesTheErrorPageWithTheStatus(Stack stack) {
		stack.run((client) -> {
			Response response = client.get("blocking/busy", PAGE).hasRetryAfter("13");
			assertThat(response.status()).isEqualTo(409);
			assertThat(response.contentType()).startsWith("text/html");
			assertThat(response.body()).contains("Whitelabel");
			client.get("blocking/busy", "application/json, text/html;q=0.5").isProblem(409, "busy");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "transaction-around-lock", "transaction-under-lock" })
	void aLossThatRolledBackSaysSoAndTheRequestCanBeRepeated(String order) {
		Stack.MVC.with(Purchases.class).run((client) -> {
			JsonNode lost = client.get(order + "/lost").isProblem(503, "lost").hasRetryAfter(null).json();
			assertThat(lost.path("detail").asString()).isEqualTo(
					"The lock of this request was lost before its work was done. What the transaction wrote was rolled back. Try again if the request does nothing outside of that transaction.");
			assertThat(client.get("purchases").body()).isEqualTo("0");
			assertThat(client.get(order + "/kept").status()).isEqualTo(200);
			assertThat(client.get("purchases").body()).isEqualTo("1");
		});
	}

	@ParameterizedTest
	@CsvSource({ "no-transaction, 1", "transaction-before-the-loss, 1", "nested-transaction, 0" })
	void aLossIsNotSaidToHaveRolledBackUnlessThatIsCertain(String order, String purchases) {
		Stack.MVC.with(Purchases.class).run((client) -> {
			JsonNode lost = client.get(order + "/lost").isProblem(503, "lost").hasRetryAfter(null).json();
			assertThat(lost.path("detail").asString()).isEqualTo(
					"The lock of this request was lost before its work was done. Part of the work, or all of it, may have been done.");
			assertThat(client.get("purchases").body()).isEqualTo(purchases);
		});
	}

	@Test
	void statusReplacesAPartlyWrittenAnswer() {
		Stack.MVC.run((client) -> {
			Response response = client.get("writer/busy", "application/json").hasRetryAfter("13");
			assertThat(response.status()).isEqualTo(409);
			assertThat(response.contentType()).startsWith("application/json");
			assertThat(response.body()).contains("409").doesNotContain("heading");
		});
	}

	@ParameterizedTest
	@MethodSource("ownHandlers")
	void handlersOfTheApplicationTakePrecedence(Stack stack, Class<?> own, String path) {
		stack.with(own).run((client) -> assertThat(client.get(path).status()).isEqualTo(OWN_STATUS));
	}

	static Stream<Arguments> ownHandlers() {
		return Stream.of(Arguments.of(Stack.MVC, CatchAllAdvice.class, "blocking/busy"),
				Arguments.of(Stack.MVC, LowestResolver.class, "blocking/busy"),
				Arguments.of(Stack.MVC, LowestResolver.class, "functional/busy"),
				Arguments.of(Stack.MVC, OwnErrorController.class, "blocking/busy"),
				Arguments.of(Stack.MVC, OwnHandler.class, "own/handler"),
				Arguments.of(Stack.MVC, OwnHandler.class, "own/status"),
				Arguments.of(Stack.WEBFLUX, CatchAllAdvice.class, "blocking/busy"),
				Arguments.of(Stack.WEBFLUX, LowestErrorHandler.class, "blocking/busy"),
				Arguments.of(Stack.WEBFLUX, LowestErrorHandler.class, "functional/busy"),
				Arguments.of(Stack.WEBFLUX, HandlerBeforeThatOfSpringBoot.class, "functional/busy"),
				Arguments.of(Stack.WEBFLUX, OwnHandler.class, "own/handler"),
				Arguments.of(Stack.WEBFLUX, OwnHandler.class, "own/status"));
	}

	@ParameterizedTest
	@EnumSource
	void theApplicationMayChooseItsWords(Stack stack) {
		stack.with(OwnWords.class)
			.run((client) -> assertThat(client.get("blocking/busy").json().path("title").asString())
				.isEqualTo("Belegt"));
	}

	@ParameterizedTest
	@EnumSource
	void nothingIsAnsweredIfSwitchedOff(Stack stack) {
		stack.with("distributed-lock.web.enabled=false")
			.run((client) -> assertThat(client.get("blocking/busy").status()).isEqualTo(500));
	}

	@ParameterizedTest
	@EnumSource
	void theOtherStackNeedNotBeThere(Stack stack) {
		stack.alone().run((client) -> client.get("blocking/busy").isProblem(409, "busy"));
	}

	@Test
	void nonWebApplicationHasNoAnswers() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(OURS))
			.withPropertyValues("distributed-lock.provider=in-memory")
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LockService.class)
				.doesNotHaveBean(LockExceptionResolver.class)
				.doesNotHaveBean(LockWebExceptionHandler.class));
	}

	private static RuntimeException failure(String what) {
		String name = "order:\n4711";
		return switch (what) {
			case "busy" -> busy(name, Duration.ofMillis(12_001));
			case "nearly-free" -> busy(name, Duration.ZERO);
			case "unlimited" -> busy(name, null);
			case "unknown-holder" -> new LockNotAcquiredException(name, Duration.ZERO, null);
			case "unavailable" -> new LockUnavailableException(name, "secret", null);
			case "lost" -> new LockLostException(new LockEvent.Lost(name, "order", Duration.ofSeconds(1), 42,
					Duration.ofSeconds(1), LossCause.LEASE_EXPIRED, "secret"));
			case "interrupted" -> new LockInterruptedException(name);
			case "configuration" -> new LockConfigurationException(name, "secret", null);
			case "name" -> new InvalidLockNameException(name, "secret");
			default -> new IllegalStateException("secret", busy(name, Duration.ofSeconds(1)));
		};
	}

	private static LockNotAcquiredException busy(String name, @Nullable Duration remaining) {
		return new LockNotAcquiredException(name, Duration.ZERO, LockInfo.heldElsewhere(name, "shop-2", remaining));
	}

	/**
	 * A kind of web application, with a server of its own.
	 */
	enum Stack {

		MVC("org.springframework.web.reactive"), WEBFLUX("org.springframework.web.servlet", "jakarta.servlet");

		private final String[] other;

		Stack(String... other) {
			this.other = other;
		}

		void run(Consumer<Client> test) {
			with().run(test);
		}

		Application with(String... properties) {
			return new Application(this, properties, new Class<?>[0], new String[0]);
		}

		Application with(Class<?> beans) {
			return new Application(this, new String[0], new Class<?>[] { beans }, new String[0]);
		}

		Application alone() {
			return new Application(this, new String[0], new Class<?>[0], this.other);
		}

	}

	record Application(Stack stack, String[] properties, Class<?>[] beans, String[] missing) {

		void run(Consumer<Client> test) {
			if (this.stack == Stack.MVC) {
				run(new WebApplicationContextRunner(AnnotationConfigServletWebServerApplicationContext::new)
					.withConfiguration(AutoConfigurations.of(TomcatServletWebServerAutoConfiguration.class,
							DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class,
							ErrorMvcAutoConfiguration.class, HttpMessageConvertersAutoConfiguration.class))
					.withUserConfiguration(MvcHandlers.class), test);
			}
			else {
				run(new ReactiveWebApplicationContextRunner(AnnotationConfigReactiveWebServerApplicationContext::new)
					.withConfiguration(AutoConfigurations.of(NettyReactiveWebServerAutoConfiguration.class,
							HttpHandlerAutoConfiguration.class, WebFluxAutoConfiguration.class,
							ErrorWebFluxAutoConfiguration.class, CodecsAutoConfiguration.class))
					.withUserConfiguration(WebFluxHandlers.class), test);
			}
		}

		private <S extends AbstractApplicationContextRunner<S, C, A>, C extends ConfigurableApplicationContext, A extends ApplicationContextAssertProvider<C>> void run(
				S runner, Consumer<Client> test) {
			runner.withConfiguration(AutoConfigurations.of(OURS))
				.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class))
				.withUserConfiguration(this.beans)
				.withUserConfiguration(Handlers.class, LockedHandler.class)
				.withPropertyValues("server.port=0", "distributed-lock.provider=in-memory")
				.withPropertyValues(this.properties)
				.withClassLoader(new FilteredClassLoader(this.missing))
				.run((context) -> {
					assertThat(context.getStartupFailure()).isNull();
					int port = ((WebServerApplicationContext) context.getSourceApplicationContext()).getWebServer()
						.getPort();
					test.accept(new Client(port, context.getBean(LockService.class)));
				});
		}

	}

	record Client(int port, LockService locks) {

		/** Each one has a thread, and takes a while to be created. */
		private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

		Response get(String path) {
			return get(path, "application/json");
		}

		Response get(String path, String accept) {
			URI uri = URI.create("http://localhost:" + this.port + "/" + path);
			HttpRequest request = HttpRequest.newBuilder(uri)
				.timeout(Duration.ofMinutes(1))
				.header("Accept", accept)
				.header("Accept-Language", "de")
				.build();
			try {
				return new Response("/" + path, HTTP.send(request, HttpResponse.BodyHandlers.ofString()));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	record Response(String path, HttpResponse<String> response) {

		int status() {
			return this.response.statusCode();
		}

		String body() {
			return this.response.body();
		}

		JsonNode json() {
			return JsonMapper.shared().readTree(body());
		}

		String contentType() {
			return this.response.headers().firstValue("Content-Type").orElse("");
		}

		@Nullable String retryAfter() {
			return this.response.headers().firstValue("Retry-After").orElse(null);
		}

		Response hasRetryAfter(@Nullable String seconds) {
			assertThat(retryAfter()).isEqualTo(seconds);
			return this;
		}

		Response isProblem(int status, String type) {
			assertThat(body()).startsWith("{");
			assertThat(status()).isEqualTo(status);
			assertThat(contentType()).isEqualTo("application/problem+json");
			assertThat(json().path("type").asString()).isEqualTo("urn:distributed-lock:" + type);
			assertThat(json().path("status").asInt()).isEqualTo(status);
			assertThat(json().path("title").asString()).startsWith("Lock ");
			assertThat(json().path("detail").asString()).endsWith(".");
			assertThat(json().path("instance").asString()).isEqualTo(this.path);
			return this;
		}

	}

	/**
	 * Handlers that both stacks have.
	 */
	@RestController
	static class Handlers {

		@GetMapping("/blocking/{what}")
		String blocking(@PathVariable String what) {
			throw failure(what);
		}

		@GetMapping("/future/{what}")
		CompletableFuture<String> future(@PathVariable String what) {
			return CompletableFuture.supplyAsync(() -> blocking(what));
		}

		@GetMapping("/join/{what}")
		String join(@PathVariable String what) {
			return future(what).join();
		}

		@GetMapping("/mono/{what}")
		Mono<String> mono(@PathVariable String what) {
			return Mono.error(() -> failure(what));
		}

	}

	@RestController
	static class LockedHandler {

		private final LockService locks;

		LockedHandler(LockService locks) {
			this.locks = locks;
		}

		@GetMapping("/locked")
		String locked() {
			return this.locks.execute("order:4711", () -> "done");
		}

	}

	/**
	 * Writes to a database under a lock.
	 */
	@RestController
	@ImportAutoConfiguration(LockTransactionAutoConfiguration.class)
	static class Purchases {

		private final LockService locks;

		private final JdbcTemplate jdbc;

		private final TransactionTemplate transaction;

		private final TransactionTemplate nested;

		Purchases(LockService locks, DataSource dataSource, PlatformTransactionManager manager) {
			this.locks = locks;
			this.jdbc = new JdbcTemplate(dataSource);
			this.jdbc.execute("create table purchase (id int)");
			this.transaction = new TransactionTemplate(manager);
			this.nested = new TransactionTemplate(manager);
			this.nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
		}

		@Bean
		static DataSource dataSource() {
			return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
		}

		@Bean
		static JdbcTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@GetMapping("/purchases")
		String purchases() {
			return String.valueOf(this.jdbc.queryForObject("select count(*) from purchase", Integer.class));
		}

		@GetMapping("/transaction-around-lock/{end}")
		void around(@PathVariable String end) {
			this.transaction.executeWithoutResult((status) -> locked(end, (handle) -> {
				purchase();
				await(end, handle);
			}));
		}

		@GetMapping("/transaction-under-lock/{end}")
		void under(@PathVariable String end) {
			locked(end, (handle) -> this.transaction.executeWithoutResult((status) -> {
				purchase();
				await(end, handle);
			}));
		}

		@GetMapping("/nested-transaction/{end}")
		void nested(@PathVariable String end) {
			this.transaction
				.executeWithoutResult((outer) -> locked(end, (handle) -> this.nested.executeWithoutResult((status) -> {
					purchase();
					await(end, handle);
				})));
		}

		@GetMapping("/transaction-before-the-loss/{end}")
		void before(@PathVariable String end) {
			locked(end, (handle) -> {
				this.transaction.executeWithoutResult((status) -> purchase());
				await(end, handle);
				handle.assertHeld();
			});
		}

		@GetMapping("/no-transaction/{end}")
		void none(@PathVariable String end) {
			locked(end, (handle) -> {
				purchase();
				await(end, handle);
				handle.assertHeld();
			});
		}

		private void locked(String end, Consumer<LockHandle> work) {
			LockOptions options = end.equals("lost") ? LockOptions.ofLease(Duration.ofSeconds(1)) : LEASE;
			this.locks.executeWithoutResult("order:4711", options, work::accept);
		}

		private void purchase() {
			this.jdbc.update("insert into purchase values (1)");
		}

		private static void await(String end, LockHandle handle) {
			if (end.equals("lost")) {
				Awaitility.await().until(() -> handle.state() == LockState.LOST);
			}
		}

	}

	@RestController
	static class MvcHandlers {

		@GetMapping("/callable/{what}")
		Callable<String> callable(@PathVariable String what) {
			return () -> {
				throw failure(what);
			};
		}

		@GetMapping("/writer/{what}")
		void writer(@PathVariable String what, jakarta.servlet.http.HttpServletResponse response) throws IOException {
			response.getWriter().println("heading");
			throw failure(what);
		}

		@Bean
		org.springframework.web.servlet.function.RouterFunction<?> functions() {
			return org.springframework.web.servlet.function.RouterFunctions.route()
				.GET("/functional/{what}", (request) -> {
					throw failure(request.pathVariable("what"));
				})
				.GET("/functional-future/{what}", (request) -> org.springframework.web.servlet.function.ServerResponse
					.async(CompletableFuture.supplyAsync(() -> {
						throw failure(request.pathVariable("what"));
					})))
				.build();
		}

	}

	static class WebFluxHandlers {

		/** Its threads end at once. */
		@Bean
		ReactorResourceFactory reactorResourceFactory() {
			ReactorResourceFactory factory = new ReactorResourceFactory();
			factory.setUseGlobalResources(false);
			factory.setShutdownQuietPeriod(Duration.ZERO);
			return factory;
		}

		@Bean
		RouterFunction<?> functions() {
			return RouterFunctions.route()
				.GET("/functional/{what}", (request) -> Mono.error(() -> failure(request.pathVariable("what"))))
				.build();
		}

	}

	@ControllerAdvice
	static class CatchAllAdvice {

		@ExceptionHandler(Exception.class)
		ResponseEntity<String> handle() {
			return ResponseEntity.status(OWN_STATUS).build();
		}

	}

	/**
	 * As a bean without an order.
	 */
	static class LowestResolver implements HandlerExceptionResolver {

		@Override
		public ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
				@Nullable Object handler, Exception ex) {
			response.setStatus(OWN_STATUS);
			return new ModelAndView();
		}

	}

	@RestController
	static class OwnErrorController implements ErrorController {

		@RequestMapping("/error")
		ResponseEntity<String> error(HttpServletRequest request) {
			Object cause = request.getAttribute(RequestDispatcher.ERROR_EXCEPTION);
			return ResponseEntity.status((cause != null) ? OWN_STATUS : 500).build();
		}

	}

	@RestController
	@RequestMapping("/own")
	static class OwnHandler {

		@GetMapping("/handler")
		String handler() {
			throw failure("busy");
		}

		@GetMapping("/status")
		String status() {
			throw new OrderFailedException(failure("busy"));
		}

		@ExceptionHandler(exception = LockNotAcquiredException.class)
		ResponseEntity<String> handle(Exception ex) {
			if (ex instanceof OrderFailedException own) {
				throw own;
			}
			return ResponseEntity.status(OWN_STATUS).build();
		}

	}

	@ResponseStatus(HttpStatus.GONE)
	static class OrderFailedException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		OrderFailedException(Throwable cause) {
			super(cause);
		}

	}

	static class LowestErrorHandler implements ErrorWebExceptionHandler {

		@Override
		public Mono<Void> handle(ServerWebExchange exchange, Throwable ex) {
			exchange.getResponse().setStatusCode(HttpStatusCode.valueOf(OWN_STATUS));
			return exchange.getResponse().setComplete();
		}

	}

	@Order(-1)
	static class HandlerBeforeThatOfSpringBoot implements WebExceptionHandler {

		@Override
		public Mono<Void> handle(ServerWebExchange exchange, Throwable ex) {
			exchange.getResponse().setStatusCode(HttpStatusCode.valueOf(OWN_STATUS));
			return exchange.getResponse().setComplete();
		}

	}

	static class OwnWords {

		@Bean
		MessageSource messageSource() {
			StaticMessageSource messages = new StaticMessageSource();
			messages.addMessage("problemDetail.title." + LockNotAcquiredException.class.getName(), Locale.GERMAN,
					"Belegt");
			return messages;
		}

	}

}
