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
import java.util.Map;

import io.distributedlock.LockOptions;

/**
 * A lock that an annotation declares, with the settings in force. Applications do not
 * implement it.
 */
public interface DeclaredLock {

	/**
	 * Return the low-cardinality name of this use, as in meters and events.
	 */
	String declaredName();

	/**
	 * Return the names as they were declared, placeholders resolved and expressions not
	 * evaluated.
	 */
	List<String> names();

	/**
	 * Return where it was declared, such as {@code com.example.OrderService.pay(long)}.
	 */
	String location();

	/**
	 * Return the options in force.
	 */
	LockOptions options();

	/**
	 * Return where each option in force comes from, by attribute.
	 */
	Map<String, String> sources();

	/**
	 * Return what happens if the lock is held elsewhere, in words.
	 */
	String onContention();

	/**
	 * Return whether transactions under the lock claim its fence.
	 */
	boolean fenced();

	/**
	 * Return how a name relates to the names of this use.
	 */
	Match match(String name);

	/**
	 * From the closest relation to the loosest.
	 */
	enum Match {

		/**
		 * It is a name of this use.
		 */
		NAME,

		/**
		 * It is the declared name, or a name as written, which is evaluated for each
		 * call.
		 */
		DECLARATION,

		/**
		 * A call may have this name: the fixed parts are the same.
		 */
		PATTERN,

		/**
		 * A call may have this name, as any other: no part is fixed.
		 */
		ANY,

		/**
		 * No call can have this name.
		 */
		NONE

	}

}
