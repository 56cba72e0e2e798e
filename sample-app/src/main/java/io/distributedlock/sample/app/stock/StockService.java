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

package io.distributedlock.sample.app.stock;

import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Scenario 5: read, check, write. The lock is taken before the transaction begins and
 * released after it has been committed, so the next buyer reads what this one wrote.
 */
@Service
public class StockService {

	private static final Logger logger = LoggerFactory.getLogger(StockService.class);

	private final StockRepository repository;

	private final Crowd crowd;

	private final TransactionlessLock lock;

	private final ApplicationEventPublisher events;

	StockService(StockRepository repository, Crowd crowd, TransactionlessLock lock, ApplicationEventPublisher events) {
		this.repository = repository;
		this.crowd = crowd;
		this.lock = lock;
		this.events = events;
	}

	/**
	 * Buy one piece of a product.
	 */
	@DistributedLock(name = "stock:#{#product}", timeout = 10, waitTime = 20)
	@Transactional
	public Stock purchase(String product) {
		Stock rest = sell(this.repository.find(product));
		logger.debug("holds the lock and sells {}", rest);
		return rest;
	}

	/**
	 * Buy one piece of a product, for comparison, without the lock.
	 * @param buyers how many buyers of this instance read the stock before one of them
	 * writes it
	 */
	@Transactional
	public Stock purchaseUnlocked(String product, int buyers) {
		Stock stock = this.repository.find(product);
		this.crowd.awaitAll(product, buyers);
		return sell(stock);
	}

	/**
	 * Buy one piece of a product, for comparison, with a lock that is released before the
	 * commit. JPA writes at the commit, too.
	 * @param buyers how many buyers of this instance release the lock before one of them
	 * commits
	 */
	@Transactional
	public Stock purchaseUnlockingEarly(String product, int buyers) {
		LockHandle handle = this.lock.lock("stock:" + product);
		try {
			Stock rest = oneLess(this.repository.find(product));
			atCommit(() -> {
				this.crowd.awaitAll(product, buyers);
				save(rest);
			});
			return rest;
		}
		finally {
			this.lock.unlock(handle);
		}
	}

	private static void atCommit(Runnable write) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void beforeCommit(boolean readOnly) {
				write.run();
			}

		});
	}

	private Stock sell(Stock stock) {
		Stock rest = oneLess(stock);
		save(rest);
		return rest;
	}

	/** A listener may wait for the commit. */
	private void save(Stock rest) {
		this.repository.saveSale(rest.product(), rest.quantity());
		this.events.publishEvent(rest);
	}

	private static Stock oneLess(Stock stock) {
		if (stock.quantity() == 0) {
			throw new SoldOutException(stock.product());
		}
		return new Stock(stock.product(), stock.quantity() - 1, stock.sold() + 1);
	}

}
