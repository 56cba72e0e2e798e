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

package io.distributedlock.sample.app.payment;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.sample.app.LockAnswers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class PaymentController {

	private static final Logger logger = LoggerFactory.getLogger(PaymentController.class);

	private final PaymentService service;

	private final PaymentRepository payments;

	PaymentController(PaymentService service, PaymentRepository payments) {
		this.service = service;
		this.payments = payments;
	}

	@PostMapping("/pay")
	Payment pay(@RequestParam long user, @RequestParam String order) {
		return this.service.pay(user, order);
	}

	@GetMapping("/payments/{order}/count")
	int count(@PathVariable String order) {
		return this.payments.count(order);
	}

	@ExceptionHandler
	ProblemDetail beingProcessed(LockNotAcquiredException ex) {
		String detail = "being processed, please do not submit again";
		logger.info("refused '{}': {}", ex.getLockName(), detail);
		return LockAnswers.busy(ex, detail);
	}

	@ExceptionHandler
	ProblemDetail begunBefore(DuplicateKeyException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT,
				"begun before: the gateway knows whether the order is paid");
	}

}
