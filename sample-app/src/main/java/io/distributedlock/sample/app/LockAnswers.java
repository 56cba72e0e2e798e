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
import io.distributedlock.LockNotAcquiredException;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;

/**
 * The response for a busy lock, for controllers that have a better explanation than the
 * default response.
 */
public final class LockAnswers {

	private LockAnswers() {
	}

	/**
	 * Create the response for a lock that is held, with an explanation by the controller.
	 */
	public static ProblemDetail busy(LockNotAcquiredException ex, String detail) {
		ProblemDetail answer = ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, detail);
		answer.setProperty("lock", ex.getLockName());
		answer.setProperty("holder", holder(ex));
		return answer;
	}

	/**
	 * Return the holder of the lock.
	 * @return the instance, or "another client" if it is not one or is gone already
	 */
	public static String holder(LockNotAcquiredException ex) {
		LockInfo holder = ex.getHolder();
		return (holder != null && holder.holder() != null) ? holder.holder() : "another client";
	}

}
