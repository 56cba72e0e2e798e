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

package io.distributedlock.sample.app.leader;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/leader")
class LeaderController {

	private final LeaderService service;

	private final StringRedisTemplate redis;

	LeaderController(LeaderService service, StringRedisTemplate redis) {
		this.service = service;
		this.redis = redis;
	}

	@GetMapping
	LeaderStatus status() {
		return this.service.status();
	}

	@PostMapping
	void stand() {
		this.service.stand();
	}

	@DeleteMapping
	void resign() {
		this.service.resign();
	}

	/** Simulates a careless operator, or a restart of Redis. */
	@DeleteMapping("/key")
	void loseKey() {
		this.redis.delete("lock:leader");
	}

}
