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

import java.time.Duration;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockStoreContractTests;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.FaultProxy;
import io.distributedlock.testsupport.OutputCaptureExtension;
import io.distributedlock.testsupport.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of a store on a server that refuses PUBLISH inside scripts. The only
 * difference is that a script cannot know whether anybody listens.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
abstract class RefusedPublishTests extends LockStoreContractTests {

	private RedisServer server;

	private FaultProxy proxy;

	private RedisFixture redis;

	private StringRedisTemplate template;

	abstract StringRedisTemplate connect(RedisFixture redis, RedisStandaloneConfiguration address);

	@BeforeAll
	void connect() {
		this.server = RedisServer.builder().start();
		this.proxy = FaultProxy.to(this.server);
		this.proxy.refusePublishInScripts();
		this.redis = new RedisFixture();
		this.template = connect(this.redis, new RedisStandaloneConfiguration(this.proxy.host(), this.proxy.port()));
	}

	@AfterAll
	void disconnect() {
		this.redis.close();
		this.proxy.close();
		this.server.close();
	}

	@Override
	protected LockStore open() {
		return RedisLockStore.withOwnConnection(this.template, RedisFixture.settings());
	}

	@Override
	protected void pass(Duration time) throws InterruptedException {
		Thread.sleep(time.toMillis());
	}

	@Override
	protected boolean knowsWhoListens() {
		return false;
	}

	@Test
	void theServerIsWarnedOfOnce(CapturedOutput output) throws Exception {
		this.second.listen();
		for (int i = 0; i < 3; i++) {
			LockToken holder = this.first.newToken();
			LockToken waiter = this.second.newToken();
			this.first.mustAcquire("warned", holder);
			this.second.queue("warned", waiter);
			assertThat(this.first.release("warned", holder)).isEqualTo(ReleaseOutcome.RELEASED);
			assertThat(this.second.awaitGrant().token()).isEqualTo(waiter);
			this.second.release("warned", waiter);
		}
		assertThat(output.toString()).containsOnlyOnce("refuses PUBLISH inside scripts");
	}

}
