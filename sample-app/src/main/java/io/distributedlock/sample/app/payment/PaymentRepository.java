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

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

@Repository
class PaymentRepository {

	private final JdbcClient jdbc;

	PaymentRepository(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * Record that an order is about to be paid.
	 * @throws org.springframework.dao.DuplicateKeyException if that is recorded already
	 */
	void begin(long user, String order) {
		this.jdbc.sql("insert into payments (order_id, user_id, paid) values (?, ?, false)")
			.params(order, user)
			.update();
	}

	void complete(String order) {
		this.jdbc.sql("update payments set paid = true where order_id = ?").param(order).update();
	}

	/** Count what was paid. */
	int count(String order) {
		return this.jdbc.sql("select count(*) from payments where order_id = ? and paid")
			.param(order)
			.query(Integer.class)
			.single();
	}

}
