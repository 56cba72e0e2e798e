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

/**
 * Thrown when the calling thread is interrupted before or while it acquires a lock. The
 * interrupt flag of the thread is set, and neither a lock nor a place in the queue is
 * left behind.
 *
 * @since 0.1.0
 */
public final class LockInterruptedException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create a new instance.
	 * @param name the name of the lock
	 */
	public LockInterruptedException(String name) {
		super(name, "Interrupted while acquiring lock '" + name + "'; the lock was not taken.", null);
	}

}
