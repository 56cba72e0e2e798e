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

package io.distributedlock.sample.app.export;

import java.time.Duration;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.sample.app.SlowWork;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Service;

/**
 * Scenario 8: work that takes longer than the lease, here without the annotation. With
 * renewal the lock is held to the end. Without it the holder learns of the loss before
 * Redis frees the lock, and stops before it writes the next part.
 */
@Service
public class ExportService {

	private static final Logger logger = LoggerFactory.getLogger(ExportService.class);

	private static final Duration LEASE = Duration.ofSeconds(4);

	private static final Duration TIME_PER_PART = Duration.ofMillis(500);

	private static final int PARTS = 18;

	private final LockService locks;

	private final SlowWork work;

	ExportService(LockService locks, SlowWork work) {
		this.locks = locks;
		this.work = work;
	}

	/**
	 * Write an export under a lock that is renewed every third of its lease.
	 */
	public Export writeWithRenewal(String id) {
		return write(id, LockOptions.ofLease(LEASE).withDeclaredName("export").withAutoRenew());
	}

	/**
	 * Write an export under a lock that is not renewed and therefore lost on the way.
	 */
	public Export writeWithoutRenewal(String id) {
		return write(id, LockOptions.ofLease(LEASE).withDeclaredName("export"));
	}

	private Export write(String id, LockOptions options) {
		try (LockHandle lock = this.locks.acquire("export:" + id, options)) {
			lock.onLost((loss) -> logger.info("the holder of '{}' is notified: {}", loss.name(), loss.explanation()));
			logger.info("holds '{}' for {} s, renewal: {}", lock.name(), LEASE.toSeconds(), options.autoRenew());
			for (int part = 0; part < PARTS; part++) {
				lock.assertHeld();
				this.work.take(TIME_PER_PART);
			}
			logger.info("wrote {} parts of '{}', still held: {}", PARTS, lock.name(), lock.isHeld());
			return new Export(id, PARTS, lock.isHeld(), lock.remaining());
		}
	}

}
