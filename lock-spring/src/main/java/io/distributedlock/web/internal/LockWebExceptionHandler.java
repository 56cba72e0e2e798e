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

package io.distributedlock.web.internal;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import reactor.core.publisher.Mono;

import org.springframework.context.MessageSource;
import org.springframework.core.Ordered;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.codec.HttpMessageWriter;
import org.springframework.web.ErrorResponse;
import org.springframework.web.reactive.function.UnsupportedMediaTypeException;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.reactive.result.view.ViewResolver;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;

/**
 * Handles lock exceptions that a handler of Spring WebFlux throws: responds with a
 * {@link ProblemDetail}, or with the error page of the application if the client
 * requested a page.
 */
public final class LockWebExceptionHandler implements WebExceptionHandler, Ordered {

	private static final Log logger = LogFactory.getLog(LockWebExceptionHandler.class);

	private final LockErrorResponses responses;

	private final Supplier<List<HttpMessageWriter<?>>> writers;

	private final MessageSource messages;

	/**
	 * Create a new instance.
	 * @param messages texts of the application that replace the defaults, by the codes of
	 * {@link ErrorResponse}
	 */
	public LockWebExceptionHandler(LockErrorResponses responses, Supplier<List<HttpMessageWriter<?>>> writers,
			MessageSource messages) {
		this.responses = responses;
		this.writers = writers;
		this.messages = messages;
	}

	/**
	 * The order of Spring Boot's handler, which handles everything: a bean that is
	 * registered before it comes first, and handlers of the application before both.
	 */
	@Override
	public int getOrder() {
		return -1;
	}

	@Override
	public Mono<Void> handle(ServerWebExchange exchange, Throwable ex) {
		ErrorResponse answer = exchange.getResponse().isCommitted() ? null : this.responses.find(ex);
		if (answer == null) {
			return Mono.error(ex);
		}
		logger.debug("Answering an exception of a lock.", ex);
		return LockErrorResponses.prefersPage(exchange.getRequest().getHeaders()) ? passOn(exchange, answer, ex)
				: write(exchange, answer).onErrorResume(UnsupportedMediaTypeException.class, (failure) -> {
					logger.debug("No codec writes problem details as JSON.", failure);
					return passOn(exchange, answer, ex);
				});
	}

	private Mono<Void> write(ServerWebExchange exchange, ErrorResponse answer) {
		Locale locale = exchange.getLocaleContext().getLocale();
		ProblemDetail problem = answer.updateAndGetBody(this.messages,
				Objects.requireNonNullElseGet(locale, Locale::getDefault));
		problem.setInstance(LockErrorResponses.instance(exchange.getRequest().getPath().value()));
		return ServerResponse.status(answer.getStatusCode())
			.headers((headers) -> headers.addAll(answer.getHeaders()))
			.contentType(MediaType.APPLICATION_PROBLEM_JSON)
			.bodyValue(problem)
			.flatMap((response) -> response.writeTo(exchange, new Context(this.writers.get())));
	}

	/** The next error handler renders its page with this status. */
	private static Mono<Void> passOn(ServerWebExchange exchange, ErrorResponse answer, Throwable ex) {
		exchange.getResponse().getHeaders().putAll(answer.getHeaders());
		return Mono.error(new ResponseStatusException(answer.getStatusCode(), answer.getBody().getDetail(), ex));
	}

	private record Context(List<HttpMessageWriter<?>> messageWriters) implements ServerResponse.Context {

		@Override
		public List<ViewResolver> viewResolvers() {
			return List.of();
		}

	}

}
