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

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockException;
import io.distributedlock.LockUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * Rethrows failures of other threads to the caller.
 */
public final class Failures {

	private Failures() {
	}

	/**
	 * Wait without regard to interrupts; the flag is kept.
	 */
	public static <T extends @Nullable Object> T join(String name, CompletableFuture<T> future) {
		try {
			return DeferredInterrupts.join(future);
		}
		catch (CompletionException | CancellationException ex) {
			throw inCaller(name, ex);
		}
	}

	/**
	 * Return the failure of a future, perhaps as a stage that depends on it sees it.
	 */
	public static Throwable unwrap(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/**
	 * Return an exception that has the stack of the caller, and the cause of the original
	 * as its cause: the original contains no further information.
	 */
	public static LockException inCaller(String name, Throwable failure) {
		Throwable cause = unwrap(failure);
		if (cause instanceof LockConfigurationException) {
			return new LockConfigurationException(name, message(cause), cause.getCause());
		}
		if (cause instanceof LockUnavailableException) {
			return new LockUnavailableException(name, message(cause), cause.getCause());
		}
		if (cause instanceof LockException exception) {
			return exception;
		}
		return new LockUnavailableException(name, "The lock store failed in an unexpected way: " + cause, cause);
	}

	private static String message(Throwable cause) {
		return String.valueOf(cause.getMessage());
	}

}
