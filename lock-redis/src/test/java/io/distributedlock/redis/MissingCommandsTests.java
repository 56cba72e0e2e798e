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
package io.distributedlock.redis;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.store.LockToken;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.test.StoreClient;
import io.distributedlock.store.StoreReport;
import io.distributedlock.testsupport.FaultProxy;
import io.distributedlock.testsupport.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Servers that lack commands, as rented ones do, or that cannot run scripts. What locks
 * need is found out by the check at start.
 */
class MissingCommandsTests {

	private static final Map<String, RedisServer> SERVERS = new ConcurrentHashMap<>();

	private final RedisFixture redis = new RedisFixture();

	@AfterEach
	void disconnect() {
		this.redis.close();
	}

	@AfterAll
	static void end() {
		SERVERS.values().forEach(RedisServer::close);
		SERVERS.clear();
	}

	private static RedisServer without(String command) {
		return SERVERS.computeIfAbsent(command,
				(name) -> RedisServer.builder().config("rename-command", name, "hidden-" + name).start());
	}

	@ParameterizedTest
	@CsvSource({ "INFO, lettuce", "INFO, jedis", "CONFIG, lettuce", "CONFIG, jedis", "CLIENT, lettuce", "CLIENT, jedis",
			"PSUBSCRIBE, lettuce", "PSUBSCRIBE, jedis", "COMMAND, lettuce", "SCRIPT, lettuce" })
	void optionalCommandMayBeMissing(String command, String client) throws Exception {
		StoreClient first = client(without(command), client);
		StoreClient second = client(without(command), client);
		assertThat(StoreClient.get(first.store().inspect()).findings()).isEmpty();
		second.listen();
		LockToken holder = first.newToken();
		LockToken waiter = second.newToken();
		first.mustAcquire("a", holder);
		second.queue("a", waiter);
		assertThat(first.release("a", holder)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(second.awaitGrant().token()).isEqualTo(waiter);
		assertThat(second.release("a", waiter)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@ParameterizedTest
	@ValueSource(strings = { "EVALSHA", "EVAL", "PUBLISH", "SUBSCRIBE", "ZPOPMIN", "HDEL", "PTTL" })
	void checkAtStartReportsAMissingRequiredCommand(String command) {
		for (String client : List.of("lettuce", "jedis")) {
			assertThat(StoreClient.get(client(without(command), client).store().inspect()).findings()).singleElement()
				.satisfies((finding) -> {
					assertThat(finding.severity()).isEqualTo(StoreReport.Severity.ERROR);
					assertThat(finding.problem() + finding.action()).containsIgnoringCase(command)
						.contains("rename-command");
				});
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			-ERR Could not find scripting engine 'lua' | cannot run Lua scripts | with Lua
			-ERR unknown command 'evalsha', with args beginning with: | does not know a command | rename-command
			-CROSSSLOT Keys in request don't hash to the same slot | keys of one lock | hash tags
			-ERR Script attempted to access a non local key in a cluster node | keys of one lock | hash tags
			""")
	void aServerThatCannotRunTheScriptsIsAConfigurationProblemWithAnAction(String answer, String problem,
			String action) {
		try (FaultProxy proxy = FaultProxy.to(RedisServer.shared())) {
			StoreClient client = this.redis.client(this.redis.lettuce(RedisFixture.address(proxy)),
					RedisFixture.settings());
			proxy.answerNext("EVALSHA", answer);
			assertThat(StoreClient.get(client.store().inspect()).findings()).singleElement().satisfies((finding) -> {
				assertThat(finding.severity()).isEqualTo(StoreReport.Severity.ERROR);
				assertThat(finding.problem()).contains(problem).contains(action);
			});
			client.store().close();
		}
	}

	/**
	 * Valkey from 9.1 on has its scripting engine in a module, and may be built without.
	 */
	@Test
	void aRealServerWithoutLuaIsAConfigurationProblem() {
		assumeTrue(String.valueOf(RedisServer.shared().cli("MODULE", "LIST")).contains("lua"), "Its Lua is no module");
		try (RedisServer server = RedisServer.builder().config("enable-module-command", "yes").start()) {
			server.cli("MODULE", "UNLOAD", "lua");
			for (String client : List.of("lettuce", "jedis")) {
				assertThat(StoreClient.get(client(server, client).store().inspect()).findings()).singleElement()
					.satisfies((finding) -> assertThat(finding.problem()).contains("cannot run Lua scripts"));
			}
		}
	}

	private StoreClient client(RedisServer server, String client) {
		return this.redis.client(this.redis.template(client, RedisFixture.address(server)), RedisFixture.settings());
	}

}
