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
 * What a load that did not change cost the servers.
 *
 * @param rule the rule that bounds it
 * @param span in which it was counted
 * @param scripts how many scripts the servers executed in that time
 * @param perSecond how many are needed in a second
 */
public record Cost(Rule rule, Span span, long scripts, long perSecond) {

	/** Whether there were more by a sixth: a count begins and ends within a second. */
	boolean isTooHigh() {
		return this.scripts > allowed() + allowed() / 6;
	}

	private long allowed() {
		return this.perSecond * (this.span.to() - this.span.from()) / 1_000_000_000;
	}

	String summary() {
		return "The workers sent %d scripts within %d ms, and need %d".formatted(this.scripts,
				(this.span.to() - this.span.from()) / 1_000_000, allowed());
	}

}
