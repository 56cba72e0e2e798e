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

package io.distributedlock.testsupport;

import java.util.List;
import java.util.Locale;

/**
 * Where the servers of this JVM run.
 */
enum RedisEnvironment {

	CONTAINER {
		@Override
		RedisBackend create(RedisSettings settings, int port) {
			return new ContainerRedis(settings, port);
		}
	},

	EMBEDDED {
		@Override
		RedisBackend create(RedisSettings settings, int port) {
			return new EmbeddedRedis(settings, port);
		}
	};

	abstract RedisBackend create(RedisSettings settings, int port);

	static RedisEnvironment current() {
		return Detected.ENVIRONMENT;
	}

	private static RedisEnvironment detect() {
		String wanted = System.getProperty("lock.test.redis");
		if (wanted != null) {
			return valueOf(wanted.toUpperCase(Locale.ROOT));
		}
		if (System.getProperty(RedisBinary.PROPERTY) != null || !DockerEngine.answers()) {
			return EMBEDDED;
		}
		try (RedisBackend probe = CONTAINER.create(new RedisSettings(null, null, List.of()), FreePorts.next())) {
			probe.start();
			return CONTAINER;
		}
		catch (RuntimeException ex) {
			System.err
				.println("Docker answers but cannot start Redis, so tests use the embedded server: " + ex.getMessage());
			return EMBEDDED;
		}
	}

	private static final class Detected {

		static final RedisEnvironment ENVIRONMENT = detect();

	}

}
