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

import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a lock annotation, such as {@link DistributedLock} or
 * {@link OncePerFireTime}, cannot work as it is written: at bean creation, or when an
 * expression fails for the arguments of a call.
 *
 * @since 0.1.0
 */
public final class InvalidLockDefinitionException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String annotation;

	private final String method;

	private final String attribute;

	private final String value;

	private final String problem;

	private final String action;

	/**
	 * Create an exception.
	 * @param annotation the annotation as it is written, with the attribute that is
	 * wrong: {@code @DistributedLock(timeout = -5)}
	 * @param method the method with its class and parameter types
	 * @param attribute the attribute of the annotation that is wrong, or an empty text
	 * @param value the value of the attribute as it is written
	 * @param problem the problem, a sentence
	 * @param action how to solve it, a sentence or two
	 * @param cause the cause, or {@code null} if there is none
	 */
	public InvalidLockDefinitionException(String annotation, String method, String attribute, String value,
			String problem, String action, @Nullable Throwable cause) {
		super(Printable.of("%s on %s: %s %s".formatted(annotation, method, problem, action)), cause);
		this.annotation = annotation;
		this.method = method;
		this.attribute = attribute;
		this.value = value;
		this.problem = problem;
		this.action = action;
	}

	String annotation() {
		return this.annotation;
	}

	/**
	 * Return the method with its class and parameter types.
	 * @return for example {@code com.acme.OrderService.pay(long, String)}
	 */
	public String getMethod() {
		return this.method;
	}

	/**
	 * Return the attribute of the annotation that is wrong.
	 * @return for example {@code name}, or an empty text if it is none of them
	 */
	public String getAttribute() {
		return this.attribute;
	}

	/**
	 * Return the value of the attribute.
	 * @return the value as it is written
	 */
	public String getValue() {
		return this.value;
	}

	/**
	 * Return the problem.
	 * @return a sentence
	 */
	public String getProblem() {
		return this.problem;
	}

	/**
	 * Return how to solve the problem.
	 * @return a sentence or two
	 */
	public String getAction() {
		return this.action;
	}

}
