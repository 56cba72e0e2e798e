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

package io.distributedlock.benchmarks.fleet;

import org.jspecify.annotations.Nullable;

/**
 * A task failed in a forked JVM, or the JVM is gone.
 */
final class TaskFailedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	TaskFailedException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

	/**
	 * What a worker answers. The cause stays there: its class may not be serializable.
	 */
	static TaskFailedException in(String instance, Throwable cause) {
		TaskFailedException failure = new TaskFailedException(instance + ": " + cause, null);
		failure.setStackTrace(cause.getStackTrace());
		return failure;
	}

}
