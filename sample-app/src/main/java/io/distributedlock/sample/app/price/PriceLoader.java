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

package io.distributedlock.sample.app.price;

import java.time.Duration;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.sample.app.SlowWork;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Component;

/**
 * Scenario 6: a hundred readers find the cache entry expired. One loads it; the others
 * wait for the lock, look into the cache again and find the value there.
 *
 * <p>
 * A separate bean, because a call within the same bean would not go through the proxy
 * that acquires the lock.
 */
@Component
class PriceLoader {

	private static final Logger logger = LoggerFactory.getLogger(PriceLoader.class);

	private static final Duration TIME_OF_A_LOAD = Duration.ofMillis(500);

	private final PriceCache cache;

	private final SlowWork database;

	PriceLoader(PriceCache cache, SlowWork database) {
		this.cache = cache;
		this.database = database;
	}

	@DistributedLock(name = "price:#{#product}", timeout = 10, waitTime = 20)
	public Price load(String product) {
		return this.cache.find(product)
			.map((cents) -> new Price(product, cents, Price.Source.CACHE_AFTER_WAIT))
			.orElseGet(() -> loadFromDatabase(product));
	}

	private Price loadFromDatabase(String product) {
		logger.info("holds the lock and loads the price of {} from the database", product);
		this.database.take(TIME_OF_A_LOAD);
		int cents = 100 + Math.floorMod(product.hashCode(), 900);
		this.cache.put(product, cents);
		return new Price(product, cents, Price.Source.DATABASE);
	}

}
