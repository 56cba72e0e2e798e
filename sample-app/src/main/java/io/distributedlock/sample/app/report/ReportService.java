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

package io.distributedlock.sample.app.report;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.sample.app.InstanceName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Service;

/**
 * Scenario 1: a report that is requested twice is written once. No wait: the second
 * caller is refused at once. The lock is released even if the query throws.
 */
@Service
public class ReportService {

	private static final Logger logger = LoggerFactory.getLogger(ReportService.class);

	private final ReportDatabase database;

	private final InstanceName instance;

	ReportService(ReportDatabase database, InstanceName instance) {
		this.database = database;
		this.instance = instance;
	}

	/**
	 * Write the report of a query, which takes a while.
	 */
	@DistributedLock(name = "report:#{#queryId}", timeout = 30, autoRenew = true)
	public Report write(String queryId) {
		logger.info("holds the lock and writes the report of query {}", queryId);
		return new Report(queryId, this.database.countRows(queryId), this.instance.toString());
	}

}
