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

import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;

import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/accounts/{id}")
class AccountController {

	private final AccountService service;

	private final AccountRepository accounts;

	private final LockStore locks;

	AccountController(AccountService service, AccountRepository accounts, LockStore locks) {
		this.service = service;
		this.accounts = accounts;
		this.locks = locks;
	}

	@PostMapping("/deposits")
	Balance deposit(@PathVariable String id, @RequestParam int amount, @RequestParam(defaultValue = "0") int millis,
			@RequestParam(defaultValue = "true") boolean fenced) {
		Duration time = Duration.ofMillis(millis);
		return fenced ? this.service.deposit(id, amount, time) : this.service.depositUnfenced(id, amount, time);
	}

	@GetMapping
	Balance find(@PathVariable String id) {
		return this.accounts.find(id);
	}

	/**
	 * Make a lock vanish as if Redis had lost it, without telling its holder: Redis
	 * reports to a connection only what others do.
	 */
	@DeleteMapping("/lock")
	void loseLock(@PathVariable String id) {
		String name = "account:" + id;
		this.locks.find(name)
			.thenCompose((lock) -> this.locks.release(name, LockToken.parse(lock.orElseThrow().holder())))
			.join();
	}

}
