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

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInfo;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnContention;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockAnnotationAutoConfiguration;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application with another lock and one with ours share a key while instances are
 * replaced one by one.
 */
@ExtendWith(RedisExtension.class)
@Timeout(120)
class SharedKeyTests {

	private static final int TICKS = 100;

	private RedisServer redis;

	private ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class,
				DistributedLockAutoConfiguration.class, LockAnnotationAutoConfiguration.class))
		.withBean(Job.class)
		.withPropertyValues("distributed-lock.redis.command-timeout=20s");

	@BeforeEach
	void connectTo(RedisServer redis) {
		this.redis = redis;
		this.contextRunner = this.contextRunner.withPropertyValues(redis.springProperties());
	}

	private ApplicationContextRunner sharing(Peer peer) {
		return this.contextRunner.withPropertyValues("distributed-lock.locks[" + Peer.NAME + "].key=" + peer.key());
	}

	private void withBoth(Peer peer, Both test) {
		sharing(peer).run((context) -> {
			try (Peer.Instance other = peer.start(context.getBean(RedisConnectionFactory.class))) {
				Job job = context.getBean(Job.class);
				test.run(other, (work) -> job.run(work).isPresent(), context.getBean(DefaultLockService.class));
			}
		});
	}

	@ParameterizedTest
	@EnumSource
	void secondInstanceIsRefusedWhileTheFirstWorksInBothOrders(Peer peer) {
		withBoth(peer, (other, ours, locks) -> {
			for (int tick = 0; tick < TICKS; tick++) {
				Peer.Instance first = (tick % 2 == 0) ? other : ours;
				Peer.Instance second = (tick % 2 == 0) ? ours : other;
				AtomicBoolean together = new AtomicBoolean();
				assertThat(first.run(() -> together.set(second.run(() -> {
				})))).isTrue();
				assertThat(together).isFalse();
			}
		});
	}

	@ParameterizedTest
	@EnumSource
	void oneOfTwoTicksAtTheSameTimeIsRefused(Peer peer) {
		withBoth(peer, (other, ours, locks) -> {
			ExecutorService threads = Executors.newFixedThreadPool(2);
			try {
				for (int tick = 0; tick < TICKS; tick++) {
					CyclicBarrier start = new CyclicBarrier(2);
					CountDownLatch refused = new CountDownLatch(1);
					AtomicInteger inside = new AtomicInteger();
					Future<Boolean> one = threads.submit(() -> tick(other, start, refused, inside));
					Future<Boolean> two = threads.submit(() -> tick(ours, start, refused, inside));
					assertThat(one.get() ^ two.get()).isTrue();
				}
			}
			finally {
				threads.shutdownNow();
			}
		});
	}

	/** Whoever is inside stays there until the other one was refused. */
	private static boolean tick(Peer.Instance instance, CyclicBarrier start, CountDownLatch refused,
			AtomicInteger inside) throws Exception {
		start.await();
		boolean ran = instance.run(() -> {
			try {
				assertThat(inside.incrementAndGet()).isEqualTo(1);
				assertThat(refused.await(20, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		});
		if (!ran) {
			refused.countDown();
		}
		return ran;
	}

	@ParameterizedTest
	@EnumSource
	void waiterGetsTheLockSoonAfterTheReleaseByThePeer(Peer peer) {
		withBoth(peer, (other, ours, locks) -> {
			LockOptions patient = LockOptions.ofLease(Duration.ofSeconds(30)).withWaitTime(Duration.ofSeconds(60));
			AtomicBoolean early = new AtomicBoolean();
			CompletableFuture<?>[] waiting = new CompletableFuture<?>[1];
			other.run(() -> {
				waiting[0] = locks.acquireAsync(Peer.NAME, patient).thenAccept(LockHandle::close);
				assertThat(locks.waiting()).hasSize(1);
				early.set(waiting[0].isDone());
				assertThat(locks.find(Peer.NAME).orElseThrow().kind()).isEqualTo(LockInfo.Kind.FOREIGN_CLIENT);
			});
			assertThat(early).isFalse();
			// Without a message: the next look is a second away at most, the lease twenty
			assertThat(waiting[0]).succeedsWithin(Duration.ofSeconds(10));
		});
	}

	@ParameterizedTest
	@EnumSource
	void lateReleaseDoesNotTouchTheLockOfThePeer(Peer peer) {
		withBoth(peer, (other, ours, locks) -> {
			LockHandle handle = locks.acquire(Peer.NAME);
			this.redis.cli("DEL", peer.key());
			other.run(() -> {
				handle.close();
				assertThat(this.redis.cli("EXISTS", peer.key())).isEqualTo(1L);
			});
			assertThat(this.redis.cli("EXISTS", peer.key())).isEqualTo(0L);
		});
	}

	@Test
	void aHashOfRedissonIsAMistakeInTheConfiguration() {
		this.redis.cli("HSET", Peer.SHEDLOCK.key(), "b983c153:1", "1");
		sharing(Peer.SHEDLOCK).run((context) -> {
			assertThatExceptionOfType(LockConfigurationException.class)
				.isThrownBy(() -> context.getBean(LockService.class).acquire(Peer.NAME))
				.withMessageContaining("'job-lock:test:nightly-report'")
				.withMessageContaining("distributed-lock.locks[nightly-report].key")
				.withMessageContaining("Redisson");
			assertThat(this.redis.cli("TYPE", Peer.SHEDLOCK.key())).isEqualTo("hash");
		});
	}

	/**
	 * What the two do.
	 */
	@FunctionalInterface
	private interface Both {

		void run(Peer.Instance other, Peer.Instance ours, DefaultLockService locks) throws Exception;

	}

	/**
	 * A job of the application with our lock.
	 */
	static class Job {

		@DistributedLock(name = Peer.NAME, timeout = 30, onContention = OnContention.SKIP)
		public Optional<String> run(Runnable work) {
			work.run();
			return Optional.of("done");
		}

	}

}
