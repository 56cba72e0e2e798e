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

package io.distributedlock.sample.app.rate;

import java.time.Duration;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.sample.app.InstanceMark;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

import org.springframework.stereotype.Service;

/**
 * Scenario 11: the lock is acquired at the subscription, held until the value arrives,
 * and released if the subscriber cancels. No thread waits in the meantime.
 */
@Service
public class RateService {

	private static final Logger logger = LoggerFactory.getLogger(RateService.class);

	private static final Duration TIME_OF_A_QUERY = Duration.ofSeconds(2);

	private final InstanceMark mark;

	RateService(InstanceMark mark) {
		this.mark = mark;
	}

	/**
	 * Ask the exchange for a rate.
	 */
	@DistributedLock(name = "rate:#{#currency}", timeout = 10)
	public Mono<Rate> query(String currency) {
		return Mono.fromRunnable(() -> log("holds the lock and asks the exchange for " + currency))
			.then(Mono.delay(TIME_OF_A_QUERY))
			.map((tick) -> new Rate(currency, 100 + Math.floorMod(currency.hashCode(), 900)))
			.doOnCancel(() -> log("gives up asking for " + currency));
	}

	private void log(String line) {
		this.mark.run(() -> logger.info(line));
	}

}
