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

package io.distributedlock.sample.app.stock;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

@Repository
class StockRepository {

	private final JdbcClient jdbc;

	StockRepository(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	Stock find(String product) {
		return this.jdbc.sql("select product, quantity, sold from stock where product = ?")
			.param(product)
			.query(Stock.class)
			.optional()
			.orElse(new Stock(product, 0, 0));
	}

	void fill(String product, int quantity) {
		this.jdbc.sql("merge into stock (product, quantity, sold) values (?, ?, 0)").params(product, quantity).update();
	}

	/** No sale is lost, so that it can be seen if too much is sold. */
	void saveSale(String product, int rest) {
		this.jdbc.sql("update stock set quantity = ?, sold = sold + 1 where product = ?")
			.params(rest, product)
			.update();
	}

}
