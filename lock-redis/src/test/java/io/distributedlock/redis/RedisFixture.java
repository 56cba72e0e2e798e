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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisPoolConfig;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.util.Pool;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.store.Grant;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.test.StoreClient;
import io.distributedlock.testsupport.FaultProxy;
import io.distributedlock.testsupport.RedisServer;

import static org.awaitility.Awaitility.await;

/**
 * Opens stores, and closes what it opened.
 */
final class RedisFixture implements AutoCloseable {

	/** Lives as long as the JVM, as its threads are daemons. */
	static final ClientResources RESOURCES = DefaultClientResources.create();

	/** Longer than anything takes on a busy machine. */
	static final Duration PATIENCE = Duration.ofSeconds(30);

	static final Duration SHORT_TIMEOUT = Duration.ofMillis(300);

	private final Deque<AutoCloseable> opened = new ArrayDeque<>();

	private int instances;

	static RedisStandaloneConfiguration address(RedisServer server) {
		RedisStandaloneConfiguration address = new RedisStandaloneConfiguration(server.host(), server.port());
		if (server.password() != null) {
			address.setPassword(server.password());
		}
		return address;
	}

	static RedisStandaloneConfiguration address(FaultProxy proxy) {
		return new RedisStandaloneConfiguration(proxy.host(), proxy.port());
	}

	<T extends AutoCloseable> T closeLater(T opened) {
		this.opened.push(opened);
		return opened;
	}

	/** A template of a client: {@code lettuce} or {@code jedis}. */
	StringRedisTemplate template(String client, RedisStandaloneConfiguration address) {
		return client.equals("jedis") ? jedis(address) : lettuce(address);
	}

	/** A template as Spring Boot configures it. */
	StringRedisTemplate lettuce(RedisStandaloneConfiguration address) {
		LettuceConnectionFactory connectionFactory = new LettuceConnectionFactory(address,
				LettuceClientConfiguration.builder().clientResources(RESOURCES).build());
		connectionFactory.afterPropertiesSet();
		this.opened.push(connectionFactory::destroy);
		return new StringRedisTemplate(connectionFactory);
	}

	StringRedisTemplate jedis(RedisStandaloneConfiguration address) {
		JedisConnectionFactory connectionFactory = new JedisConnectionFactory(address);
		connectionFactory.afterPropertiesSet();
		this.opened.push(connectionFactory::destroy);
		return new StringRedisTemplate(connectionFactory);
	}

	/** A pool of a single connection over such sockets. */
	@SuppressWarnings("deprecation") // Spring Data Redis has no other way in
	JedisConnectionFactory jedis(JedisSocketFactory sockets) {
		JedisPoolConfig single = new JedisPoolConfig();
		single.setMaxTotal(1);
		JedisConnectionFactory connectionFactory = new JedisConnectionFactory(single) {

			@Override
			protected Pool<Jedis> createRedisPool() {
				return new JedisPool(getPoolConfig(), sockets, DefaultJedisClientConfig.builder().build());
			}

		};
		connectionFactory.afterPropertiesSet();
		connectionFactory.start();
		this.opened.push(connectionFactory::destroy);
		return connectionFactory;
	}

	StoreClient client(RedisServer server) {
		return client(lettuce(address(server)), settings());
	}

	/** A client that is connected, and knows all scripts. */
	StoreClient client(FaultProxy proxy) {
		return warm(client(lettuce(address(proxy)), settings()));
	}

	/** The same, for tests in which something should time out. */
	StoreClient impatientClient(FaultProxy proxy) {
		return warm(coldClient(proxy));
	}

	/** The same, but not connected. */
	StoreClient coldClient(FaultProxy proxy) {
		return client(lettuce(address(proxy)), impatient());
	}

	static StoreClient warm(StoreClient client) {
		LockToken token = client.newToken();
		await().atMost(PATIENCE).ignoreExceptionsInstanceOf(LockUnavailableException.class).until(() -> {
			client.tryAcquire("warm-up", token);
			client.extend("warm-up", token, PATIENCE);
			client.find("warm-up");
			client.release("warm-up", token);
			return true;
		});
		return client;
	}

	StoreClient client(StringRedisTemplate template, RedisLockSettings settings) {
		return client(RedisLockStore.withOwnConnection(template, settings));
	}

	StoreClient client(RedisLockStore store) {
		this.opened.push(store);
		return new StoreClient(store, "app@host~" + ++this.instances);
	}

	/**
	 * A listener that says what it is told of: "granted …", "revoked x of token" or
	 * "subscribed".
	 */
	static GrantListener listener(Consumer<String> told) {
		return new GrantListener() {

			@Override
			public void granted(Grant grant) {
				told.accept("granted " + grant);
			}

			@Override
			public void revoked(String name, LockToken token) {
				told.accept("revoked " + name + " of " + token);
			}

			@Override
			public void interrupted() {
				told.accept("interrupted");
			}

			@Override
			public void subscribed() {
				told.accept("subscribed");
			}

		};
	}

	/** For tests in which nothing should time out. */
	static RedisLockSettings settings() {
		return RedisLockSettings.defaults().withCommandTimeout(PATIENCE);
	}

	/** For tests in which something should. */
	static RedisLockSettings impatient() {
		return RedisLockSettings.defaults()
			.withCommandTimeout(SHORT_TIMEOUT)
			.withConnectTimeout(SHORT_TIMEOUT.multipliedBy(3));
	}

	/** A call that has not been sent. */
	static ScriptCall<Object> find(String name) {
		byte[][] keys = { key(name).getBytes(StandardCharsets.UTF_8) };
		return new ScriptCall<>(LockScript.FIND, keys, new byte[0][], (reply, maybeRepeated) -> reply, name,
				new FailureTranslator(new RedisSetup("Redis at host:1", RedisSetup.Topology.SINGLE, 0, false),
						new KeyLayout("lock:"), () -> true));
	}

	/** Makes threads, except for the first one: there is no memory for it. */
	static ThreadFactory notTheFirst(ThreadFactory threads) {
		AtomicBoolean refused = new AtomicBoolean();
		return (task) -> {
			if (!refused.getAndSet(true)) {
				throw new OutOfMemoryError("on purpose");
			}
			return threads.newThread(task);
		};
	}

	static String key(String name) {
		return "lock:" + name;
	}

	static @Nullable Object holder(RedisServer server, String name) {
		return server.cli("GET", key(name));
	}

	@Override
	public void close() {
		while (!this.opened.isEmpty()) {
			try {
				this.opened.pop().close();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}
	}

}
