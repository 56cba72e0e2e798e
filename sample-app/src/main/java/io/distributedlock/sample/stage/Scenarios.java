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

import java.util.List;

/**
 * All scenarios that are played.
 */
final class Scenarios {

	/** In the order of the documentation. */
	static final List<Scenario> ALL = List.of(new ReportScenario(), new ScheduledJobScenario(), new PaymentScenario(),
			new RepeatedOrderScenario(), new StockScenario(), new CacheScenario(), new JobScenario(),
			new LongTaskScenario(), new LeaderScenario(), new FeedScenario(), new RateScenario(), new MailingScenario(),
			new FencedScenario(), new InvoiceExportScenario(), new IndexScenario());

	private Scenarios() {
	}

}
