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

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ReportTests {

	@Nested
	class OfRedisson extends MigrationTests {

		OfRedisson() {
			super("ReportRedisson");
		}

		@Test
		void eachLockIsMarkedWithItsEquivalent() {
			migrates(java("""
					import java.util.concurrent.TimeUnit;

					import org.redisson.api.RLock;
					import org.redisson.api.RedissonClient;

					class Orders {
					    void pay(RedissonClient redisson) throws InterruptedException {
					        RLock lock = redisson.getLock("pay");
					        lock.tryLock(1, 30, TimeUnit.SECONDS);
					        redisson.getReadWriteLock("pay").readLock().lock();
					        redisson.getSemaphore("pay").acquire();
					        redisson.getPermitExpirableSemaphore("pay").acquire();
					        redisson.getCountDownLatch("pay").await();
					    }
					}
					""",
					"""
							import java.util.concurrent.TimeUnit;

							import org.redisson.api.RLock;
							import org.redisson.api.RedissonClient;

							class Orders {
							    void pay(RedissonClient redisson) throws InterruptedException {
							        RLock lock = /*~~(LockService.asLock(name, options.withAutoRenew()), or acquire(name, …) in a try.)~~>*/redisson.getLock("pay");
							        /*~~(LockService.tryAcquire(name, LockOptions.ofLease(…).withWaitTime(…)))~~>*/lock.tryLock(1, 30, TimeUnit.SECONDS);
							        /*~~(LockService.asReadWriteLock(name), or mode = LockMode.SHARED.)~~>*/redisson.getReadWriteLock("pay").readLock().lock();
							        /*~~(LockOptions.withPermits(n), or permits = n. A permit has a lease, and only its holder releases it.)~~>*/redisson.getSemaphore("pay").acquire();
							        /*~~(LockOptions.withPermits(n), or permits = n. The handle is the permit.)~~>*/redisson.getPermitExpirableSemaphore("pay").acquire();
							        /*~~(Not available. Keep Redisson for it.)~~>*/redisson.getCountDownLatch("pay").await();
							    }
							}
							"""));
		}

	}

	@Nested
	class OfSpringIntegration extends MigrationTests {

		OfSpringIntegration() {
			super("ReportSpringIntegration");
		}

		@Test
		void eachLockIsMarkedWithItsEquivalent() {
			migrates(java("""
					import org.springframework.data.redis.connection.RedisConnectionFactory;
					import org.springframework.integration.redis.util.RedisLockRegistry;

					class Orders {
					    void pay(RedisConnectionFactory factory) {
					        RedisLockRegistry registry = new RedisLockRegistry(factory, "orders");
					        registry.obtain("pay").lock();
					    }
					}
					""",
					"""
							import org.springframework.data.redis.connection.RedisConnectionFactory;
							import org.springframework.integration.redis.util.RedisLockRegistry;

							class Orders {
							    void pay(RedisConnectionFactory factory) {
							        RedisLockRegistry registry = /*~~(Set distributed-lock.key-prefix to the registry key and a colon, and the lease to its expireAfter (60 s by default). PUB_SUB_LOCK notices a release of the new lock only at the end of its wait.)~~>*/new RedisLockRegistry(factory, "orders");
							        /*~~(LockService.asLock(name))~~>*/registry.obtain("pay").lock();
							    }
							}
							"""));
		}

	}

}
