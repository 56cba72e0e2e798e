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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.OnLost;
import io.distributedlock.internal.Failures;
import io.distributedlock.internal.LockKeeper;
import org.jspecify.annotations.Nullable;

/**
 * Acquires several locks one after the other, all or none, within one wait, in the
 * calling thread or without blocking one.
 *
 * <p>
 * The wait for the next lock may be longer than the lease of those that are held. Each is
 * therefore renewed until all are acquired, regardless of the options, and a loss in the
 * meantime is not reported: the caller has no handle yet. A lock that was lost
 * nevertheless is acquired again, as are those after it, in the order that all callers
 * use.
 */
final class AcquireAll {

	private static final long LEAST_WAIT = TimeUnit.MILLISECONDS.toNanos(1);

	private final LockEngine engine;

	private final LockKeeper.@Nullable Keeping keeping;

	private final List<String> names;

	private final LockOptions options;

	private final long end;

	private final List<Handle> parts = new ArrayList<>();

	/** The observer's object for a caller that does not block. */
	private @Nullable Object asking;

	/**
	 * The step that the result waits for. Set before the check whether the result is
	 * done.
	 */
	private volatile @Nullable CompletableFuture<LockHandle> step;

	/** A second handle on each part, which keeps it renewed. */
	private final List<@Nullable Handle> renewals = new ArrayList<>();

	AcquireAll(LockEngine engine, LockKeeper.@Nullable Keeping keeping, List<String> names, LockOptions options) {
		this.engine = engine;
		this.keeping = keeping;
		this.names = names;
		this.options = options;
		this.end = engine.now() + options.waitTime().toNanos();
	}

	LockHandle run() {
		try {
			boolean again = true;
			while (again) {
				String name = next();
				while (name != null) {
					Handle kept = this.engine.enterKept(this.keeping, name, this.options);
					add((kept != null) ? kept : BlockingWaiter.acquire(this.engine, name, nextOptions()));
					name = next();
				}
				awaitRefresh();
				List<Handle.Release> lost = giveBackLost();
				lost.forEach(Handle.Release::await);
				again = !lost.isEmpty();
				if (again) {
					assertTimeLeft();
				}
			}
			return complete();
		}
		catch (RuntimeException | Error ex) {
			giveBackFrom(0).forEach(Handle.Release::await);
			throw ex;
		}
	}

	private void awaitRefresh() {
		try {
			Failures.join("", refresh());
		}
		catch (LockLostException ex) {
			// Lost locks are acquired again
		}
	}

	/**
	 * Acquire them without blocking a thread. The step under way is cancelled with the
	 * future of the whole. The observer attributes all steps to the calling thread.
	 */
	CompletableFuture<LockHandle> start() {
		this.asking = this.engine.asking();
		CompletableFuture<LockHandle> result = new CompletableFuture<>();
		result.whenComplete((handle, failure) -> cancelStep());
		acquireNext(result);
		return result;
	}

	private void acquireNext(CompletableFuture<LockHandle> result) {
		String name = next();
		if (name == null) {
			refresh().whenComplete((done, failure) -> refreshed(result, failure));
			return;
		}
		Handle kept = this.engine.enterKept(this.keeping, name, this.options);
		CompletableFuture<LockHandle> step = (kept != null) ? CompletableFuture.completedFuture(kept)
				: new AsyncWaiter(name, nextOptions(), this.engine, null, this.asking).start();
		this.step = step;
		if (result.isDone()) {
			cancelStep();
		}
		step.whenComplete((handle, failure) -> acquired(result, handle, failure));
	}

	private void cancelStep() {
		CompletableFuture<LockHandle> step = this.step;
		if (step != null && !step.isDone()) {
			step.cancel(false);
		}
	}

	private void acquired(CompletableFuture<LockHandle> result, @Nullable LockHandle handle,
			@Nullable Throwable failure) {
		if (handle != null) {
			add(handle);
		}
		if (failure != null || result.isDone()) {
			giveUp(result, failure);
			return;
		}
		try {
			acquireNext(result);
		}
		catch (RuntimeException ex) {
			giveUp(result, ex);
		}
	}

	private void refreshed(CompletableFuture<LockHandle> result, @Nullable Throwable failure) {
		try {
			if (failure != null && !(Failures.unwrap(failure) instanceof LockLostException)) {
				giveUp(result, failure);
			}
			else if (result.isDone()) {
				giveUp(result, null);
			}
			else {
				completeIfHeld(result);
			}
		}
		catch (RuntimeException ex) {
			giveUp(result, ex);
		}
	}

	private void completeIfHeld(CompletableFuture<LockHandle> result) {
		List<Handle.Release> lost = giveBackLost();
		if (!lost.isEmpty()) {
			CompletableFuture
				.allOf(lost.stream()
					.map((release) -> release.toFuture(this.engine.completions()))
					.toArray(CompletableFuture[]::new))
				.whenComplete((done, failure) -> acquireAgain(result));
		}
		else if (!result.complete(complete())) {
			giveUp(result, null);
		}
	}

	private void acquireAgain(CompletableFuture<LockHandle> result) {
		try {
			assertTimeLeft();
			acquireNext(result);
		}
		catch (RuntimeException ex) {
			giveUp(result, ex);
		}
	}

	private void giveUp(CompletableFuture<LockHandle> result, @Nullable Throwable failure) {
		giveBackFrom(0).forEach((release) -> release.toFuture(this.engine.completions()));
		if (failure != null) {
			result.completeExceptionally(Failures.unwrap(failure));
		}
	}

	private @Nullable String next() {
		return (this.parts.size() < this.names.size()) ? this.names.get(this.parts.size()) : null;
	}

	private LockOptions nextOptions() {
		LockOptions part = this.options.withOnLost(OnLost.LOG);
		return part.waitTime().isZero() ? part
				: part.withWaitTime(Duration.ofNanos(Math.max(this.end - this.engine.now(), LEAST_WAIT)));
	}

	private void add(LockHandle handle) {
		Handle part = (Handle) handle;
		this.parts.add(part);
		this.renewals.add((next() != null) ? this.engine.reenter(part, this.options.withAutoRenew()) : null);
	}

	/**
	 * Bring the leases that started long before the last one to their full length.
	 */
	private CompletableFuture<Void> refresh() {
		List<CompletableFuture<Void>> answers = new ArrayList<>();
		Duration tooShort = this.options.lease().dividedBy(4).multipliedBy(3);
		for (Handle part : this.parts) {
			if (part.isHeld() && part.remaining().compareTo(tooShort) < 0) {
				answers.add(part.refresh(this.options.lease()));
			}
		}
		return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
	}

	/**
	 * Give back the lost locks and all later ones, to acquire them again.
	 */
	private List<Handle.Release> giveBackLost() {
		int held = 0;
		while (held < this.parts.size() && this.parts.get(held).isHeld()) {
			held++;
		}
		return giveBackFrom(held);
	}

	private void assertTimeLeft() {
		if (this.engine.now() >= this.end) {
			String lost = this.names.get(this.parts.size());
			throw new LockUnavailableException(lost, "Lock '" + lost
					+ "' was lost again before all of the locks could be acquired. Check whether the lock store is slow, or use a longer timeout.",
					null);
		}
	}

	/**
	 * From now on, all are held as the options say.
	 */
	private CompositeHandle complete() {
		for (int i = 0; i < this.parts.size(); i++) {
			this.parts.get(i).adopt(this.options);
			Handle renewal = this.renewals.get(i);
			if (renewal != null) {
				renewal.startRelease();
			}
		}
		CompositeHandle all = new CompositeHandle(this.parts);
		this.engine.keep(this.keeping, all, this.options);
		return all;
	}

	/**
	 * Release from the given part on, regardless of the minimum hold.
	 */
	private List<Handle.Release> giveBackFrom(int index) {
		List<Handle.Release> releases = new ArrayList<>();
		for (int i = this.parts.size() - 1; i >= index; i--) {
			Handle renewal = this.renewals.remove(i);
			if (renewal != null) {
				renewal.startRelease();
			}
			Handle part = this.parts.remove(i);
			part.waive();
			releases.add(part.startRelease());
		}
		return releases;
	}

}
