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

package io.distributedlock.campaign.worker;

import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;

import io.distributedlock.campaign.history.Event;
import io.distributedlock.campaign.history.Journal;
import io.distributedlock.testsupport.RespClient;
import io.distributedlock.testsupport.RespException;
import org.jspecify.annotations.Nullable;

/**
 * Writes down when this worker got no processor, or no answer from Redis, for so long
 * that its locks may suffer from it. It asks on a connection of its own and with code of
 * its own, so that a defect of the locks is not taken for a slow machine.
 */
final class Pulse implements Runnable {

	private static final Duration PERIOD = Duration.ofMillis(50);

	/** The shortest that may delay a renewal so much that its lock is lost. */
	private static final Duration STALL = Duration.ofMillis(100);

	private static final Duration LIMIT = Duration.ofSeconds(1);

	private final Journal journal;

	private final @Nullable InetSocketAddress redis;

	private @Nullable RespClient client;

	/**
	 * Create a pulse.
	 * @param redis whom to ask, or {@code null} to look at the processor only
	 */
	Pulse(Journal journal, @Nullable InetSocketAddress redis) {
		this.journal = journal;
		this.redis = redis;
	}

	@Override
	public void run() {
		try {
			while (true) {
				long begin = System.nanoTime();
				Thread.sleep(PERIOD.toMillis());
				ask();
				long end = System.nanoTime();
				if (end - begin > PERIOD.plus(STALL).toNanos()) {
					this.journal
						.write(new Event(Event.Type.STALLED, 0, Event.SEVERAL, 0, 0, end, 0, 0, end - begin, 0, 0));
				}
			}
		}
		catch (InterruptedException ex) {
			// The worker ends
		}
		finally {
			disconnect();
		}
	}

	private void ask() {
		if (this.redis == null) {
			return;
		}
		try {
			if (this.client == null) {
				this.client = RespClient.connect(this.redis.getHostString(), this.redis.getPort(), LIMIT);
			}
			this.client.command("PING");
		}
		catch (UncheckedIOException | RespException ex) {
			disconnect();
		}
	}

	private void disconnect() {
		if (this.client != null) {
			this.client.close();
			this.client = null;
		}
	}

}
