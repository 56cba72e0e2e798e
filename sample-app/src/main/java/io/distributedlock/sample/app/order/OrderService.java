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

package io.distributedlock.sample.app.order;

import java.util.UUID;

import io.distributedlock.annotation.DistributedLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Service;

/**
 * Scenario 4: the same request again within a short time after it succeeded. The work is
 * done at once, but the lock stays taken for the rest of its minimum hold.
 */
@Service
public class OrderService {

	/** The least time between two orders of the same cart, in seconds. */
	public static final int SECONDS_BETWEEN_ORDERS = 4;

	private static final Logger logger = LoggerFactory.getLogger(OrderService.class);

	/**
	 * Order what is in a cart.
	 */
	@DistributedLock(name = "order:#{#cart}", timeout = 10, minHold = SECONDS_BETWEEN_ORDERS)
	public UUID place(String cart) {
		UUID order = UUID.randomUUID();
		logger.info("ordered {}", cart);
		return order;
	}

}
