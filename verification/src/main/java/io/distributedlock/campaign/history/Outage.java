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

/**
 * A time in which a worker may not have reached the store, or not in time.
 *
 * @param slot the slot of that worker, or {@link #ALL}
 */
public record Outage(int slot, Span span) {

	/**
	 * The slot that stands for all workers.
	 */
	public static final int ALL = -1;

	/**
	 * Returns an outage that is not over.
	 */
	public static Outage since(int slot, long from) {
		return new Outage(slot, new Span(from, Long.MAX_VALUE / 2));
	}

	/**
	 * Returns the same outage with its end.
	 */
	public Outage until(long to) {
		return new Outage(this.slot, new Span(this.span.from(), to));
	}

}
