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

package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.Map;

import io.distributedlock.autoconfigure.DistributedLockProperties.NamedLock;
import io.distributedlock.internal.Printable;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Warns if a single unanswered command may cause the loss of a lock.
 */
final class CommandTimeoutCheck {

	private static final Log logger = LogFactory.getLog(CommandTimeoutCheck.class);

	private static final int ATTEMPTS_PER_LEASE = 3;

	private CommandTimeoutCheck() {
	}

	static void check(DistributedLockProperties properties) {
		Duration commandTimeout = properties.redis().commandTimeout();
		check(commandTimeout, "distributed-lock.defaults.timeout", properties.defaults().timeout());
		for (Map.Entry<String, NamedLock> lock : properties.locks().entrySet()) {
			Duration timeout = lock.getValue().timeout();
			if (timeout != null) {
				check(commandTimeout, "distributed-lock.locks[" + lock.getKey() + "].timeout", timeout);
			}
		}
	}

	private static void check(Duration commandTimeout, String property, Duration lease) {
		if (commandTimeout.multipliedBy(ATTEMPTS_PER_LEASE).compareTo(lease) > 0) {
			logger.warn(
					"distributed-lock.redis.command-timeout is %s, which is more than a third of %s, which is %s: a lock may be lost while one renewal waits for its answer. Make the command timeout shorter or the lease longer."
						.formatted(Printable.of(commandTimeout), property, Printable.of(lease)));
		}
	}

}
