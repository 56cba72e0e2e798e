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

package io.distributedlock.testsupport;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The sending end of one direction of a proxied connection. Delivers in order, as late as
 * the conditions say.
 */
final class ProxyLink {

	private final Direction direction;

	private final Socket target;

	private final LinkConditions conditions;

	private final BlockingQueue<Delivery> deliveries = new LinkedBlockingQueue<>();

	/** Once something was lost, what follows makes no sense and must not arrive. */
	private volatile boolean lossy;

	private boolean finished;

	ProxyLink(Direction direction, Socket target, LinkConditions conditions) {
		this.direction = direction;
		this.target = target;
		this.conditions = conditions;
	}

	void send(byte[] bytes) {
		deliver(() -> write(bytes));
	}

	void finish() {
		deliver(() -> {
			this.finished = true;
			this.target.shutdownOutput();
		});
	}

	/**
	 * Hands over an action that takes its turn after all that was sent before.
	 * @param action what to do
	 */
	void deliver(Action action) {
		Duration delay = this.conditions.delay(this.direction);
		this.deliveries.add(new Delivery(System.nanoTime() + delay.toNanos(), action));
	}

	/**
	 * Delivers until interrupted.
	 * @throws InterruptedException when the connection is closed
	 * @throws IOException when the target is gone
	 */
	void run() throws InterruptedException, IOException {
		while (true) {
			Delivery delivery = this.deliveries.take();
			TimeUnit.NANOSECONDS.sleep(delivery.due() - System.nanoTime());
			if (this.conditions.awaitPassage(this.direction, () -> this.lossy = true) && !this.lossy) {
				delivery.action().run();
			}
		}
	}

	/**
	 * Tells whether something was lost here.
	 */
	boolean isLossy() {
		return this.lossy;
	}

	private void write(byte[] bytes) throws IOException {
		if (!this.finished) {
			this.target.getOutputStream().write(bytes);
			this.target.getOutputStream().flush();
		}
	}

	private record Delivery(long due, Action action) {
	}

	/**
	 * What is done to the target.
	 */
	@FunctionalInterface
	interface Action {

		void run() throws IOException;

	}

}
