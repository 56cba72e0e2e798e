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

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/stock/{product}")
class StockController {

	private final StockService service;

	private final StockRepository repository;

	StockController(StockService service, StockRepository repository) {
		this.service = service;
		this.repository = repository;
	}

	@PostMapping("/purchase")
	Stock purchase(@PathVariable String product, @RequestParam(defaultValue = "true") boolean locked,
			@RequestParam(defaultValue = "false") boolean early, @RequestParam(defaultValue = "1") int buyers) {
		if (early) {
			return this.service.purchaseUnlockingEarly(product, buyers);
		}
		return locked ? this.service.purchase(product) : this.service.purchaseUnlocked(product, buyers);
	}

	@GetMapping
	Stock find(@PathVariable String product) {
		return this.repository.find(product);
	}

	@PutMapping
	void fill(@PathVariable String product, @RequestParam int quantity) {
		this.repository.fill(product, quantity);
	}

	@ExceptionHandler
	ProblemDetail soldOut(SoldOutException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.GONE, ex.getMessage());
	}

}
