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
 * The annotations of the library, as far as they matter.
 */
class FromLocksmithTests extends MigrationTests {

	FromLocksmithTests() {
		super("FromLocksmith", """
				package in.riido.locksmith;
				public @interface DistributedLock {
					String key();
					LockAcquisitionMode mode() default LockAcquisitionMode.SKIP_IMMEDIATELY;
					LockType type() default LockType.REENTRANT;
					String leaseTime() default "";
					String waitTime() default "";
					boolean autoRenew() default false;
					LeaseExpirationBehavior onLeaseExpired() default LeaseExpirationBehavior.LOG_WARNING;
					Class<?> skipHandler() default Object.class;
				}
				""", """
				package in.riido.locksmith;
				public @interface DistributedSemaphore {
					String key();
					int permits() default 1;
				}
				""", """
				package in.riido.locksmith;
				public enum LockAcquisitionMode { SKIP_IMMEDIATELY, WAIT_AND_SKIP }
				""", """
				package in.riido.locksmith;
				public enum LockType { REENTRANT, READ, WRITE }
				""", """
				package in.riido.locksmith;
				public enum LeaseExpirationBehavior { LOG_WARNING, THROW_EXCEPTION, IGNORE }
				""", """
				package in.riido.locksmith.handler;
				public class ReturnDefaultHandler { }
				""");
	}

	@Test
	void annotationsAreReplaced() {
		migrates(java(
				"""
						import in.riido.locksmith.DistributedLock;
						import in.riido.locksmith.LeaseExpirationBehavior;
						import in.riido.locksmith.LockAcquisitionMode;
						import in.riido.locksmith.LockType;
						import in.riido.locksmith.handler.ReturnDefaultHandler;

						class Orders {
						    @DistributedLock(key = "all", skipHandler = ReturnDefaultHandler.class)
						    public void all() {
						    }

						    @DistributedLock(key = "#{#id}", mode = LockAcquisitionMode.WAIT_AND_SKIP, leaseTime = "5m", autoRenew = true)
						    public void pay(String id) {
						    }

						    @DistributedLock(key = "read", type = LockType.READ, leaseTime = "5m", onLeaseExpired = LeaseExpirationBehavior.THROW_EXCEPTION)
						    public void read() {
						    }
						}
						""",
				"""
						import io.distributedlock.LockMode;
						import io.distributedlock.annotation.DistributedLock;
						import io.distributedlock.annotation.LossReaction;
						import io.distributedlock.annotation.OnContention;

						class Orders {
						    @DistributedLock(name = "all", timeoutString = "${locksmith.lease-time:10m}", onContention = OnContention.SKIP)
						    public void all() {
						    }

						    @DistributedLock(name = "#{#id}", autoRenew = true, timeoutString = "5m", waitTimeString = "${locksmith.wait-time:60s}")
						    public void pay(String id) {
						    }

						    @DistributedLock(name = "read", timeoutString = "5m", mode = LockMode.SHARED, onLost = LossReaction.THROW)
						    public void read() {
						    }
						}
						"""));
	}

	@Test
	void allAnnotationsOfAFileStayIfOneDoes() {
		migrates(java("""
				import in.riido.locksmith.DistributedLock;
				import in.riido.locksmith.DistributedSemaphore;

				class Orders {
				    @DistributedLock(key = "a")
				    public void all() {
				    }

				    @DistributedLock(key = "b", skipHandler = Orders.class)
				    public void other() {
				    }

				    @DistributedSemaphore(key = "c", permits = 3)
				    public void some() {
				    }
				}
				""",
				"""
						import in.riido.locksmith.DistributedLock;
						import in.riido.locksmith.DistributedSemaphore;

						class Orders {
						    /*~~(Not replaced yet: another annotation of this name in this file cannot be.)~~>*/@DistributedLock(key = "a")
						    public void all() {
						    }

						    /*~~(Not replaced. Its skipHandler is code: use a fallbackMethod.)~~>*/@DistributedLock(key = "b", skipHandler = Orders.class)
						    public void other() {
						    }

						    /*~~(@DistributedLock with permits, the same at each method. It stays with Locksmith until then.)~~>*/@DistributedSemaphore(key = "c", permits = 3)
						    public void some() {
						    }
						}
						"""));
	}

	@Test
	void keyThatMayBeAnExpressionIsMarked() {
		migrates(java("""
				import in.riido.locksmith.DistributedLock;

				class Orders {
				    @DistributedLock(key = "#id", leaseTime = "5m")
				    public void pay(String id) {
				    }
				}
				""",
				"""
						import io.distributedlock.annotation.DistributedLock;

						class Orders {
						    /*~~(The key is an expression here if it has a #variable, an @bean, or quotation marks. Write an expression as "#{…}".)~~>*/@DistributedLock(name = "#id", timeoutString = "5m")
						    public void pay(String id) {
						    }
						}
						"""));
	}

}
