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

package io.distributedlock.campaign.worker;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.campaign.history.Event;
import io.distributedlock.fencing.Fences;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Deposits one into an account, in a fenced transaction that reads the balance, takes a
 * while, and writes it. Without a fence, the deposit of a holder that is late is lost.
 */
class FencedWork {

	private final JdbcTemplate jdbc;

	private final TransactionTemplate transaction;

	private final Fences fences;

	FencedWork(JdbcTemplate jdbc, TransactionTemplate transaction, Fences fences) {
		this.jdbc = jdbc;
		this.transaction = transaction;
		this.fences = fences;
	}

	/**
	 * Deposit in the transaction that begins under the lock.
	 */
	@Transactional
	@DistributedLock(name = "'campaign:' + #lock", timeout = 1, waitTime = AnnotatedWork.WAIT_SECONDS, fenced = true)
	void annotated(int lock, Attempt attempt, Duration length, @Nullable LockHandle handle)
			throws InterruptedException {
		deposit(lock, attempt.grantedByAnnotation(lock, handle), attempt, length);
		attempt.leave();
	}

	/**
	 * Deposit in a transaction that claims the fence by itself, maybe after the end of
	 * the lease.
	 */
	void claim(int lock, Section section, Attempt attempt, Duration length) {
		this.transaction.executeWithoutResult((status) -> {
			this.fences.claim(section.handle());
			try {
				deposit(lock, section, attempt, length);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException("Nobody interrupts this", ex);
			}
		});
	}

	private void deposit(int account, Section section, Attempt attempt, Duration length) throws InterruptedException {
		long token = section.handle().fencingToken();
		long balance = 1 + Objects
			.requireNonNull(this.jdbc.queryForObject("select balance from account where id = ?", Long.class, account));
		section.check();
		// Whether or not the lock is still held
		TimeUnit.NANOSECONDS.sleep(length.toNanos());
		section.check();
		this.jdbc.update("update account set balance = ?, deposits = deposits + 1 where id = ?", balance, account);
		long committing = System.nanoTime();
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				attempt.write(Event.Type.COMMITTED, account, 0, System.nanoTime(), token, committing, balance,
						Event.Place.OUTER.ordinal());
			}

		});
	}

}
