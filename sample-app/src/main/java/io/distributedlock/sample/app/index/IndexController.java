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

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/indexes/{id}")
class IndexController {

	private final IndexService service;

	private final IndexRepository repository;

	IndexController(IndexService service, IndexRepository repository) {
		this.service = service;
		this.repository = repository;
	}

	@PutMapping
	void create(@PathVariable String id) {
		this.repository.create(id);
	}

	@GetMapping
	Reading read(@PathVariable String id, @RequestParam(defaultValue = "300") int millis) {
		return this.service.read(id, Duration.ofMillis(millis));
	}

	@PostMapping("/rebuild")
	void rebuild(@PathVariable String id) {
		this.service.rebuild(id);
	}

}
