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

package io.distributedlock.sample.app.account;

import java.time.Duration;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.SuppressLockWarnings;
import io.distributedlock.sample.app.SlowWork;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Scenario 13: read, take some time, write. If the lock is lost meanwhile, there are two
 * holders. Their transactions come one after the other, because each claims the fence of
 * the lock when it begins.
 */
@Service
public class AccountService {

	private final AccountRepository accounts;

	private final SlowWork work;

	AccountService(AccountRepository accounts, SlowWork work) {
		this.accounts = accounts;
		this.work = work;
	}

	/**
	 * Deposit money.
	 */
	@Transactional
	@DistributedLock(name = "account:#{#id}", timeout = 10, fenced = true)
	public Balance deposit(String id, int amount, Duration time) {
		return add(id, amount, time);
	}

	/**
	 * Deposit money, for comparison, in a transaction that claims no fence.
	 */
	@Transactional
	@SuppressLockWarnings // shows what a fence prevents
	@DistributedLock(name = "account:#{#id}", timeout = 10)
	public Balance depositUnfenced(String id, int amount, Duration time) {
		return add(id, amount, time);
	}

	private Balance add(String id, int amount, Duration time) {
		Balance before = this.accounts.find(id);
		this.work.take(time);
		Balance after = new Balance(id, before.balance() + amount);
		this.accounts.save(after);
		return after;
	}

}
