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

package io.distributedlock.store.trace;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.redis.RedisLockSettings;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.store.LockStore;
import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.testsupport.mutation.Mutant;
import io.distributedlock.testsupport.mutation.MutantClassLoader;
import io.distributedlock.testsupport.mutation.MutantCompiler;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The stores whose traces are checked, as they are or with a planted bug.
 */
final class Subjects implements AutoCloseable {

	/** What tells a script the time. */
	static final String TIME = "redis.call('TIME')";

	private final Duration patience;

	private final String time;

	private final RedisServer server = RedisServer.start();

	private final LettuceConnectionFactory connections = new LettuceConnectionFactory(
			new RedisStandaloneConfiguration(this.server.host(), this.server.port()));

	Subjects() {
		this(Duration.ofSeconds(5), TIME);
	}

	/**
	 * Start a server.
	 * @param patience how long to wait for a message
	 * @param time what tells the scripts the time
	 */
	Subjects(Duration patience, String time) {
		this.patience = patience;
		this.time = time;
		this.connections.afterPropertiesSet();
	}

	Subject redis() {
		return redis(RedisLockStore.class.getClassLoader());
	}

	static Subject memory() {
		return new MemorySubject(InMemoryLockStore.class);
	}

	Subject with(Mutant mutant, Path directory) throws ReflectiveOperationException {
		return mutant.file().endsWith(".lua")
				? redis(classWith(mutant, directory, RedisLockStore.class).getClassLoader())
				: new MemorySubject(classWith(mutant, directory, InMemoryLockStore.class));
	}

	/**
	 * Return a class that knows the stores with a planted bug.
	 */
	static Class<?> classWith(Mutant mutant, Path directory, Class<?> type) throws ReflectiveOperationException {
		Path output = MutantCompiler.ofProject(Path.of(".."), System.getProperty("java.class.path"))
			.compile(mutant, directory.resolve("mutant"));
		return new MutantClassLoader(output, Subjects.class.getClassLoader(), "io.distributedlock.engine",
				InMemoryLockStore.class.getPackageName(), RedisLockStore.class.getPackageName())
			.loadClass(type.getName());
	}

	private Subject redis(ClassLoader loader) {
		try {
			Class<?> settings = loader.loadClass(RedisLockSettings.class.getName());
			Object patient = settings.getMethod("withCommandTimeout", Duration.class)
				.invoke(settings.getMethod("defaults").invoke(null), Duration.ofMinutes(2));
			Method create = loader.loadClass(RedisLockStore.class.getName())
				.getMethod("withOwnConnection", StringRedisTemplate.class, settings);
			StringRedisTemplate template = new StringRedisTemplate(this.connections);
			List<LockStore> stores = new ArrayList<>();
			for (int i = 0; i < Subject.INSTANCES.size(); i++) {
				stores.add((LockStore) create.invoke(null, template, patient));
			}
			return new RedisSubject(this.server, stores, this.patience, this.time);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.connections.destroy();
		this.server.close();
	}

}
