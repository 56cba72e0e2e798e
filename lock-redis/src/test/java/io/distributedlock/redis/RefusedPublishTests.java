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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.core.StringRedisTemplate;

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
@ExtendWith(OutputCaptureExtension.class)
abstract class RefusedPublishTests extends RedisContractTests {

	private final String client;

	RefusedPublishTests(String client) {
		this.client = client;
	}

	@Override
	StringRedisTemplate connect() {
		RedisServer server = this.redis.closeLater(RedisServer.start());
		FaultProxy proxy = this.redis.closeLater(FaultProxy.to(server));
		proxy.refusePublishInScripts();
		return this.redis.template(this.client, RedisFixture.address(proxy));
	}

	@Override
	protected boolean knowsWhoListens() {
		return false;
	}

	@Test
	void theServerIsWarnedOfOnce(CapturedOutput output) throws Exception {
		second().listen();
		for (int i = 0; i < 3; i++) {
			LockToken holder = first().newToken();
			LockToken waiter = second().newToken();
			first().mustAcquire("warned", holder);
			second().queue("warned", waiter);
			assertThat(first().release("warned", holder)).isEqualTo(ReleaseOutcome.RELEASED);
			assertThat(second().awaitGrant().token()).isEqualTo(waiter);
			second().release("warned", waiter);
		}
		assertThat(output.toString()).containsOnlyOnce("refuses PUBLISH inside scripts");
	}

}
