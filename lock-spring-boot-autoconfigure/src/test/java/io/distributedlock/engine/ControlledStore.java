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

package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoredLock;

/**
 * A real store whose answers a test may hold back, lose or replace by failures, and which
 * notes what it was asked.
 */
final class ControlledStore implements LockStore {

	private final LockStore store;

	final List<String> commands = new CopyOnWriteArrayList<>();

	private final ConcurrentLinkedQueue<Runnable> heldBack = new ConcurrentLinkedQueue<>();

	private final Set<LockToken> queued = ConcurrentHashMap.newKeySet();

	private volatile Mode mode = Mode.ANSWER;

	private volatile boolean grantsLost;

	ControlledStore(LockStore store) {
		this.store = store;
	}

	/**
	 * What happens to commands from now on.
	 */
	void mode(Mode mode) {
		this.mode = mode;
	}

	void loseGrants() {
		this.grantsLost = true;
	}

	/**
	 * Answer what was held back.
	 */
	void answer() {
		this.mode = Mode.ANSWER;
		for (Runnable answer = this.heldBack.poll(); answer != null; answer = this.heldBack.poll()) {
			answer.run();
		}
	}

	/**
	 * How many of our requests entered the queue and did not leave it of their own
	 * accord.
	 */
	int queued() {
		return this.queued.size();
	}

	int heldBack() {
		return this.heldBack.size();
	}

	private <T> CompletableFuture<T> through(String command, Supplier<CompletableFuture<T>> action) {
		this.commands.add(command);
		switch (this.mode) {
			case ANSWER -> {
				return action.get();
			}
			case HOLD_ANSWERS -> {
				CompletableFuture<T> real = action.get();
				CompletableFuture<T> late = new CompletableFuture<>();
				this.heldBack.add(() -> late.complete(real.join()));
				return late;
			}
			case LOSE_ANSWERS -> {
				action.get();
				return failed();
			}
			case FAIL -> {
				return failed();
			}
		}
		throw new IllegalStateException();
	}

	private static <T> CompletableFuture<T> failed() {
		return CompletableFuture.failedFuture(new LockUnavailableException("", "The test cut the line.", null));
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireRequest request) {
		return through("acquire", () -> this.store.acquire(request).thenApply((outcome) -> {
			if (request.waiterLife() != null && outcome instanceof AcquireOutcome.Busy) {
				this.queued.add(request.token());
			}
			return outcome;
		}));
	}

	@Override
	public List<CompletableFuture<ExtendOutcome>> extend(List<LeaseExtension> extensions) {
		this.commands.add("extend " + extensions.size());
		List<CompletableFuture<ExtendOutcome>> answers = new ArrayList<>();
		extensions.forEach(
				(extension) -> answers.add(through("extension", () -> this.store.extend(List.of(extension)).get(0))));
		return answers;
	}

	@Override
	public CompletableFuture<ReleaseOutcome> release(String name, LockToken token) {
		return through("release", () -> {
			this.queued.remove(token);
			return this.store.release(name, token);
		});
	}

	@Override
	public CompletableFuture<Optional<StoredLock>> find(String name) {
		return through("find", () -> this.store.find(name));
	}

	@Override
	public void listen(String instance, GrantListener listener) {
		this.store.listen(instance, new GrantListener() {

			@Override
			public void granted(io.distributedlock.store.Grant grant) {
				if (!ControlledStore.this.grantsLost) {
					listener.granted(grant);
				}
			}

			@Override
			public void subscribed() {
				listener.subscribed();
			}

		});
	}

	@Override
	public String description() {
		return "controlled " + this.store.description();
	}

	@Override
	public void close() {
		this.store.close();
	}

	enum Mode {

		ANSWER, HOLD_ANSWERS, LOSE_ANSWERS, FAIL

	}

}
