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

package io.distributedlock.benchmarks.redis;

import java.util.Map;

import org.junit.jupiter.api.Test;

import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.testsupport.RespClient;

import static org.assertj.core.api.Assertions.assertThat;

class CommandCountsTests {

	@Test
	void subcommandsCountAsTheirCommandAndWhatOthersSendAsNothing() {
		CommandCounts counts = CommandCounts.parse("""
				# Commandstats
				cmdstat_client|setinfo:calls=2,usec=6,usec_per_call=3.00
				cmdstat_client|setname:calls=1,usec=6,usec_per_call=3.00
				cmdstat_info:calls=9,usec=6,usec_per_call=3.00
				cmdstat_ping:calls=9,usec=6,usec_per_call=3.00
				""");
		assertThat(counts.calls()).isEqualTo(Map.of("client", 3L));
	}

	@Test
	void commandsInsideScriptsAreExecutedButNotSent() throws InterruptedException {
		try (RedisServer redis = RedisServer.start();
				RedisProbe probe = new RedisProbe(redis);
				RespClient client = redis.client()) {
			CommandOrigins origins = learn(probe, client);
			CommandCounts before = probe.commandCounts();
			work(client);
			CommandCounts during = probe.commandCounts().since(before);
			assertThat(during.executed()).isEqualTo(4);
			assertThat(during.sent(origins)).isEqualTo(2);
		}
	}

	private static CommandOrigins learn(RedisProbe probe, RespClient client) throws InterruptedException {
		try (CommandMonitor monitor = probe.monitor()) {
			work(client);
			return monitor.finish();
		}
	}

	private static void work(RespClient client) {
		client.command("SET", "key", "value");
		client.command("EVAL", "redis.call('get', KEYS[1]); return redis.call('del', KEYS[1])", "1", "key");
	}

}
