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

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

import io.distributedlock.LockException;
import io.distributedlock.LockInfo;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.internal.FrequentMessages;
import io.distributedlock.internal.Printable;
import io.distributedlock.internal.RolledBack;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.util.InvalidMimeTypeException;
import org.springframework.util.MimeTypeUtils;
import org.springframework.web.ErrorResponse;

/**
 * The responses to HTTP clients. There is one for a lock that is held, a store that does
 * not answer, a lock that was lost, and an interrupted wait. Other lock exceptions are
 * mistakes of the application or its configuration, and therefore ordinary server errors.
 *
 * <p>
 * By default a response reveals nothing about the lock, because its name may contain data
 * of other users. No response ever contains the message of the exception, or a token.
 *
 * @param includeHolder whether to add the name of the lock and who holds it
 * @param busy logs which lock was held, as nothing else does
 */
public record LockErrorResponses(boolean includeHolder, FrequentMessages busy) {

	/**
	 * Clients may obey to the second, although a holder may release long before its lease
	 * ends.
	 */
	private static final Duration LONGEST_RETRY_AFTER = Duration.ofMinutes(5);

	public LockErrorResponses(boolean includeHolder) {
		this(includeHolder, new FrequentMessages(LogFactory.getLog(LockErrorResponses.class),
				"Further ones are logged once a minute, and all of them at debug level.", System::nanoTime));
	}

	/**
	 * Return the answer to an exception, without the wrappers of futures.
	 */
	@Nullable ErrorResponse find(Throwable exception) {
		Throwable failure = unwrap(exception);
		if (failure instanceof LockNotAcquiredException busy) {
			return busy(busy);
		}
		if (failure instanceof LockUnavailableException unavailable) {
			return unavailable(unavailable, "unavailable", "Lock Unavailable",
					"The request was not completed: it cannot be determined at present whether the lock that it needs is free.");
		}
		if (failure instanceof LockLostException lost) {
			return unavailable(lost, "lost", "Lock Lost", RolledBack.isNoted(lost)
					? "The lock of this request was lost before its work was done. What the transaction wrote was rolled back. Try again if the request does nothing outside of that transaction."
					: "The lock of this request was lost before its work was done. Part of the work, or all of it, may have been done.");
		}
		if (failure instanceof LockInterruptedException interrupted) {
			return unavailable(interrupted, "interrupted", "Lock Wait Interrupted",
					"The request was not completed: the wait for the lock that it needs was interrupted.");
		}
		return null;
	}

	private ErrorResponse busy(LockNotAcquiredException failure) {
		this.busy.log(() -> "A request was refused with status 409. " + failure.getMessage());
		LockInfo holder = failure.getHolder();
		ProblemDetail problem = problem(failure, HttpStatus.CONFLICT, "busy", "Lock Busy",
				"The request was not completed: the lock that it needs is held by other work.");
		if (this.includeHolder && holder != null) {
			problem.setProperty("holder", holder.describeHolder());
		}
		ErrorResponse.Builder response = ErrorResponse.builder(failure, problem);
		Duration remaining = (holder != null) ? holder.remaining() : null;
		if (remaining != null) {
			long seconds = remaining.plusNanos(999_999_999L).toSeconds();
			response.header(HttpHeaders.RETRY_AFTER,
					String.valueOf(Math.max(1, Math.min(seconds, LONGEST_RETRY_AFTER.toSeconds()))));
		}
		return response.build();
	}

	/**
	 * Without a Retry-After: it is unknown when a store will answer again, and work that
	 * was done in part must not be repeated blindly.
	 */
	private ErrorResponse unavailable(LockException failure, String type, String title, String detail) {
		return ErrorResponse.builder(failure, problem(failure, HttpStatus.SERVICE_UNAVAILABLE, type, title, detail))
			.build();
	}

	private ProblemDetail problem(LockException failure, HttpStatus status, String type, String title, String detail) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
		problem.setType(URI.create("urn:distributed-lock:" + type));
		problem.setTitle(title);
		if (this.includeHolder && !failure.getLockName().isEmpty()) {
			problem.setProperty("lock", Printable.of(failure.getLockName()));
		}
		return problem;
	}

	/**
	 * Return whether a client names HTML, and does not prefer JSON.
	 */
	static boolean prefersPage(HttpHeaders headers) {
		List<MediaType> types = new ArrayList<>();
		try {
			types.addAll(headers.getAccept());
			types.removeIf(MediaType.ALL::equalsTypeAndSubtype);
			MimeTypeUtils.sortBySpecificity(types);
		}
		catch (InvalidMediaTypeException | InvalidMimeTypeException ex) {
			return false;
		}
		for (MediaType type : types) {
			if (MediaType.APPLICATION_PROBLEM_JSON.isCompatibleWith(type)
					|| MediaType.APPLICATION_JSON.isCompatibleWith(type)) {
				return false;
			}
			if (MediaType.TEXT_HTML.isCompatibleWith(type)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Return the path of a request as Spring's problem details have it: {@code null} if
	 * it is no URI.
	 */
	static @Nullable URI instance(String path) {
		try {
			return URI.create(path);
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	private static Throwable unwrap(Throwable exception) {
		Throwable unwrapped = exception;
		while ((unwrapped instanceof CompletionException || unwrapped instanceof ExecutionException)
				&& unwrapped.getCause() != null) {
			unwrapped = unwrapped.getCause();
		}
		return unwrapped;
	}

}
