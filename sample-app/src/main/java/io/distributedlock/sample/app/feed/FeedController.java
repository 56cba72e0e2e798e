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

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/feeds/{feed}")
class FeedController {

	private final FeedService feeds;

	private final OtherWorker other;

	FeedController(FeedService feeds, OtherWorker other) {
		this.feeds = feeds;
		this.other = other;
	}

	@PostMapping
	FeedImport run(@PathVariable String feed, @RequestParam(defaultValue = "false") boolean inTurn) {
		return inTurn ? this.feeds.runInTurn(feed) : this.feeds.runNow(feed);
	}

	@PostMapping("/python")
	ResponseEntity<FeedImport> runElsewhere(@PathVariable String feed) {
		return this.other.run(feed)
			.map(ResponseEntity::ok)
			.orElseGet(() -> ResponseEntity.status(HttpStatus.CONFLICT).build());
	}

}
