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

import java.time.Duration;
import java.util.List;

import io.distributedlock.LockInfo;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

import org.springframework.context.support.StaticMessageSource;
import org.springframework.http.codec.HttpMessageWriter;
import org.springframework.http.converter.StringHttpMessageConverter;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.server.ResponseStatusException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for answers that cannot be written as usual.
 */
class LockErrorResponsesTests {

	private static final LockErrorResponses RESPONSES = new LockErrorResponses(false);

	private static final LockNotAcquiredException BUSY = new LockNotAcquiredException("order:4711", Duration.ZERO,
			LockInfo.heldElsewhere("order:4711", "shop-2", Duration.ofSeconds(7)));

	private final LockExceptionResolver resolver = new LockExceptionResolver(RESPONSES,
			() -> List.of(new StringHttpMessageConverter()), new StaticMessageSource());

	private final LockWebExceptionHandler handler = new LockWebExceptionHandler(RESPONSES,
			() -> List.<HttpMessageWriter<?>>of(), new StaticMessageSource());

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8 | true
			text/html, */*                                                 | true
			text/*                                                         | true
			application/json;q=0.5, text/html                              | true
			*/*                                                            | false
			application/json, text/plain, */*                              | false
			application/problem+json, text/html                            | false
			text/html;q=0.5, application/json                              | false
			text/event-stream                                              | false
			application/xml                                                | false
			""")
	void onlyAClientThatPrefersHtmlGetsAPage(String accepted, boolean page) {
		assertThat(LockErrorResponses.prefersPage(exchange(accepted).getRequest().getHeaders())).isEqualTo(page);
	}

	@Test
	void aStatusIsAnAnswerWithoutAConverterForJson() {
		MockHttpServletResponse response = new MockHttpServletResponse();
		assertThat(this.resolver.resolveException(new MockHttpServletRequest(), response, null, BUSY)).isNotNull();
		assertThat(response.getStatus()).isEqualTo(409);
		assertThat(response.getHeader("Retry-After")).isEqualTo("7");
		MockServerWebExchange exchange = exchange("*/*");
		assertThat(errorOf(this.handler.handle(exchange, BUSY))).isInstanceOfSatisfying(ResponseStatusException.class,
				(ex) -> assertThat(ex.getStatusCode().value()).isEqualTo(409));
		assertThat(exchange.getResponse().getHeaders().get("Retry-After")).containsExactly("7");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void theLogNamesTheLockThatWasHeldOnceAMinute(CapturedOutput output) {
		LockErrorResponses responses = new LockErrorResponses(false);
		responses.find(BUSY);
		responses.find(BUSY);
		responses.find(new LockUnavailableException("order:4711", "No answer.", null));
		assertThat(output).containsOnlyOnce("LockErrorResponses")
			.contains("A request was refused with status 409. " + BUSY.getMessage() + " Further ones");
	}

	@Test
	void aClientIsAskedToWaitForMinutesAtMost() {
		LockNotAcquiredException forAYear = new LockNotAcquiredException("order:4711", Duration.ZERO,
				LockInfo.heldElsewhere("order:4711", "shop-2", Duration.ofDays(365)));
		assertThat(RESPONSES.find(forAYear).getHeaders().getFirst("Retry-After")).isEqualTo("300");
	}

	@Test
	void invalidAcceptHeaderAsksForNoPage() {
		MockHttpServletRequest request = new MockHttpServletRequest();
		request.addHeader("Accept", "what?");
		MockHttpServletResponse response = new MockHttpServletResponse();
		assertThat(this.resolver.resolveException(request, response, null, BUSY)).isNotNull();
		assertThat(response.getStatus()).isEqualTo(409);
		assertThat(errorOf(this.handler.handle(exchange("what?"), BUSY))).isInstanceOf(ResponseStatusException.class);
	}

	@Test
	void aResponseUnderWayIsLeftAlone() {
		MockHttpServletResponse response = new MockHttpServletResponse();
		response.setCommitted(true);
		assertThat(this.resolver.resolveException(new MockHttpServletRequest(), response, null, BUSY)).isNull();
		MockServerWebExchange exchange = exchange("*/*");
		exchange.getResponse().setComplete().block();
		assertThat(errorOf(this.handler.handle(exchange, BUSY))).isSameAs(BUSY);
	}

	@Test
	void invalidPathIsNoInstance() {
		assertThat(LockErrorResponses.instance("/pay/{4711}")).isNull();
		assertThat(LockErrorResponses.instance("/pay/%7B4711%7D")).hasToString("/pay/%7B4711%7D");
	}

	private static MockServerWebExchange exchange(String accept) {
		return MockServerWebExchange.from(MockServerHttpRequest.get("/pay").header("Accept", accept));
	}

	private static Throwable errorOf(Mono<Void> handled) {
		return handled.then(Mono.<Throwable>empty()).onErrorResume(Mono::just).blockOptional().orElseThrow();
	}

}
