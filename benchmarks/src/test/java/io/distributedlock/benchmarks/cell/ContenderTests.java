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

package io.distributedlock.benchmarks.cell;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.IntFunction;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.benchmarks.contestant.LockClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The figures "lost updates" and "overlaps" are worth nothing unless they see a lock that
 * does not exclude.
 */
class ContenderTests {

	private static final Duration SECTION = Duration.ofMillis(1);

	/** So long that no pause of the JVM takes all of it. */
	private static final Duration LENGTH = Duration.ofSeconds(2);

	@TempDir
	Path directory;

	@Test
	void aLockThatExcludesLosesNoUpdate() throws Exception {
		Lock lock = new ReentrantLock();
		Contend.Tally tally = contend(client(lock::lock, lock::unlock));
		assertThat(tally.entered()).isPositive().isEqualTo(counter());
		assertThat(tally.overlaps()).isZero();
		assertThat(tally.failures()).isZero();
	}

	@Test
	void aLockThatDoesNotExcludeIsCaughtByBothChecks() throws Exception {
		Contend.Tally tally = contend(client(() -> {
		}, () -> {
		}));
		assertThat(tally.entered()).isGreaterThan(counter());
		assertThat(tally.overlaps()).isPositive();
	}

	@Test
	void aLockThatThrowsIsCountedAsAFailure() throws Exception {
		Contend.Tally tally = contend(client(() -> {
			// Each of them is logged
			LockSupport.parkNanos(SECTION.multipliedBy(10).toNanos());
			throw new IllegalStateException("out of order");
		}, () -> {
		}));
		assertThat(tally.failures()).isPositive();
		assertThat(tally.entered()).isZero();
	}

	@Test
	void aSemaphoreLetsAsManyInAsItHasPermits() throws Exception {
		Contend.Tally tally = contend(Company.THREE, semaphore(3));
		assertThat(tally.overlaps()).isZero();
		assertThat(tally.mostInside()).isEqualTo(3);
		assertThat(tally.entered()).isPositive().isEqualTo(counter());
	}

	@Test
	void aSemaphoreWithOnePermitTooManyIsCaught() throws Exception {
		Contend.Tally tally = contend(Company.THREE, semaphore(4));
		assertThat(tally.overlaps()).isPositive();
		assertThat(tally.mostInside()).isEqualTo(4);
	}

	@Test
	void readersMeetAndAWriterIsAlone() throws Exception {
		ReadWriteLock locks = new ReentrantReadWriteLock(true);
		Contend.Tally tally = contend(Company.READERS_AND_WRITERS, (limit) -> {
			Lock lock = (limit == 1) ? locks.writeLock() : locks.readLock();
			lock.lock();
			return lock::unlock;
		});
		assertThat(tally.overlaps()).isZero();
		assertThat(tally.mostInside()).isGreaterThan(1);
		assertThat(tally.longestWaitAlone()).isPositive();
	}

	@Test
	void aWriterInCompanyIsCaught() throws Exception {
		Contend.Tally tally = contend(Company.READERS_AND_WRITERS, (limit) -> () -> {
		});
		assertThat(tally.overlaps()).isPositive();
	}

	private static LockClient semaphore(int permits) {
		Semaphore semaphore = new Semaphore(permits);
		return inCompany((limit) -> {
			semaphore.acquireUninterruptibly();
			return semaphore::release;
		});
	}

	private Contend.Tally contend(Company company, IntFunction<LockClient.Hold> lock) throws Exception {
		return contend(company, inCompany(lock));
	}

	private Contend.Tally contend(LockClient client) throws Exception {
		return contend(Company.NONE, client);
	}

	private Contend.Tally contend(Company company, LockClient client) throws Exception {
		return new Contend("test", 4, 4, SECTION, LENGTH, boardFile(), company).run(client);
	}

	private static LockClient inCompany(IntFunction<LockClient.Hold> lock) {
		return new LockClient() {

			@Override
			public Hold acquire(String name, Duration lease, Duration wait) {
				throw new UnsupportedOperationException();
			}

			@Override
			public Hold join(String name, int limit, Duration lease, Duration wait) {
				return lock.apply(limit);
			}

			@Override
			public void close() {
			}

		};
	}

	private long counter() {
		return Board.open(boardFile()).get(Turns.COUNTER);
	}

	private String boardFile() {
		return this.directory.resolve("board").toString();
	}

	private static LockClient client(Runnable lock, Runnable unlock) {
		return new LockClient() {

			@Override
			public Hold acquire(String name, Duration lease, Duration wait) {
				lock.run();
				return unlock::run;
			}

			@Override
			public void close() {
			}

		};
	}

}
