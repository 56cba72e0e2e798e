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

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.internal.DaemonThread;
import io.distributedlock.store.test.StoreClient;
import io.distributedlock.testsupport.FaultProxy;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link DaemonThread}, by what can be seen in all threads of a store.
 */
class StoreThreadsTests {

	/**
	 * An answer comes in time, and another question need not wait long for the end of its
	 * time.
	 */
	private static final RedisLockSettings PATIENT_ENOUGH = RedisLockSettings.defaults()
		.withCommandTimeout(Duration.ofSeconds(2));

	private static final InheritableThreadLocal<String> USER = new InheritableThreadLocal<>();

	@RegisterExtension
	static final RedisExtension extension = RedisExtension.with(RedisServer.builder());

	private final RedisFixture redis = new RedisFixture();

	/** What was seen, by thread. */
	private final Map<String, String> seen = new ConcurrentHashMap<>();

	@AfterEach
	void close() {
		this.redis.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void threadsInheritNothingFromTheFirstCaller(String client) throws Exception {
		try (FaultProxy proxy = FaultProxy.to(extension.server())) {
			Thread request = new Thread(() -> use(client, proxy));
			request.setContextClassLoader(new ClassLoader(null) {
			});
			request.start();
			request.join();
		}
		// The thread of the subscription comes at its own time
		await().atMost(RedisFixture.PATIENCE).until(() -> this.seen.size() >= 3);
		assertThat(this.seen).allSatisfy((thread, what) -> {
			assertThat(thread).startsWith("distributed-lock-");
			assertThat(what).isEqualTo("null in " + RedisLockStore.class.getClassLoader());
		});
	}

	private void use(String client, FaultProxy proxy) {
		USER.set("alice");
		RedisStandaloneConfiguration address = RedisFixture.address(proxy);
		proxy.refuseConnections();
		StoreClient store = this.redis.client(this.redis.template(client, address), PATIENT_ENOUGH);
		ask(store).join();
		proxy.heal();
		store.store().listen("app@host~1", RedisFixture.listener((told) -> {
			// That is told by the caller, if it was so before
			if (!told.equals("interrupted")) {
				look();
			}
		}));
		await().atMost(RedisFixture.PATIENCE)
			.until(() -> ((Long) ((List<?>) extension.server().cli("PUBSUB", "NUMSUB", "lock:inbox:app@host~1"))
				.get(1)) == 1L);
		ask(store).join();
		// Who answers before the question has its continuation is not seen
		proxy.stall();
		CompletableFuture<?> answered = ask(store);
		proxy.heal();
		answered.join();
		proxy.stall();
		ask(store).join();
	}

	/**
	 * Is told by the thread that connects, that reads, or that ends what takes too long.
	 */
	private CompletableFuture<?> ask(StoreClient store) {
		Thread caller = Thread.currentThread();
		return store.store().find("a").whenComplete((lock, failure) -> {
			if (Thread.currentThread() != caller) {
				look();
			}
		}).exceptionally((failure) -> null);
	}

	private void look() {
		Thread thread = Thread.currentThread();
		this.seen.put(thread.getName(), USER.get() + " in " + thread.getContextClassLoader());
	}

}
