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

package io.distributedlock.sample.app.report;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.sample.app.LockAnswers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/reports")
class ReportController {

	private static final Logger logger = LoggerFactory.getLogger(ReportController.class);

	private final ReportService reports;

	private final ReportDatabase database;

	ReportController(ReportService reports, ReportDatabase database) {
		this.reports = reports;
		this.database = database;
	}

	@PostMapping("/{queryId}")
	Report write(@PathVariable String queryId, @RequestParam(defaultValue = "false") boolean failOnce) {
		if (failOnce) {
			this.database.failOnce(queryId);
		}
		return this.reports.write(queryId);
	}

	@ExceptionHandler
	ProblemDetail runsElsewhere(LockNotAcquiredException ex) {
		String detail = "skipped: '%s' is being run by %s.".formatted(ex.getLockName(), LockAnswers.holder(ex));
		logger.info(detail);
		return LockAnswers.busy(ex, detail);
	}

	@ExceptionHandler
	ProblemDetail failed(QueryFailedException ex) {
		logger.info("the report failed and can be asked for again: {}", ex.getMessage());
		ProblemDetail answer = ProblemDetail.forStatusAndDetail(HttpStatus.BAD_GATEWAY, ex.getMessage());
		answer.setProperty("exception", ex.getClass().getSimpleName());
		return answer;
	}

}
