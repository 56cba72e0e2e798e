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

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.sample.app.SlowWork;

import org.springframework.stereotype.Component;

/**
 * Stands for the database with the long queries.
 */
@Component
class ReportDatabase {

	private static final Duration TIME_OF_A_QUERY = Duration.ofMillis(1500);

	private final Set<String> broken = ConcurrentHashMap.newKeySet();

	private final SlowWork work;

	ReportDatabase(SlowWork work) {
		this.work = work;
	}

	void failOnce(String queryId) {
		this.broken.add(queryId);
	}

	int countRows(String queryId) {
		if (this.broken.remove(queryId)) {
			throw new QueryFailedException("The database closed the connection of query " + queryId + ".");
		}
		this.work.take(TIME_OF_A_QUERY);
		return 1000 + Math.floorMod(queryId.hashCode(), 1000);
	}

}
