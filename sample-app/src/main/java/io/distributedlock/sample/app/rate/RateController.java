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
import java.util.concurrent.TimeoutException;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.sample.app.LockAnswers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.annotation.DurationFormat.Style;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class RateController {

	private static final Logger logger = LoggerFactory.getLogger(RateController.class);

	private final RateService rates;

	RateController(RateService rates) {
		this.rates = rates;
	}

	@PostMapping("/rates/{currency}")
	Mono<Rate> query(@PathVariable String currency,
			@RequestParam(defaultValue = "10s") @DurationFormat(style = Style.SIMPLE) Duration patience) {
		return this.rates.query(currency).timeout(patience);
	}

	@ExceptionHandler
	ProblemDetail isAsking(LockNotAcquiredException ex) {
		String detail = "refused '%s': %s is asking.".formatted(ex.getLockName(), LockAnswers.holder(ex));
		logger.info(detail);
		return LockAnswers.busy(ex, detail);
	}

	@ExceptionHandler
	ProblemDetail tooSlow(TimeoutException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.GATEWAY_TIMEOUT, "The exchange is too slow.");
	}

}
