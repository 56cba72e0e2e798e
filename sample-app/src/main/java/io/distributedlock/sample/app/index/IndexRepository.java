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

package io.distributedlock.sample.app.index;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Indexes in two parts, and how many read each of them.
 */
@Repository
class IndexRepository {

	private final JdbcClient jdbc;

	IndexRepository(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	void create(String id) {
		this.jdbc.sql("merge into indexes (id, first_part, last_part, readers) values (?, 0, 0, 0)").param(id).update();
	}

	int firstPart(String id) {
		return number("select first_part from indexes where id = ?", id);
	}

	int lastPart(String id) {
		return number("select last_part from indexes where id = ?", id);
	}

	int readers(String id) {
		return number("select readers from indexes where id = ?", id);
	}

	void rebuildFirstPart(String id) {
		update("update indexes set first_part = first_part + 1 where id = ?", id);
	}

	void rebuildLastPart(String id) {
		update("update indexes set last_part = last_part + 1 where id = ?", id);
	}

	void addReader(String id) {
		update("update indexes set readers = readers + 1 where id = ?", id);
	}

	void removeReader(String id) {
		update("update indexes set readers = readers - 1 where id = ?", id);
	}

	private int number(String query, String id) {
		return this.jdbc.sql(query).param(id).query(Integer.class).single();
	}

	private void update(String statement, String id) {
		this.jdbc.sql(statement).param(id).update();
	}

}
