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

package io.distributedlock.sample.stage;

import java.time.Duration;

import tools.jackson.databind.JsonNode;

/**
 * What an instance answered.
 */
record Answer(String instance, int status, JsonNode body, Duration took) {

	static final int OK = 200;

	static final int BUSY = 409;

	static final int SOLD_OUT = 410;

	static final int TOO_SLOW = 504;

	boolean is(int status) {
		return this.status == status;
	}

	/** Whether it was refused while another caller was still at work. */
	boolean isBusyBefore(Answer other) {
		return is(BUSY) && this.took.compareTo(other.took) < 0;
	}

	String detail() {
		return text("detail");
	}

	String text(String field) {
		return this.body.path(field).asString("");
	}

}
