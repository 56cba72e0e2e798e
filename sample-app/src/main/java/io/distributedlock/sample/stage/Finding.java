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

import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * An observation after a scenario.
 *
 * @param expected what was expected, or {@code null} if it is only worth telling
 * @param harm what is wrong with it if the scenario shows a bad result on purpose, else
 * {@code null}
 */
record Finding(String what, @Nullable Object expected, Object seen, @Nullable String harm) {

	Finding(String what, @Nullable Object expected, Object seen) {
		this(what, expected, seen, null);
	}

	static Finding note(String what, Object seen) {
		return new Finding(what, null, seen);
	}

	static Finding that(String what, boolean seen) {
		return new Finding(what, true, seen);
	}

	static Finding number(String what, long expected, long seen) {
		return new Finding(what, expected, seen);
	}

	/** A bad result that was expected: what happens without the protection. */
	Finding shows(String harm) {
		return new Finding(this.what, this.expected, this.seen, harm);
	}

	static boolean areAsExpected(List<Finding> findings) {
		return findings.stream().allMatch(Finding::asExpected);
	}

	boolean asExpected() {
		return this.expected == null || this.expected.equals(this.seen);
	}

	@Override
	public String toString() {
		if (this.expected == null) {
			return "· %s: %s".formatted(this.what, inWords(this.seen));
		}
		if (!asExpected()) {
			return this.expected.equals(true) ? "✗ " + this.what + ": was not so"
					: "✗ %s: expected %s, but saw %s".formatted(this.what, inWords(this.expected), inWords(this.seen));
		}
		String seen = this.expected.equals(true) ? this.what : this.what + ": " + inWords(this.seen);
		return (this.harm == null) ? "✓ " + seen : "⚠ %s (shown on purpose: %s)".formatted(seen, this.harm);
	}

	private static String inWords(Object value) {
		return (value instanceof Collection<?> several)
				? several.stream().map(String::valueOf).collect(Collectors.joining(", ")) : value.toString();
	}

}
