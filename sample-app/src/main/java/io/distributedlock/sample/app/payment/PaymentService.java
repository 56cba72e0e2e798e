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

package io.distributedlock.sample.app.payment;

import java.time.Duration;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.sample.app.SlowWork;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Service;

/**
 * Scenario 3: an impatient user submits the same payment several times. The lock refuses
 * the others while the first one is under way, so that the gateway is not asked again.
 * The look into the table answers those that come later. The key of the table refuses
 * what slips through, if the lock was lost.
 */
@Service
public class PaymentService {

	private static final Logger logger = LoggerFactory.getLogger(PaymentService.class);

	private static final Duration TIME_OF_A_PAYMENT = Duration.ofSeconds(2);

	private final PaymentRepository payments;

	private final SlowWork gateway;

	PaymentService(PaymentRepository payments, SlowWork gateway) {
		this.payments = payments;
		this.gateway = gateway;
	}

	/**
	 * Pay an order.
	 * @throws org.springframework.dao.DuplicateKeyException if another call has begun to,
	 * and it is not known whether the order is paid
	 */
	@DistributedLock(name = "pay:#{#orderId}", timeout = 30)
	public Payment pay(long userId, String orderId) {
		if (this.payments.count(orderId) > 0) {
			return new Payment(userId, orderId, false);
		}
		logger.info("holds the lock and pays {} of user {}", orderId, userId);
		this.payments.begin(userId, orderId);
		this.gateway.take(TIME_OF_A_PAYMENT);
		this.payments.complete(orderId);
		return new Payment(userId, orderId, true);
	}

}
