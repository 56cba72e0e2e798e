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

package io.distributedlock.internal;

import java.util.List;

/**
 * The locks that annotations in this application declare.
 */
@FunctionalInterface
public interface DeclaredLocks {

	/**
	 * Return a snapshot of the locks that were declared on the beans created so far, in a
	 * stable order.
	 */
	List<DeclaredLock> declared();

	/**
	 * Return what the report at start-up said about them, and what was found since; empty
	 * as well if nothing is reported.
	 */
	default List<Finding> reported() {
		return List.of();
	}

	/**
	 * Return where the warnings of that report are suppressed, in the classes that
	 * declare the locks, in order: class, or class, method and parameter types.
	 */
	default List<String> suppressed() {
		return List.of();
	}

	/**
	 * A finding of the report.
	 *
	 * @param severity {@code ERROR} or {@code WARNING}
	 * @param location class, method and parameter types
	 */
	record Finding(String severity, String location, String problem, String action) {
	}

}
