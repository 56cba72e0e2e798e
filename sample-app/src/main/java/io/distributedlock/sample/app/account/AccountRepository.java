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

package io.distributedlock.sample.app.account;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

@Repository
class AccountRepository {

	private final JdbcClient jdbc;

	AccountRepository(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	Balance find(String id) {
		int balance = this.jdbc.sql("select balance from accounts where id = ?")
			.param(id)
			.query(Integer.class)
			.optional()
			.orElse(0);
		return new Balance(id, balance);
	}

	void save(Balance account) {
		this.jdbc.sql("merge into accounts (id, balance) values (?, ?)")
			.params(account.id(), account.balance())
			.update();
	}

}
