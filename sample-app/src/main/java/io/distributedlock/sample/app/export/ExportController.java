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

package io.distributedlock.sample.app.export;

import io.distributedlock.LockLostException;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class ExportController {

	private final ExportService exports;

	ExportController(ExportService exports) {
		this.exports = exports;
	}

	@PostMapping("/exports/{id}")
	Export write(@PathVariable String id, @RequestParam(defaultValue = "true") boolean renew) {
		return renew ? this.exports.writeWithRenewal(id) : this.exports.writeWithoutRenewal(id);
	}

	@ExceptionHandler
	ProblemDetail stopped(LockLostException ex) {
		ProblemDetail answer = ProblemDetail.forStatusAndDetail(HttpStatus.INTERNAL_SERVER_ERROR, ex.getMessage());
		answer.setProperty("cause", ex.getLossCause());
		return answer;
	}

}
