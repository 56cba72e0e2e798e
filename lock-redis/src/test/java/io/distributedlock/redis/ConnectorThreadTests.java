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

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link ConnectorThread}.
 */
class ConnectorThreadTests {

	@Test
	void taskThatNoThreadCouldBeStartedForRunsWithTheNextOne() throws InterruptedException {
		try (ConnectorThread connector = new ConnectorThread()) {
			connector.executor.setThreadFactory(RedisFixture.notTheFirst(connector.executor.getThreadFactory()));
			CountDownLatch done = new CountDownLatch(2);
			assertThatNoException().isThrownBy(() -> connector.execute(done::countDown));
			connector.execute(done::countDown);
			assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
		}
	}

}
