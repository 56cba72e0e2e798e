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

package io.distributedlock.sample.app;

import io.distributedlock.LockInfo;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockUnavailableException;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * What a client of the application is told about locks, unless a controller has a better
 * sentence. "Held elsewhere" and "nobody knows" are different answers.
 */
@RestControllerAdvice
public class LockAnswers {

	@ExceptionHandler
	ProblemDetail busy(LockNotAcquiredException ex) {
		return busy(ex, ex.getMessage());
	}

	@ExceptionHandler
	ProblemDetail unavailable(LockUnavailableException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, ex.getMessage());
	}

	@ExceptionHandler
	ProblemDetail lost(LockLostException ex) {
		ProblemDetail answer = ProblemDetail.forStatusAndDetail(HttpStatus.INTERNAL_SERVER_ERROR, ex.getMessage());
		answer.setProperty("cause", ex.getLossCause());
		return answer;
	}

	/**
	 * Answer that the lock is held, in the words of a controller.
	 * @param ex the refusal
	 * @param detail what to tell the client
	 * @return the answer
	 */
	public static ProblemDetail busy(LockNotAcquiredException ex, String detail) {
		ProblemDetail answer = ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, detail);
		answer.setProperty("lock", ex.getLockName());
		answer.setProperty("holder", holder(ex));
		return answer;
	}

	/**
	 * Tell who holds the lock.
	 * @param ex the refusal
	 * @return the instance, or "another client" if it is not one or is gone already
	 */
	public static String holder(LockNotAcquiredException ex) {
		LockInfo holder = ex.getHolder();
		return (holder != null && holder.holder() != null) ? holder.holder() : "another client";
	}

}
