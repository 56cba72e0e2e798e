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

package io.distributedlock.benchmarks.fleet;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;

import org.jspecify.annotations.Nullable;

/**
 * A few forked JVMs that work at the same time.
 */
public final class Fleet implements AutoCloseable {

	private final List<WorkerJvm> workers = new ArrayList<>();

	public Fleet(String name, int size, Path log) {
		this(name, size, log, System.getProperty("java.class.path"));
	}

	public Fleet(String name, int size, Path log, String classPath) {
		List<WorkerJvm.Launch> launches = new ArrayList<>();
		for (int index = 0; index < size; index++) {
			launches.add(WorkerJvm.launch(name + '-' + index, log, classPath));
		}
		try {
			launches.forEach((launch) -> this.workers.add(launch.await()));
		}
		catch (RuntimeException ex) {
			launches.forEach((launch) -> launch.process().destroyForcibly());
			close();
			throw ex;
		}
	}

	public WorkerJvm worker(int index) {
		return this.workers.get(index);
	}

	/**
	 * Puts the first JVM behind all others.
	 */
	public void rotate() {
		Collections.rotate(this.workers, -1);
	}

	/**
	 * Gives the first JVMs a task each, and waits for all of them.
	 * @return the results, in the order of the JVMs
	 */
	public <R extends @Nullable Object> List<R> run(int size, IntFunction<Task<R>> tasks) {
		List<Task<R>> sent = new ArrayList<>();
		for (int index = 0; index < size; index++) {
			Task<R> task = tasks.apply(index);
			this.workers.get(index).send(task);
			sent.add(task);
		}
		return receive(sent);
	}

	/**
	 * Every answer is read, so that no JVM is left with an answer to an old task; the
	 * first failure counts.
	 */
	private <R extends @Nullable Object> List<R> receive(List<Task<R>> sent) {
		List<R> results = new ArrayList<>();
		TaskFailedException failure = null;
		for (int index = 0; index < sent.size(); index++) {
			try {
				results.add(this.workers.get(index).receive(sent.get(index)));
			}
			catch (TaskFailedException ex) {
				failure = (failure != null) ? failure : ex;
			}
		}
		if (failure != null) {
			throw failure;
		}
		return results;
	}

	@Override
	public void close() {
		this.workers.forEach(WorkerJvm::close);
	}

}
