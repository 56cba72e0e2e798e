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

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * Takes a lock from its holder as an operator does: looks up the holder, and releases
 * that hold but no later one.
 */
final class ForcedRelease {

	private static final int RELEASED = 200;

	private static final int FREE = 404;

	private static final int NOT_PERMITTED = 405;

	private final Instance instance;

	ForcedRelease(Instance instance) {
		this.instance = instance;
	}

	/** Release a lock, whoever holds it, and return the result. */
	Outcome of(String lock) {
		String path = "/actuator/locks?name=" + encode(lock);
		String hold = this.instance.get(path).text("hold");
		if (hold.isEmpty()) {
			return new Outcome(false, "'%s' is free already.".formatted(lock));
		}
		int status = this.instance.delete(path + "&hold=" + encode(hold)).status();
		return switch (status) {
			case RELEASED -> new Outcome(true, "'%s' was taken from its holder.".formatted(lock));
			case FREE -> new Outcome(false, "'%s' is free already.".formatted(lock));
			case Answer.BUSY -> new Outcome(false, "Another holder has '%s' by now.".formatted(lock));
			case NOT_PERMITTED ->
				new Outcome(false, "Not permitted: management.endpoint.locks.access is not 'unrestricted'.");
			default -> new Outcome(false, "The endpoint answered with status %d.".formatted(status));
		};
	}

	private static String encode(String text) {
		return URLEncoder.encode(text, StandardCharsets.UTF_8);
	}

	record Outcome(boolean done, String detail) {

	}

}
