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

package io.distributedlock.internal;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.distributedlock.LockInfo;
import io.distributedlock.internal.DeclaredJobs.DeclaredJob;
import org.jspecify.annotations.Nullable;

/**
 * The last run of a job on any instance, as the store knows it.
 *
 * @param run what its record says
 * @param abandoned whether it did not end, and its instance does not have the lock
 */
public record LastRun(DeclaredJobs.Run run, boolean abandoned) {

	/**
	 * Ask for the last run of a job.
	 *
	 * <p>
	 * A run that did not end left a record that says otherwise. The record is read before
	 * and after the lock: if it is the same, then the lock was not that of the run while
	 * the run had not ended.
	 * @return a future of the run, or of empty if the store knows of none; it fails as
	 * the store does, and with an {@link IllegalArgumentException} if the record is not
	 * that of a job
	 */
	public static CompletableFuture<Optional<LastRun>> of(DeclaredJob job, Source store) {
		return record(job, store).thenCompose((found) -> {
			DeclaredJobs.Run run = found.orElse(null);
			if (run == null) {
				return CompletableFuture.completedFuture(Optional.empty());
			}
			LastRun asRecorded = new LastRun(run, false);
			if (run.end() != null) {
				return CompletableFuture.completedFuture(Optional.of(asRecorded));
			}
			return CompletableFuture.completedFuture(job.name())
				.thenCompose(store.holder())
				.thenCompose((holder) -> isRunBy(holder.orElse(null), run)
						? CompletableFuture.completedFuture(Optional.of(asRecorded))
						: record(job, store)
							.thenApply((again) -> again.map((latest) -> new LastRun(latest, latest.equals(run)))))
				.exceptionally((failure) -> Optional.of(asRecorded));
		});
	}

	/** A store may throw instead of returning a future. */
	private static CompletableFuture<Optional<DeclaredJobs.Run>> record(DeclaredJob job, Source store) {
		return CompletableFuture.completedFuture(job.name())
			.thenCompose(store.record())
			.thenApply((record) -> record.map(job::read));
	}

	/** An instance with the same name may be the same one. */
	private static boolean isRunBy(@Nullable LockInfo holder, DeclaredJobs.Run run) {
		return holder != null && Printable.of(run.instance()).equals(Printable.of(String.valueOf(holder.holder())));
	}

	/**
	 * Return whether the work was done, or is being done.
	 */
	public boolean isGood() {
		return !this.abandoned && !this.run.state().equals("failed");
	}

	/**
	 * Where runs are known, by the names of locks.
	 *
	 * @param record returns a future of the record of a lock
	 * @param holder returns a future of who holds a lock
	 */
	public record Source(Function<String, CompletableFuture<Optional<String>>> record,
			Function<String, CompletableFuture<Optional<LockInfo>>> holder) {
	}

}
