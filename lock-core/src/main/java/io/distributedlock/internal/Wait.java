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

import org.jspecify.annotations.Nullable;

/**
 * A call that waits for a lock, for code that moves the clock of a lock service.
 */
public interface Wait {

	/**
	 * Return the name of the lock.
	 */
	String name();

	/**
	 * Return the blocked thread, or {@code null} if the caller has a future.
	 */
	@Nullable Thread thread();

	/**
	 * Return the reading of the clock at which it ends, many years ahead if it has no
	 * limit.
	 */
	long until();

}
