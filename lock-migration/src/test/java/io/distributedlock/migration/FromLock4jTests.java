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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FromLock4jTests extends MigrationTests {

	FromLock4jTests() {
		super("FromLock4j");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					expire = 30000, acquireTimeout = 3000 | timeout = 30, waitTime = 3
					expire = 1500, acquireTimeout = 0     | timeout = 1500, waitTime = 0, timeUnit = TimeUnit.MILLISECONDS
					expire = -1, acquireTimeout = 3000    | timeoutString = "${lock4j.expire:30000}", autoRenew = true, waitTime = 3000, timeUnit = TimeUnit.MILLISECONDS
					expire = Times.SHORT                  | timeout = Times.SHORT, waitTimeString = "${lock4j.acquire-timeout:3000}", timeUnit = TimeUnit.MILLISECONDS
					""")
	void timesMeanTheSame(String before, String after) {
		String source = """
				import %s;%s

				class Orders {
				    @%s
				    public void pay(String id) {
				    }

				    interface Times {
				        long SHORT = 200;
				    }
				}
				""";
		boolean unit = after.contains("TimeUnit");
		migrates(java(
				source.formatted("com.baomidou.lock.annotation.Lock4j", "",
						"Lock4j(name = \"pay\", keys = \"#id\", " + before + ")"),
				source.formatted("io.distributedlock.annotation.DistributedLock",
						unit ? "\n\nimport java.util.concurrent.TimeUnit;" : "",
						"DistributedLock(name = \"pay##{#id}\", " + after + ")")));
	}

	@Test
	void nameHasTheSameKey() {
		migrates(java("""
				package com.example;

				import com.baomidou.lock.annotation.Lock4j;

				class Orders {
				    @Lock4j(keys = { "#id", "'a'" }, expire = 1000, acquireTimeout = 1000)
				    public void pay(String id) {
				    }
				}
				""", """
				package com.example;

				import io.distributedlock.annotation.DistributedLock;

				class Orders {
				    @DistributedLock(name = "com.example.Orderspay##{#id}.a", timeout = 1, waitTime = 1)
				    public void pay(String id) {
				    }
				}
				"""));
	}

	@Test
	void whatCannotBeReplacedStaysAndIsMarked() {
		migrates(java("""
				import com.baomidou.lock.LockFailureStrategy;
				import com.baomidou.lock.LockTemplate;
				import com.baomidou.lock.annotation.Lock4j;
				import com.baomidou.lock.exception.LockFailureException;

				abstract class Orders implements LockFailureStrategy {
				    @Lock4j(autoRelease = false)
				    public void once() {
				    }

				    @Lock4j(failStrategy = Orders.class)
				    public void pay(LockTemplate template) {
				        try {
				            template.lock("a", 1000L, 1000L);
				        }
				        catch (LockFailureException ex) {
				            throw ex;
				        }
				    }
				}
				""",
				"""
						import com.baomidou.lock.LockFailureStrategy;
						import com.baomidou.lock.LockTemplate;
						import com.baomidou.lock.annotation.Lock4j;
						import com.baomidou.lock.exception.LockFailureException;

						/*~~(onContention = OnContention.SKIP, or a fallbackMethod.)~~>*/abstract class Orders implements LockFailureStrategy {
						    /*~~(Not replaced. autoRelease = false keeps the lock for the whole lease, also after an exception. minHold is the equivalent for calls that succeed.)~~>*/@Lock4j(autoRelease = false)
						    public void once() {
						    }

						    /*~~(Not replaced. Its executor, failStrategy or keyBuilderStrategy is code: use a fallbackMethod, or a name such as "pay:#{@keys.of(#order)}".)~~>*/@Lock4j(failStrategy = Orders.class)
						    public void pay(LockTemplate template) {
						        try {
						            /*~~(LockService.tryAcquire(name, LockOptions.ofLease(…).withWaitTime(…)). It stays with Lock4j until then.)~~>*/template.lock("a", 1000L, 1000L);
						        }
						        /*~~(A @DistributedLock throws io.distributedlock.LockNotAcquiredException.)~~>*/catch (LockFailureException ex) {
						            throw ex;
						        }
						    }
						}
						"""));
	}

}
