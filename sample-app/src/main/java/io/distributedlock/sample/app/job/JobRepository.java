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

package io.distributedlock.sample.app.job;

import java.util.List;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

@Repository
class JobRepository {

	private final JdbcClient jdbc;

	JobRepository(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	void saveRun(String jobId, String instance) {
		this.jdbc.sql("insert into job_runs (job_id, instance) values (?, ?)").params(jobId, instance).update();
	}

	List<String> findRuns(String jobId) {
		return this.jdbc.sql("select instance from job_runs where job_id = ?").param(jobId).query(String.class).list();
	}

}
