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

package io.distributedlock.sample.app.mailing;

import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.sample.app.LockAnswers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class MailingController {

	private static final Logger logger = LoggerFactory.getLogger(MailingController.class);

	private final MailingService mailings;

	MailingController(MailingService mailings) {
		this.mailings = mailings;
	}

	@PostMapping("/mailings/{issue}")
	CompletableFuture<Mailing> send(@PathVariable String issue) {
		return this.mailings.send(issue);
	}

	@ExceptionHandler
	ProblemDetail isBeingSent(LockNotAcquiredException ex) {
		logger.info("refused '{}': it is being sent already", ex.getLockName());
		return LockAnswers.busy(ex, "is being sent already");
	}

}
