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

package io.distributedlock.migration;

import org.junit.jupiter.api.Test;

/**
 * The library is in no repository of Maven, so these are its annotations as far as they
 * matter.
 */
class FromAlturkovicTests extends MigrationTests {

	FromAlturkovicTests() {
		super("FromAlturkovic", """
				package com.github.alturkovic.lock;
				public @interface Interval {
					String value();
					java.util.concurrent.TimeUnit unit() default java.util.concurrent.TimeUnit.MILLISECONDS;
				}
				""", annotation("redis", "RedisLocked"), annotation("redis", "RedisMultiLocked"),
				annotation("jdbc", "JdbcLocked"), """
						package com.github.alturkovic.lock.redis.configuration;
						public @interface EnableRedisDistributedLock { }
						""");
	}

	private static String annotation(String store, String name) {
		return """
				package com.github.alturkovic.lock.%s.alias;
				import com.github.alturkovic.lock.Interval;
				public @interface %s {
					String prefix() default "";
					String expression() default "#executionPath";
					Interval expiration() default @Interval("10000");
					Interval timeout() default @Interval("1000");
					Interval refresh() default @Interval("0");
					boolean manuallyReleased() default false;
				}
				""".formatted(store, name);
	}

	@Test
	void annotationsAreReplaced() {
		migrates(java(
				"""
						import java.util.concurrent.TimeUnit;

						import com.github.alturkovic.lock.Interval;
						import com.github.alturkovic.lock.redis.alias.RedisLocked;
						import com.github.alturkovic.lock.redis.alias.RedisMultiLocked;
						import com.github.alturkovic.lock.redis.configuration.EnableRedisDistributedLock;

						@EnableRedisDistributedLock
						class Orders {
						    @RedisLocked(expression = "'all'")
						    public void all() {
						    }

						    @RedisLocked
						    public void method() {
						    }

						    @RedisLocked(prefix = "pay:", expression = "#p0", expiration = @Interval(value = "30", unit = TimeUnit.SECONDS), timeout = @Interval(value = "${wait}", unit = TimeUnit.SECONDS), refresh = @Interval(value = "10", unit = TimeUnit.SECONDS))
						    public void pay(String id) {
						    }

						    @RedisMultiLocked(expression = "#ids")
						    public void payAll(java.util.List<String> ids) {
						    }
						}
						""",
				"""
						import io.distributedlock.annotation.DistributedLock;

						class Orders {
						    @DistributedLock(name = "all", timeoutString = "10s", waitTimeString = "1s")
						    public void all() {
						    }

						    @DistributedLock(timeoutString = "10s", waitTimeString = "1s")
						    public void method() {
						    }

						    @DistributedLock(name = "pay:#{#p0}", timeoutString = "30s", waitTimeString = "${wait}s", autoRenew = true, renewIntervalString = "10s")
						    public void pay(String id) {
						    }

						    @DistributedLock(name = "#ids", timeoutString = "10s", waitTimeString = "1s")
						    public void payAll(java.util.List<String> ids) {
						    }
						}
						"""));
	}

	@Test
	void intervalWithoutAUnitIsMarked() {
		migrates(java("""
				import com.github.alturkovic.lock.Interval;
				import com.github.alturkovic.lock.redis.alias.RedisLocked;

				class Orders {
				    @RedisLocked(expression = "'all'", expiration = @Interval("5000"))
				    public void all() {
				    }
				}
				""",
				"""
						import io.distributedlock.annotation.DistributedLock;

						class Orders {
						    /*~~(expiration has no unit: milliseconds, as in the last versions of that library. The first ones meant seconds.)~~>*/@DistributedLock(name = "all", timeoutString = "5000ms", waitTimeString = "1s")
						    public void all() {
						    }
						}
						"""));
	}

	@Test
	void whatCannotBeReplacedStaysAndIsMarked() {
		migrates(java("""
				import com.github.alturkovic.lock.jdbc.alias.JdbcLocked;
				import com.github.alturkovic.lock.redis.alias.RedisLocked;
				import com.github.alturkovic.lock.redis.configuration.EnableRedisDistributedLock;

				@EnableRedisDistributedLock
				class Orders {
				    @JdbcLocked(expression = "'all'")
				    public void all() {
				    }

				    @RedisLocked(expression = "getCount")
				    public void count() {
				    }

				    @RedisLocked(expression = "'a'", manuallyReleased = true)
				    public void manual() {
				    }
				}
				""",
				"""
						import com.github.alturkovic.lock.jdbc.alias.JdbcLocked;
						import com.github.alturkovic.lock.redis.alias.RedisLocked;
						import com.github.alturkovic.lock.redis.configuration.EnableRedisDistributedLock;

						/*~~(EnableRedisDistributedLock stays as long as the library has locks, which are marked: 1 file(s).)~~>*/@EnableRedisDistributedLock
						class Orders {
						    /*~~(Not replaced. Its lock is not in Redis, or its type is not known. Instances with the old and the new lock would not exclude each other.)~~>*/@JdbcLocked(expression = "'all'")
						    public void all() {
						    }

						    /*~~(Not replaced. Its expression reads fields or methods of the bean, a constant, or several keys with a prefix. Write the name by hand.)~~>*/@RedisLocked(expression = "getCount")
						    public void count() {
						    }

						    /*~~(Not replaced. It is released by hand. Use LockService.acquire, and close the handle.)~~>*/@RedisLocked(expression = "'a'", manuallyReleased = true)
						    public void manual() {
						    }
						}
						"""));
	}

}
