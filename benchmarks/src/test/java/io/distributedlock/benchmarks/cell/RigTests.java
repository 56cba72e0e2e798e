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

package io.distributedlock.benchmarks.cell;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.testsupport.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

class RigTests {

	@TempDir
	Path directory;

	@Test
	void commandsInsideScriptsCountAndThoseOfTheRunDoNot() {
		try (RedisServer redis = RedisServer.start()) {
			Rig rig = new Rig(redis, this.directory);
			long before = rig.executed();
			rig.clear();
			redis.cli("PING");
			redis.cli("SET", "key", "value");
			redis.cli("EVAL", "redis.call('get', KEYS[1]); return redis.call('del', KEYS[1])", "1", "key");
			assertThat(rig.executed() - before).isEqualTo(4);
			assertThat(rig.processorMicros()).isPositive();
			assertThat(rig.version()).matches("(Redis|Valkey) [0-9.]+");
		}
	}

}
