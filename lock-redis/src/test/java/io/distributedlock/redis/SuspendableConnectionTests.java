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

package io.distributedlock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SuspendableConnection}.
 */
class SuspendableConnectionTests {

	private final List<Connection> connections = new ArrayList<>();

	private final SuspendableConnection connection = new SuspendableConnection(this::open);

	private StoreConnection open() {
		Connection opened = new Connection();
		this.connections.add(opened);
		return opened;
	}

	/** A suspended connection that subscribes keeps its socket, and maybe a thread. */
	@Test
	void aSubscriptionBesideASuspensionIsClosedOrMadeLater() throws Exception {
		for (int round = 0; round < 2_000; round++) {
			this.connections.clear();
			SuspendableConnection connection = new SuspendableConnection(this::open);
			CountDownLatch start = new CountDownLatch(2);
			CompletableFuture<Void> suspended = CompletableFuture.runAsync(() -> {
				meet(start);
				connection.suspend();
			});
			meet(start);
			connection.listen(new byte[0], null);
			suspended.get(20, TimeUnit.SECONDS);
			connection.get();
			assertThat(this.connections).filteredOn((each) -> each.listens).hasSize(1);
			connection.close();
			assertThat(this.connections).noneMatch((each) -> each.listens);
		}
	}

	@Test
	void aConnectionIsNotSubscribedAfterItsEnd() {
		this.connection.close();
		this.connection.listen(new byte[0], null);
		this.connection.suspend();
		assertThat(this.connections).noneMatch((each) -> each.listens);
	}

	@Test
	void aSuspendedConnectionIsNotSubscribedAfterItsEnd() {
		this.connection.suspend();
		this.connection.close();
		this.connection.listen(new byte[0], null);
		assertThat(this.connections).noneMatch((each) -> each.listens);
	}

	private static void meet(CountDownLatch start) {
		start.countDown();
		while (start.getCount() > 0) {
			Thread.onSpinWait();
		}
	}

	private static final class Connection extends UnconnectedStoreConnection {

		private volatile boolean listens;

		@Override
		void listen(byte[] channel, InboxListener listener) {
			this.listens = true;
		}

		@Override
		public void close() {
			this.listens = false;
		}

	}

}
