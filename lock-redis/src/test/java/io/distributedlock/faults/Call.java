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

package io.distributedlock.faults;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * A call in a thread of its own, and how long it took.
 *
 * @param <T> what it returns
 */
public final class Call<T> {

	private final CompletableFuture<T> result = new CompletableFuture<>();

	private final long start = System.nanoTime();

	private final Thread thread;

	private volatile long end;

	private Call(Callable<T> task) {
		this.thread = new Thread(() -> {
			try {
				T value = task.call();
				this.end = System.nanoTime();
				this.result.complete(value);
			}
			catch (Throwable ex) {
				this.end = System.nanoTime();
				this.result.completeExceptionally(ex);
			}
		}, "caller");
		this.thread.setDaemon(true);
		this.thread.start();
	}

	public static <T> Call<T> start(Callable<T> task) {
		return new Call<>(task);
	}

	static Call<Void> run(Runnable task) {
		return start(() -> {
			task.run();
			return null;
		});
	}

	public boolean isDone() {
		return this.result.isDone();
	}

	void interrupt() {
		this.thread.interrupt();
	}

	/**
	 * Return the result, or throw what the call threw if that is unchecked.
	 */
	public T get() {
		try {
			return this.result.orTimeout(60, TimeUnit.SECONDS).join();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof RuntimeException failure) {
				throw failure;
			}
			throw ex;
		}
	}

	/**
	 * Return what the call threw, or {@code null} if it returned.
	 */
	public Throwable failure() {
		return this.result.orTimeout(60, TimeUnit.SECONDS).handle((value, failure) -> failure).join();
	}

	/**
	 * Return how long the call took, once it is over.
	 */
	public Duration took() {
		failure();
		return Duration.ofNanos(this.end - this.start);
	}

	/**
	 * Return how long after a moment the call was over.
	 * @param moment the time as of {@link System#nanoTime()}
	 */
	public Duration tookSince(long moment) {
		failure();
		return Duration.ofNanos(this.end - moment);
	}

}
