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

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;

import org.springframework.context.MessageSource;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServletServerHttpRequest;
import org.springframework.web.ErrorResponse;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.handler.AbstractHandlerExceptionResolver;
import org.springframework.web.servlet.support.RequestContextUtils;

/**
 * Handles lock exceptions that a handler of Spring MVC throws: responds with a
 * {@link ProblemDetail}, or with the error page of the application if the client
 * requested a page.
 *
 * <p>
 * Has the lowest precedence, so it sees only exceptions that the application has not
 * handled. It is not a {@code @ControllerAdvice}, which would also match an exception of
 * the application that is caused by a lock exception.
 */
public final class LockExceptionResolver extends AbstractHandlerExceptionResolver {

	private final LockErrorResponses responses;

	private final Supplier<List<HttpMessageConverter<?>>> converters;

	private final MessageSource messages;

	/**
	 * Create a new instance.
	 * @param messages texts of the application that replace the defaults, by the codes of
	 * {@link ErrorResponse}
	 */
	public LockExceptionResolver(LockErrorResponses responses, Supplier<List<HttpMessageConverter<?>>> converters,
			MessageSource messages) {
		this.responses = responses;
		this.converters = converters;
		this.messages = messages;
	}

	@Override
	protected @Nullable ModelAndView doResolveException(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception ex) {
		ErrorResponse answer = response.isCommitted() ? null : this.responses.find(ex);
		if (answer == null) {
			return null;
		}
		try {
			if (LockErrorResponses.prefersPage(new ServletServerHttpRequest(request).getHeaders())
					|| !canStream(response)) {
				sendError(response, answer);
			}
			else {
				write(request, response, answer);
			}
			return new ModelAndView();
		}
		catch (IOException | ServletException failure) {
			this.logger.warn("The answer to an exception of a lock could not be written.", failure);
			return null;
		}
	}

	private void write(HttpServletRequest request, HttpServletResponse response, ErrorResponse answer)
			throws IOException, ServletException {
		ProblemDetail problem = answer.updateAndGetBody(this.messages, RequestContextUtils.getLocale(request));
		problem.setInstance(LockErrorResponses.instance(request.getRequestURI()));
		try {
			ServerResponse.status(answer.getStatusCode())
				.headers((headers) -> headers.addAll(answer.getHeaders()))
				.contentType(MediaType.APPLICATION_PROBLEM_JSON)
				.body(problem)
				.writeTo(request, response, this.converters::get);
		}
		catch (HttpMediaTypeNotAcceptableException ex) {
			this.logger.debug("No converter writes problem details as JSON.", ex);
			sendError(response, answer);
		}
	}

	/** Nothing else tells whether the handler has asked for the writer. */
	private static boolean canStream(HttpServletResponse response) throws IOException {
		try {
			response.getOutputStream();
			return true;
		}
		catch (IllegalStateException ex) {
			return false;
		}
	}

	/** The error page of the application, or of Spring Boot, renders the rest. */
	private static void sendError(HttpServletResponse response, ErrorResponse answer) throws IOException {
		answer.getHeaders().forEach((name, values) -> values.forEach((value) -> response.setHeader(name, value)));
		response.sendError(answer.getStatusCode().value());
	}

}
