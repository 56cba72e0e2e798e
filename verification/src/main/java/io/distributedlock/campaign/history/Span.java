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

package io.distributedlock.campaign.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A time with a beginning and an end.
 */
public record Span(long from, long to) {

	long overlap(long otherFrom, long otherTo) {
		return Math.max(0, Math.min(this.to, otherTo) - Math.max(this.from, otherFrom));
	}

	long length() {
		return this.to - this.from;
	}

	/**
	 * Return the parts of this time that are in none of the others, in their order.
	 */
	List<Span> without(Stream<Span> others) {
		List<Span> left = new ArrayList<>();
		long covered = this.from;
		for (Span each : others.sorted(Comparator.comparingLong(Span::from)).toList()) {
			long until = Math.min(each.from, this.to);
			if (until > covered) {
				left.add(new Span(covered, until));
			}
			covered = Math.max(covered, each.to);
		}
		if (this.to > covered) {
			left.add(new Span(covered, this.to));
		}
		return left;
	}

}
