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

import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/cache/{product}")
class PriceController {

	private final PriceService prices;

	private final PriceCache cache;

	PriceController(PriceService prices, PriceCache cache) {
		this.prices = prices;
		this.cache = cache;
	}

	@GetMapping
	Price find(@PathVariable String product) {
		return this.prices.find(product);
	}

	@DeleteMapping
	void expire(@PathVariable String product) {
		this.cache.expire(product);
	}

}
