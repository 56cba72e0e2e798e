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

package io.distributedlock.benchmarks.contestant;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * A lock around a {@link Mono}. Where a thread takes the lock, it waits for signals.
 */
public interface ReactiveLockClient extends LockClient {

	/**
	 * Does something under the lock, for each subscription.
	 */
	Mono<Void> locked(String name, Supplier<Mono<Void>> section);

	/**
	 * Lease and wait are those of the client.
	 */
	@Override
	default Hold acquire(String name, Duration lease, Duration wait) throws Exception {
		CompletableFuture<@Nullable Void> acquired = new CompletableFuture<>();
		Sinks.Empty<Void> end = Sinks.empty();
		CompletableFuture<@Nullable Void> released = locked(name, () -> {
			acquired.complete(null);
			return end.asMono();
		}).toFuture();
		released.whenComplete((value, failure) -> {
			if (failure != null) {
				acquired.completeExceptionally(failure);
			}
		});
		acquired.get();
		return () -> {
			end.tryEmitEmpty();
			released.join();
		};
	}

}
