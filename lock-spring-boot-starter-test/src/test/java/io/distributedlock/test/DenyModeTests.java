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

package io.distributedlock.test;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.test.AutoConfigureDistributedLock.Mode;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link AutoConfigureDistributedLock} where every lock is held elsewhere.
 */
@SpringBootTest(classes = InMemoryModeTests.Application.class)
@AutoConfigureDistributedLock(mode = Mode.DENY)
class DenyModeTests {

	@Autowired
	private OrderService orders;

	@Test
	void everyLockIsBusy() {
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.orders.order(1))
			.withMessageContaining("held by instance 'denied-by-@AutoConfigureDistributedLock'");
	}

}
