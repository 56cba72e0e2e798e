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

package io.distributedlock.actuate;

import java.util.List;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The locks that any instance holds, as the store sees them.
 *
 * @param store what and where the store is
 * @param locks the locks
 * @param truncated whether there may be more: the limit was reached, or the search took
 * too long
 * @since 0.1.0
 */
public record StoredLocksDescriptor(String store, List<Entry> locks,
		boolean truncated) implements OperationResponseBody {

	/**
	 * A lock that somebody holds.
	 *
	 * @param name the name of the lock,
	 * {@linkplain io.distributedlock.Printable#of(String) printable}
	 * @param stored what the store knows about it
	 */
	public record Entry(String name, LockDescriptor.Stored stored) {

	}

}
