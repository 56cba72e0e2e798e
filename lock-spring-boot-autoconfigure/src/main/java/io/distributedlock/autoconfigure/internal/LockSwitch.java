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

package io.distributedlock.autoconfigure.internal;

import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * A property that switches a part of the library off. A value is on or off as Spring Boot
 * converts it, and a value that is neither ends the start: a misspelt switch must not
 * leave methods without their locks.
 */
public enum LockSwitch {

	/**
	 * All locks.
	 */
	LOCKS("distributed-lock.enabled"),

	/**
	 * Methods with an annotation.
	 */
	ANNOTATION("distributed-lock.annotation.enabled"),

	/**
	 * Meters.
	 */
	METRICS("distributed-lock.metrics.enabled"),

	/**
	 * Answers to HTTP clients.
	 */
	WEB("distributed-lock.web.enabled");

	/**
	 * How to correct a value that is neither on nor off.
	 */
	public static final String ACTION = "Write true or false, or remove the property.";

	private final String property;

	LockSwitch(String property) {
		this.property = property;
	}

	/**
	 * Return the name of the property.
	 */
	public String property() {
		return this.property;
	}

	/**
	 * Return whether the switch is on, as it is by default.
	 * @throws LockStartupException if the value is neither on nor off
	 */
	public boolean isOn(Environment environment) {
		Binder binder = Binder.get(environment);
		String problem = problemWith(this.property, binder);
		if (problem != null) {
			throw new LockStartupException(problem, ACTION, null);
		}
		return binder.bind(this.property, Boolean.class).orElse(true);
	}

	/**
	 * Return what is wrong with the value of a property that must be true or false, or
	 * {@code null}. Spring Boot itself ignores an empty value.
	 */
	public static @Nullable String problemWith(String property, Binder binder) {
		String written = binder.bind(property, String.class).orElse(null);
		return (written == null || isBoolean(property, binder)) ? null
				: "%s is '%s', which is neither true nor false.".formatted(property, Printable.of(written));
	}

	private static boolean isBoolean(String property, Binder binder) {
		try {
			return binder.bind(property, Boolean.class).isBound();
		}
		catch (BindException ex) {
			return false;
		}
	}

}
