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

package com.example;

import java.util.List;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnContention;

/**
 * Beans with a mistake each, in the package of a user. The report on them is in
 * docs/troubleshooting.md.
 */
public final class PlantedMistakes {

	/**
	 * The classes of the beans.
	 */
	public static final List<Class<?>> BEANS = List.of(PaymentService.class, ReportService.class, StockService.class,
			JobService.class, InvoiceService.class, OrderService.class);

	private PlantedMistakes() {
	}

}

class PaymentService {

	@DistributedLock(name = "pay:#{#oderId}", timeout = 30)
	public void pay(long userId, String orderId) {
	}

}

class ReportService {

	@DistributedLock(name = "report:#{#id}", timeoutString = "30 seconds")
	public void write(long id) {
	}

}

class StockService {

	@DistributedLock(name = "stock:#{#product}", fallbackMethod = "busy")
	public int purchase(String product, int pieces) {
		return pieces;
	}

	int busy(String product) {
		return 0;
	}

}

class JobService {

	@DistributedLock(name = "job:#{#id}", onContention = OnContention.SKIP)
	public boolean process(long id) {
		return true;
	}

}

class InvoiceService {

	@DistributedLock(name = "invoices")
	public final void send() {
	}

}

class OrderService {

	public void checkout(long id) {
		place(id);
	}

	@DistributedLock(name = "order:#{#id}")
	public void place(long id) {
	}

}
