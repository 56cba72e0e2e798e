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

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.springframework.stereotype.Component;

/**
 * Buyers who come as far as one another before they go on. Without it, a purchase without
 * a lock, or with one that ends too early, would go wrong only now and then.
 */
@Component
class Crowd {

	private static final long SECONDS = 20;

	private final Map<String, CountDownLatch> coming = new ConcurrentHashMap<>();

	/**
	 * Wait until as many buyers of the product have come as far on this instance.
	 */
	void awaitAll(String product, int buyers) {
		CountDownLatch all = this.coming.computeIfAbsent(product, (absent) -> new CountDownLatch(buyers));
		all.countDown();
		try {
			if (!all.await(SECONDS, TimeUnit.SECONDS)) {
				throw new IllegalStateException("Of %d buyers of '%s', %d did not come within %d s.".formatted(buyers,
						product, all.getCount(), SECONDS));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("The purchase was interrupted.", ex);
		}
		finally {
			this.coming.remove(product, all);
		}
	}

}
