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

package io.distributedlock.sample.app.invoice;

import java.util.UUID;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The exports that run, of all instances: proof that does not come from the lock.
 */
@Repository
class RunningExports {

	private final JdbcClient jdbc;

	RunningExports(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	UUID add() {
		UUID export = UUID.randomUUID();
		this.jdbc.sql("insert into running_exports (id) values (?)").param(export).update();
		return export;
	}

	int count() {
		return this.jdbc.sql("select count(*) from running_exports").query(Integer.class).single();
	}

	void remove(UUID export) {
		this.jdbc.sql("delete from running_exports where id = ?").param(export).update();
	}

}
