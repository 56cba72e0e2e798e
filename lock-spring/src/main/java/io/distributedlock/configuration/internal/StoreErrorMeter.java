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

package io.distributedlock.configuration.internal;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.distributedlock.metrics.LockMetrics;
import io.distributedlock.metrics.LockMetrics.StoreOperation;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.RecordChange;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoredLock;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Counts the commands that the lock store did not answer. The meters are created after
 * all other singletons, like the meters of events, because the lock service may be needed
 * before the registry. Errors before that moment are not counted.
 */
final class StoreErrorMeter implements UnaryOperator<LockStore>, SmartInitializingSingleton {

	private final ObjectProvider<LockMetrics> beans;

	private volatile @Nullable LockMetrics metrics;

	StoreErrorMeter(ObjectProvider<LockMetrics> beans) {
		this.beans = beans;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.metrics = this.beans.getIfUnique();
	}

	@Override
	public LockStore apply(LockStore store) {
		return new MeteredStore(store);
	}

	private void failed(StoreOperation operation, Throwable failure) {
		LockMetrics metrics = this.metrics;
		if (metrics != null && !(failure instanceof CancellationException)) {
			metrics.onStoreError(operation);
		}
	}

	/**
	 * A store whose failures are counted, for the lock service, which calls nothing else.
	 * Its futures are those of the store itself, so cancelling one cancels the command.
	 */
	private final class MeteredStore implements LockStore {

		private final LockStore store;

		MeteredStore(LockStore store) {
			this.store = store;
		}

		@Override
		public CompletableFuture<AcquireOutcome> acquire(AcquireRequest request) {
			return counted(StoreOperation.ACQUIRE, () -> this.store.acquire(request));
		}

		@Override
		public List<CompletableFuture<ExtendOutcome>> extend(List<LeaseExtension> extensions) {
			return extended(() -> this.store.extend(extensions));
		}

		@Override
		public List<CompletableFuture<ExtendOutcome>> extendAndWatch(List<LeaseExtension> extensions) {
			return extended(() -> this.store.extendAndWatch(extensions));
		}

		private List<CompletableFuture<ExtendOutcome>> extended(
				Supplier<List<CompletableFuture<ExtendOutcome>>> command) {
			List<CompletableFuture<ExtendOutcome>> answers = called(StoreOperation.EXTEND, command);
			answers.forEach((answer) -> count(StoreOperation.EXTEND, answer));
			return answers;
		}

		@Override
		public boolean canWatch() {
			return this.store.canWatch();
		}

		@Override
		public CompletableFuture<ReleaseOutcome> release(String name, LockToken token) {
			return counted(StoreOperation.RELEASE, () -> this.store.release(name, token));
		}

		@Override
		public CompletableFuture<Optional<StoredLock>> find(String name) {
			return counted(StoreOperation.FIND, () -> this.store.find(name));
		}

		@Override
		public CompletableFuture<RecordChange.Outcome> replaceRecord(RecordChange change) {
			return counted(StoreOperation.RECORD, () -> this.store.replaceRecord(change));
		}

		@Override
		public void listen(String instance, GrantListener listener) {
			this.store.listen(instance, listener);
		}

		@Override
		public String description() {
			return this.store.description();
		}

		@Override
		public void close() {
			this.store.close();
		}

		private <T> CompletableFuture<T> counted(StoreOperation operation, Supplier<CompletableFuture<T>> command) {
			CompletableFuture<T> answer = called(operation, command);
			count(operation, answer);
			return answer;
		}

		private <T> T called(StoreOperation operation, Supplier<T> command) {
			try {
				return command.get();
			}
			catch (Throwable ex) {
				failed(operation, ex);
				throw ex;
			}
		}

		private void count(StoreOperation operation, CompletableFuture<?> answer) {
			answer.whenComplete((outcome, failure) -> {
				if (failure != null) {
					failed(operation, failure);
				}
			});
		}

	}

}
