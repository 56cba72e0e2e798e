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

import java.time.Duration;

import io.distributedlock.LockMode;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.sample.app.SlowWork;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Service;

/**
 * Scenario 15: any number of readers share the lock, and the one that rebuilds the index
 * holds it alone. A reader that arrives while it waits waits behind it.
 */
@Service
public class IndexService {

	private static final Logger logger = LoggerFactory.getLogger(IndexService.class);

	private static final Duration TIME_OF_A_REBUILD = Duration.ofMillis(800);

	private final IndexRepository indexes;

	private final SlowWork work;

	IndexService(IndexRepository indexes, SlowWork work) {
		this.indexes = indexes;
		this.work = work;
	}

	/**
	 * Read an index from its first to its last part.
	 */
	@DistributedLock(name = "index:#{#id}", mode = LockMode.SHARED, timeout = 10, waitTime = 20)
	public Reading read(String id, Duration time) {
		this.indexes.addReader(id);
		try {
			int readers = this.indexes.readers(id);
			int atFirst = this.indexes.firstPart(id);
			this.work.take(time);
			return new Reading(atFirst, this.indexes.lastPart(id), readers);
		}
		finally {
			this.indexes.removeReader(id);
		}
	}

	/**
	 * Rebuild an index, one part after the other.
	 */
	@DistributedLock(name = "index:#{#id}", timeout = 10, waitTime = 20)
	public void rebuild(String id) {
		logger.info("holds the lock alone and rebuilds {}; readers: {}", id, this.indexes.readers(id));
		this.indexes.rebuildFirstPart(id);
		this.work.take(TIME_OF_A_REBUILD);
		this.indexes.rebuildLastPart(id);
	}

}
