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
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.Grant;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.RecordChange;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoredLock;
import org.jspecify.annotations.Nullable;

/**
 * A real store whose answers and grants a test may hold back, lose, repeat, reorder or
 * replace by failures, and which notes what it was asked. Actions can be run at the two
 * moments that matter most for races: just before a command is carried out, and between
 * that and the answer.
 */
public final class ControlledStore implements LockStore {

	private final LockStore store;

	final Queue<String> commands = new ConcurrentLinkedQueue<>();

	private final Deque<HeldBack> heldBack = new ConcurrentLinkedDeque<>();

	private final Queue<Runnable> heldGrants = new ConcurrentLinkedQueue<>();

	private final Map<String, Runnable> before = new ConcurrentHashMap<>();

	private final Map<String, Runnable> after = new ConcurrentHashMap<>();

	private final Map<String, GrantListener> listeners = new ConcurrentHashMap<>();

	private volatile @Nullable AcquireRequest lastRequest;

	private final Set<LockToken> queued = ConcurrentHashMap.newKeySet();

	private final AtomicInteger forAPlace = new AtomicInteger();

	private volatile Mode mode = Mode.ANSWER;

	private volatile @Nullable AcquireOutcome pretended;

	private volatile Grants grants = Grants.DELIVER;

	private volatile boolean watching;

	public ControlledStore(LockStore store) {
		this.store = store;
	}

	public void mode(Mode mode) {
		this.mode = mode;
	}

	/**
	 * Answer requests for locks with this instead of asking.
	 */
	void pretend(@Nullable AcquireOutcome outcome) {
		this.pretended = outcome;
	}

	void watching(boolean watching) {
		this.watching = watching;
	}

	public void grants(Grants grants) {
		this.grants = grants;
	}

	/**
	 * Run something once, in the thread of the next such command, before it is carried
	 * out.
	 */
	void before(String command, Runnable action) {
		this.before.put(command, action);
	}

	/**
	 * Run something once, in the thread of the next such command, when it has been
	 * carried out but its future has not been returned.
	 */
	void after(String command, Runnable action) {
		this.after.put(command, action);
	}

	/**
	 * Answer what was held back, in order, and everything from now on.
	 */
	void answer() {
		this.mode = Mode.ANSWER;
		for (HeldBack held = this.heldBack.poll(); held != null; held = this.heldBack.poll()) {
			held.succeed.run();
		}
	}

	void answerFirst() {
		this.heldBack.removeFirst().succeed.run();
	}

	void answerLast() {
		this.heldBack.removeLast().succeed.run();
	}

	/**
	 * Let time out what was held back first: whether it was carried out, nobody knows.
	 */
	void failFirst() {
		this.heldBack.removeFirst().fail.run();
	}

	void deliver() {
		for (Runnable grant = this.heldGrants.poll(); grant != null; grant = this.heldGrants.poll()) {
			grant.run();
		}
	}

	/**
	 * How many of our requests entered the queue and did not leave it of their own
	 * accord.
	 */
	int queued() {
		return this.queued.size();
	}

	/**
	 * How many of our requests were for a place in the queue.
	 */
	int forAPlace() {
		return this.forAPlace.get();
	}

	int heldBack() {
		return this.heldBack.size();
	}

	int heldGrants() {
		return this.heldGrants.size();
	}

	int count(String command) {
		return (int) this.commands.stream().filter(command::equals).count();
	}

	private <T> CompletableFuture<T> through(String command, Supplier<CompletableFuture<T>> action) {
		this.commands.add(command);
		run(this.before.remove(command));
		CompletableFuture<T> answer = inMode(action);
		run(this.after.remove(command));
		return answer;
	}

	private static void run(@Nullable Runnable action) {
		if (action != null) {
			action.run();
		}
	}

	private <T> CompletableFuture<T> inMode(Supplier<CompletableFuture<T>> action) {
		return switch (this.mode) {
			case ANSWER -> action.get();
			case HOLD_ANSWERS -> {
				CompletableFuture<T> real = action.get();
				yield holdBack(() -> real);
			}
			case HOLD_COMMANDS -> holdBack(action);
			case LOSE_ANSWERS -> {
				action.get();
				yield CompletableFuture.failedFuture(cut());
			}
			case FAIL -> CompletableFuture.failedFuture(cut());
			case REFUSE -> CompletableFuture
				.failedFuture(new LockConfigurationException("", "The test took the permission away.", null));
			case THROW -> throw new IllegalStateException("The test broke the store.");
		};
	}

	private <T> CompletableFuture<T> holdBack(Supplier<CompletableFuture<T>> action) {
		CompletableFuture<T> late = new CompletableFuture<>();
		HeldBack held = new HeldBack(() -> late.complete(action.get().join()), () -> late.completeExceptionally(cut()));
		this.heldBack.add(held);
		if (this.mode == Mode.ANSWER && this.heldBack.remove(held)) {
			// Everything was answered before this came
			held.succeed.run();
		}
		return late;
	}

	private static LockUnavailableException cut() {
		return new LockUnavailableException("", "The test cut the line.", null);
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireRequest request) {
		this.lastRequest = request;
		this.forAPlace.addAndGet((request.waiting() != null) ? 1 : 0);
		AcquireOutcome outcomeInstead = this.pretended;
		if (outcomeInstead != null) {
			return through("acquire", () -> CompletableFuture.completedFuture(outcomeInstead));
		}
		return through("acquire", () -> this.store.acquire(request).thenApply((outcome) -> {
			if (request.waiting() != null && outcome instanceof AcquireOutcome.Busy) {
				this.queued.add(request.token());
			}
			return outcome;
		}));
	}

	@Override
	public List<CompletableFuture<ExtendOutcome>> extend(List<LeaseExtension> extensions) {
		return extend(extensions, "");
	}

	@Override
	public List<CompletableFuture<ExtendOutcome>> extendAndWatch(List<LeaseExtension> extensions) {
		return extend(extensions, this.watching ? " and watch" : "");
	}

	@Override
	public boolean canWatch() {
		return this.watching;
	}

	private List<CompletableFuture<ExtendOutcome>> extend(List<LeaseExtension> extensions, String watched) {
		boolean questions = extensions.stream().allMatch((extension) -> extension.lease().equals(LeaseKeeper.SHORTEST));
		this.commands.add((questions ? "ask " : "extend ") + extensions.size() + watched);
		List<CompletableFuture<ExtendOutcome>> answers = new ArrayList<>();
		extensions.forEach(
				(extension) -> answers.add(through("extension", () -> this.store.extend(List.of(extension)).get(0))));
		return answers;
	}

	@Override
	public CompletableFuture<ReleaseOutcome> release(String name, LockToken token) {
		return through("release", () -> {
			// Not before it has left: tests wait for this
			CompletableFuture<ReleaseOutcome> released = this.store.release(name, token);
			this.queued.remove(token);
			return released;
		});
	}

	@Override
	public CompletableFuture<Optional<StoredLock>> find(String name) {
		return through("find", () -> this.store.find(name));
	}

	@Override
	public CompletableFuture<RecordChange.Outcome> replaceRecord(RecordChange change) {
		return through("record", () -> this.store.replaceRecord(change));
	}

	/**
	 * Send a message to an instance, as anybody may who has access to the channels.
	 */
	void publish(String instance, Grant message) {
		this.listeners.get(instance).granted(message);
	}

	/**
	 * Tell an instance that it may have lost locks.
	 */
	void interrupt(String instance) {
		this.listeners.get(instance).interrupted();
	}

	/**
	 * Tell an instance that a lock changed.
	 */
	void publishChanged(String instance, String name) {
		this.listeners.get(instance).changed(name);
	}

	/**
	 * Tell an instance that a lock was taken from it, as anybody may.
	 */
	void publishRevoked(String instance, String name, LockToken token) {
		this.listeners.get(instance).revoked(name, token);
	}

	AcquireRequest lastRequest() {
		return Objects.requireNonNull(this.lastRequest);
	}

	@Override
	public void listen(String instance, GrantListener listener) {
		this.listeners.put(instance, listener);
		this.store.listen(instance, new GrantListener() {

			@Override
			public void granted(Grant grant) {
				switch (ControlledStore.this.grants) {
					case DELIVER -> listener.granted(grant);
					case DELIVER_TWICE -> {
						listener.granted(grant);
						ControlledStore.this.heldGrants.add(() -> listener.granted(grant));
					}
					case HOLD -> ControlledStore.this.heldGrants.add(() -> listener.granted(grant));
					case LOSE -> {
					}
				}
			}

			@Override
			public void revoked(String name, LockToken token) {
				listener.revoked(name, token);
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

	private record HeldBack(Runnable succeed, Runnable fail) {

	}

	public enum Mode {

		/** Carry out and answer at once. */
		ANSWER,

		/** Carry out at once, answer later. */
		HOLD_ANSWERS,

		/** Carry out and answer later. */
		HOLD_COMMANDS,

		/** Carry out, answer with a failure. */
		LOSE_ANSWERS,

		/** Answer with a failure. */
		FAIL,

		/** Answer that the configuration is wrong. */
		REFUSE,

		/** Break the contract. */
		THROW

	}

	public enum Grants {

		DELIVER, DELIVER_TWICE, HOLD, LOSE

	}

}
