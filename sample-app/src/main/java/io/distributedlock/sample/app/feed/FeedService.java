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

package io.distributedlock.sample.app.feed;

import java.time.Duration;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.sample.app.InstanceName;
import io.distributedlock.sample.app.SlowWork;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Service;

/**
 * Scenario 10: imports that an older worker in another language may be carrying out. The
 * name {@code feed:x} is the key {@code lock:feed:x}.
 */
@Service
public class FeedService {

	private static final Logger logger = LoggerFactory.getLogger(FeedService.class);

	private static final Duration TIME_OF_AN_IMPORT = Duration.ofMillis(1500);

	private final SlowWork work;

	private final InstanceName instance;

	FeedService(SlowWork work, InstanceName instance) {
		this.work = work;
		this.instance = instance;
	}

	/**
	 * Import a feed, unless another worker is importing it.
	 */
	@DistributedLock(name = "feed:#{#feed}", timeout = 10)
	public FeedImport runNow(String feed) {
		return run(feed);
	}

	/**
	 * Import a feed, after any other worker that is importing it.
	 */
	@DistributedLock(name = "feed:#{#feed}", timeout = 10, waitTime = 10)
	public FeedImport runInTurn(String feed) {
		return run(feed);
	}

	private FeedImport run(String feed) {
		logger.info("holds the lock and imports {}", feed);
		this.work.take(TIME_OF_AN_IMPORT);
		return new FeedImport(feed, this.instance.toString());
	}

}
