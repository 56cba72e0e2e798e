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

package io.distributedlock.migration;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * A {@code LockProvider} of ShedLock that takes the locks of a {@link LockService}.
 */
class LockServiceLockProvider implements ExtensibleLockProvider {

	/** Enough for Redis to answer. */
	private static final Duration SHORTEST = Duration.ofMillis(50);

	private final LockService locks;

	LockServiceLockProvider(LockService locks) {
		this.locks = locks;
	}

	@Override
	public Optional<SimpleLock> lock(LockConfiguration configuration) {
		Duration lease = longer(until(configuration.getLockAtMostUntil()), SHORTEST);
		Duration atLeast = longer(until(configuration.getLockAtLeastUntil()), Duration.ZERO);
		// Detached: ShedLock neither re-enters a lock nor binds it to a thread
		return this.locks.tryAcquire(configuration.getName(), LockOptions.ofLease(lease).withMinHold(atLeast))
			.map((handle) -> new Held(configuration, handle.detach(), Instant.MIN));
	}

	private static Duration until(Instant instant) {
		return Duration.between(ClockProvider.now(), instant);
	}

	private static Duration longer(Duration first, Duration second) {
		return (first.compareTo(second) > 0) ? first : second;
	}

	private static final class Held extends AbstractSimpleLock {

		private final LockHandle handle;

		private final Instant keepUntil;

		Held(LockConfiguration configuration, LockHandle handle, Instant keepUntil) {
			super(configuration);
			this.handle = handle;
			this.keepUntil = keepUntil;
		}

		@Override
		protected void doUnlock() {
			if (ClockProvider.now().isBefore(this.keepUntil)) {
				CompletableFuture.delayedExecutor(until(this.keepUntil).toMillis(), TimeUnit.MILLISECONDS)
					.execute(this.handle::releaseAsync);
			}
			else {
				this.handle.close();
			}
		}

		@Override
		protected Optional<SimpleLock> doExtend(LockConfiguration extended) {
			if (ClockProvider.now().isAfter(this.lockConfiguration.getLockAtMostUntil())) {
				this.handle.close();
				return Optional.empty();
			}
			try {
				Duration missing = until(extended.getLockAtMostUntil()).minus(this.handle.remaining());
				this.handle.extend(longer(missing, Duration.ofMillis(1)));
				return Optional.of(new Held(extended, this.handle, extended.getLockAtLeastUntil()));
			}
			catch (LockLostException ex) {
				return Optional.empty();
			}
		}

	}

}
