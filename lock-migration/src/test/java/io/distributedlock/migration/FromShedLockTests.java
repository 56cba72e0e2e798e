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

class FromShedLockTests extends MigrationTests {

	FromShedLockTests() {
		super("FromShedLock");
	}

	@Test
	void scheduledMethodWithACronExpressionRunsOncePerFireTime() {
		migrates(java("""
				import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
				import org.springframework.scheduling.annotation.Scheduled;

				class Reports {
				    @Scheduled(cron = "0 0 3 * * *", zone = "UTC")
				    @SchedulerLock(name = "report", lockAtMostFor = "10m")
				    public void write() {
				    }
				}
				""", """
				import io.distributedlock.annotation.OncePerFireTime;
				import org.springframework.scheduling.annotation.Scheduled;

				class Reports {
				    @Scheduled(cron = "0 0 3 * * *", zone = "UTC")
				    @OncePerFireTime(name = "report", timeout = "10m")
				    public void write() {
				    }
				}
				"""));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			PT10M  | "PT10M"
			600000 | "600000ms"
			90s    | "90s"
			10M    | "10M"
			500ms  | "500ms"
			""")
	void durationMeansTheSame(String before, String after) {
		migrates(job("fixedRate = 60_000", "lockAtMostFor = \"" + before + "\"",
				"@OncePerFireTime(name = \"report\", timeout = " + after + ")"));
	}

	@Test
	void leaseOfMoreThanADayNeedsALongerMaximumHold() {
		migrates(job("fixedRateString = \"PT72H\"", "lockAtMostFor = \"2d\"",
				"@OncePerFireTime(name = \"report\", timeout = \"2d\", maxHold = \"2d\")"));
	}

	@Test
	void placeholderIsMarkedAsItsUnitMayBeMissing() {
		migrates(job("fixedRate = 60_000", "lockAtMostFor = \"${lock.most}\"",
				"/*~~(If the value of \"${lock.most}\" has no unit, it meant milliseconds, and is refused here: add the unit.)~~>*/"
						+ "@OncePerFireTime(name = \"report\", timeout = \"${lock.most}\")"));
	}

	@Test
	void leastTimeOfAJobWithFireTimesIsMarked() {
		migrates(job("cron = \"0 0 3 * * *\"", "lockAtMostFor = \"10m\", lockAtLeastFor = \"1m\"",
				"/*~~(lockAtLeastFor = \"1m\" is gone: a record keeps a fire time from being run twice. "
						+ "If it was longer than the time between two fire times, use @DistributedLock with minHoldString.)~~>*/"
						+ "@OncePerFireTime(name = \"report\", timeout = \"10m\")"));
	}

	@Test
	void leastTimeOfZeroIsNotMarked() {
		migrates(job("cron = \"0 0 3 * * *\"", "lockAtMostFor = \"10m\", lockAtLeastFor = \"PT0S\"",
				"@OncePerFireTime(name = \"report\", timeout = \"10m\")"));
	}

	@Test
	void missingLeaseIsMarked() {
		migrates(job("cron = \"0 0 3 * * *\"", "",
				"/*~~(No lockAtMostFor was found for it, so the lease is that of distributed-lock.defaults.timeout, 30 s.)~~>*/"
						+ "@OncePerFireTime(name = \"report\")"));
	}

	@Test
	void methodWithAFixedDelaySkips() {
		migrates(java("""
				import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
				import org.springframework.scheduling.annotation.Scheduled;

				class Reports {
				    @Scheduled(fixedDelay = 60_000)
				    @SchedulerLock(name = "report", lockAtMostFor = "${most}", lockAtLeastFor = "10s")
				    public void write() {
				    }

				    @SchedulerLock(name = "clean-#{#tenant}", lockAtMostFor = "10m")
				    public void clean(String tenant) {
				    }
				}
				""",
				"""
						import io.distributedlock.annotation.DistributedLock;
						import io.distributedlock.annotation.OnContention;
						import org.springframework.scheduling.annotation.Scheduled;

						import java.util.concurrent.TimeUnit;

						class Reports {
						    @Scheduled(fixedDelay = 60_000)
						    /*~~(minHold does not apply if the method throws; lockAtLeastFor did.)~~>*/@DistributedLock(name = "report", onContention = OnContention.SKIP, timeoutString = "${most}", minHoldString = "10s", timeUnit = TimeUnit.MILLISECONDS)
						    public void write() {
						    }

						    @DistributedLock(name = "clean-#{#tenant}", onContention = OnContention.SKIP, timeoutString = "10m")
						    public void clean(String tenant) {
						    }
						}
						"""));
	}

	@Test
	void jobsWithOneNameExcludeEachOther() {
		migrates(java("""
				import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
				import org.springframework.scheduling.annotation.Scheduled;

				class Reports {
				    @Scheduled(cron = "0 0 3 * * *")
				    @SchedulerLock(name = "report", lockAtMostFor = "10m")
				    public void write() {
				    }

				    @Scheduled(cron = "0 0 4 * * *")
				    @SchedulerLock(name = "report", lockAtMostFor = "10m")
				    public void send() {
				    }
				}
				""", """
				import io.distributedlock.annotation.DistributedLock;
				import io.distributedlock.annotation.OnContention;
				import org.springframework.scheduling.annotation.Scheduled;

				class Reports {
				    @Scheduled(cron = "0 0 3 * * *")
				    @DistributedLock(name = "report", onContention = OnContention.SKIP, timeoutString = "10m")
				    public void write() {
				    }

				    @Scheduled(cron = "0 0 4 * * *")
				    @DistributedLock(name = "report", onContention = OnContention.SKIP, timeoutString = "10m")
				    public void send() {
				    }
				}
				"""));
	}

	@Test
	void nameThatWouldBeAnExpressionIsWrittenAsText() {
		migrates(java("""
				import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

				class Reports {
				    @SchedulerLock(name = "a#b", lockAtMostFor = "10m")
				    public void write() {
				    }
				}
				""", """
				import io.distributedlock.annotation.DistributedLock;
				import io.distributedlock.annotation.OnContention;

				class Reports {
				    @DistributedLock(name = "#{'a#b'}", onContention = OnContention.SKIP, timeoutString = "10m")
				    public void write() {
				    }
				}
				"""));
	}

	@Test
	void constantsStay() {
		migrates(java("""
				import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

				class Reports {
				    static final String NAME = "report";

				    static final String MOST = "600000";

				    @SchedulerLock(name = NAME, lockAtMostFor = Reports.MOST)
				    public void write() {
				    }
				}
				""",
				"""
						import io.distributedlock.annotation.DistributedLock;
						import io.distributedlock.annotation.OnContention;

						import java.util.concurrent.TimeUnit;

						class Reports {
						    static final String NAME = "report";

						    static final String MOST = "600000";

						    /*~~(Look at the value of NAME: with a #variable, an @bean, or in quotation marks, it would be an expression.)~~>*/@DistributedLock(name = NAME, onContention = OnContention.SKIP, timeoutString = Reports.MOST, timeUnit = TimeUnit.MILLISECONDS)
						    public void write() {
						    }
						}
						"""));
	}

	@Test
	void switchIsRemovedAndItsDefaultsAreWrittenAtEachLock() {
		migrates(
				java("""
						import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
						import org.springframework.scheduling.annotation.EnableScheduling;

						@EnableScheduling
						@EnableSchedulerLock(defaultLockAtMostFor = "15m", order = 5)
						class Application {
						}
						""",
						"""
								import org.springframework.scheduling.annotation.EnableScheduling;

								/*~~(order = 5 of @EnableSchedulerLock is gone: distributed-lock.annotation.order orders the lock, and each call of a bean is locked.)~~>*/@EnableScheduling
								class Application {
								}
								"""),
				job("cron = \"0 0 3 * * *\"", "", "@OncePerFireTime(name = \"report\", timeout = \"15m\")"));
	}

	@Test
	void switchStaysAsLongAsALockDoes() {
		migrates(
				java("""
						import net.javacrumbs.shedlock.core.LockAssert;
						import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;

						@EnableSchedulerLock(defaultLockAtMostFor = "15m")
						class Application {
						    void work() {
						        LockAssert.assertLocked();
						    }
						}
						""",
						"""
								import net.javacrumbs.shedlock.core.LockAssert;
								import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;

								/*~~(EnableSchedulerLock stays as long as the library has locks, which are marked: 1 file(s).)~~>*/@EnableSchedulerLock(defaultLockAtMostFor = "15m")
								class Application {
								    void work() {
								        /*~~(In a job with @OncePerFireTime or @DistributedLock, write LockContext.current().orElseThrow().assertHeld().)~~>*/LockAssert.assertLocked();
								    }
								}
								"""),
				java("""
						import java.lang.annotation.Retention;
						import java.lang.annotation.RetentionPolicy;

						import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

						@Retention(RetentionPolicy.RUNTIME)
						@SchedulerLock(name = "all")
						@interface Job {
						}
						""",
						"""
								import java.lang.annotation.Retention;
								import java.lang.annotation.RetentionPolicy;

								import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

								@Retention(RetentionPolicy.RUNTIME)
								/*~~(Not replaced. It is not on a method. Write @DistributedLock by hand.)~~>*/@SchedulerLock(name = "all")
								@interface Job {
								}
								"""));
	}

	@Test
	void callsOfAJobAreReplaced() {
		migrates(java("""
				import java.time.Duration;

				import static java.time.Duration.ZERO;
				import static net.javacrumbs.shedlock.core.LockAssert.assertLocked;
				import static net.javacrumbs.shedlock.core.LockExtender.extendActiveLock;

				class Reports {
				    void write() {
				        assertLocked();
				        extendActiveLock(Duration.ofMinutes(5), ZERO);
				        extendActiveLock(Duration.ofMinutes(5), Duration.ofMinutes(1));
				    }
				}
				""",
				"""
						import io.distributedlock.LockContext;

						import java.time.Duration;

						class Reports {
						    void write() {
						        LockContext.current().orElseThrow().assertHeld();
						        LockContext.current().orElseThrow().extend(Duration.ofMinutes(5));
						        /*~~(The second argument, lockAtLeastFor = Duration.ofMinutes(1), is gone.)~~>*/LockContext.current().orElseThrow().extend(Duration.ofMinutes(5));
						    }
						}
						"""));
	}

	@Test
	void codeThatTakesLocksStays() {
		migrates(java("""
				import net.javacrumbs.shedlock.core.LockConfiguration;
				import net.javacrumbs.shedlock.core.LockingTaskExecutor;

				class Reports {
				    void write(LockingTaskExecutor executor, LockConfiguration configuration) {
				        executor.executeWithLock((Runnable) () -> { }, configuration);
				    }
				}
				""",
				"""
						import net.javacrumbs.shedlock.core.LockConfiguration;
						import net.javacrumbs.shedlock.core.LockingTaskExecutor;

						class Reports {
						    void write(LockingTaskExecutor executor, LockConfiguration configuration) {
						        /*~~(LockService.tryAcquire(name, LockOptions.ofLease(lockAtMostFor)), and the work if the result is present. It stays with ShedLock until then.)~~>*/executor.executeWithLock((Runnable) () -> { }, configuration);
						    }
						}
						"""));
	}

	@Test
	void providersAreMarked() {
		migrates(java("""
				import net.javacrumbs.shedlock.core.LockProvider;
				import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
				import org.springframework.data.redis.connection.RedisConnectionFactory;

				class Redis {
				    LockProvider lockProvider(RedisConnectionFactory factory) {
				        return new RedisLockProvider(factory, "prod");
				    }

				    LockProvider other() {
				        return (configuration) -> java.util.Optional.empty();
				    }
				}
				""",
				"""
						import net.javacrumbs.shedlock.core.LockProvider;
						import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
						import org.springframework.data.redis.connection.RedisConnectionFactory;

						class Redis {
						    /*~~(Not needed any more: remove it together with ShedLock. Instances that still run ShedLock exclude the new ones only on the same key: while both run, set distributed-lock.key-prefix=job-lock:ENVIRONMENT: with the environment of this provider, or default.)~~>*/LockProvider lockProvider(RedisConnectionFactory factory) {
						        return new RedisLockProvider(factory, "prod");
						    }

						    /*~~(Not needed any more: remove it together with ShedLock. It locks in another store than Redis. Instances that still run ShedLock do not exclude the new ones: stop all of them first, or take both locks for a while.)~~>*/LockProvider other() {
						        return (configuration) -> java.util.Optional.empty();
						    }
						}
						"""));
	}

	private static Change job(String schedule, String times, String after) {
		String name = "name = \"report\"" + (times.isEmpty() ? "" : ", " + times);
		String source = """
				import %s;
				import org.springframework.scheduling.annotation.Scheduled;

				class Reports {
				    @Scheduled(%s)
				    %s
				    public void write() {
				    }
				}
				""";
		return java(
				source.formatted("net.javacrumbs.shedlock.spring.annotation.SchedulerLock", schedule,
						"@SchedulerLock(" + name + ")"),
				source.formatted("io.distributedlock.annotation.OncePerFireTime", schedule, after));
	}

}
