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

package io.distributedlock.campaign.worker;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnContention;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Methods that are locked by the annotation.
 */
class AnnotatedWork {

	/** The waits that the annotations say. */
	static final int WAIT_SECONDS = 2;

	static final Duration WAIT = Duration.ofSeconds(WAIT_SECONDS);

	@DistributedLock(name = "'campaign:' + #lock", timeout = 2, waitTime = WAIT_SECONDS)
	void run(int lock, Attempt attempt, @Nullable LockHandle handle) {
		work(lock, attempt, handle);
	}

	@DistributedLock(name = "'campaign:' + #lock", timeout = 2, onContention = OnContention.SKIP)
	void skip(int lock, Attempt attempt, @Nullable LockHandle handle) {
		work(lock, attempt, handle);
	}

	@DistributedLock(name = "'campaign:' + #lock", timeout = 2, waitTime = WAIT_SECONDS)
	CompletableFuture<Boolean> future(int lock, Attempt attempt, @Nullable LockHandle handle) {
		work(lock, attempt, handle);
		return CompletableFuture.completedFuture(true);
	}

	@DistributedLock(name = "'campaign:' + #lock", timeout = 2, waitTime = WAIT_SECONDS)
	Mono<Boolean> mono(int lock, Attempt attempt, @Nullable LockHandle handle) {
		return Mono.fromCallable(() -> {
			work(lock, attempt, handle);
			return true;
		});
	}

	private static void work(int lock, Attempt attempt, @Nullable LockHandle handle) {
		attempt.grantedByAnnotation(lock, handle).work(attempt.drawSection());
		attempt.leave();
	}

}
