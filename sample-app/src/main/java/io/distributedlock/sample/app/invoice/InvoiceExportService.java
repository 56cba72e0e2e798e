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

package io.distributedlock.sample.app.invoice;

import java.time.Duration;
import java.util.UUID;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.sample.app.SlowWork;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Service;

/**
 * Scenario 14: the database bears three exports at a time, whichever instance runs them.
 * The others wait in the order of their arrival.
 */
@Service
public class InvoiceExportService {

	private static final Logger logger = LoggerFactory.getLogger(InvoiceExportService.class);

	private static final Duration TIME_OF_AN_EXPORT = Duration.ofSeconds(1);

	private final RunningExports running;

	private final SlowWork work;

	InvoiceExportService(RunningExports running, SlowWork work) {
		this.running = running;
		this.work = work;
	}

	/**
	 * Export the invoices of a month.
	 */
	@DistributedLock(name = "invoice-export", permits = 3, timeout = 10, waitTime = 30)
	public InvoiceExport export(String month) {
		UUID export = this.running.add();
		try {
			int atOnce = this.running.count();
			logger.info("holds one of three permits and exports {}; exports that run now: {}", month, atOnce);
			this.work.take(TIME_OF_AN_EXPORT);
			return new InvoiceExport(month, atOnce);
		}
		finally {
			this.running.remove(export);
		}
	}

}
