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

package io.distributedlock;

import java.util.List;

/**
 * A lock that an annotation declares, with the settings in force.
 *
 * @param declaredName the low-cardinality name of this use, as in meters and events
 * @param names the names as they were declared, placeholders resolved and expressions not
 * evaluated
 * @param location where it was declared, such as
 * {@code com.example.OrderService.pay(long)}
 * @param options the options in force
 * @param onContention what happens if the lock is held elsewhere, in words
 * @since 0.1.0
 */
public record DeclaredLock(String declaredName, List<String> names, String location, LockOptions options,
		String onContention) {

	/**
	 * Copy the names.
	 */
	public DeclaredLock {
		names = List.copyOf(names);
	}

}
