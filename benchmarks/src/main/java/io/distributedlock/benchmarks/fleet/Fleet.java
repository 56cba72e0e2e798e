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

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;

import io.distributedlock.benchmarks.contestant.Contestant;

/**
 * A few forked JVMs of one contestant that work at the same time.
 */
public final class Fleet implements AutoCloseable {

	private final List<WorkerJvm> workers = new ArrayList<>();

	public Fleet(Contestant contestant, URI redis, int size, Path directory) {
		for (int index = 0; index < size; index++) {
			this.workers.add(new WorkerJvm(contestant, redis, contestant.fileName() + '-' + index,
					directory.resolve(contestant.fileName() + ".log")));
		}
	}

	/**
	 * Has each JVM open its client.
	 */
	public void open() {
		run(this.workers.size(), (index) -> (bench) -> {
			bench.client();
			return index;
		});
	}

	/**
	 * Puts the first JVM behind all others.
	 */
	public void rotate() {
		Collections.rotate(this.workers, -1);
	}

	/**
	 * Gives the first JVM a task, and waits for it.
	 */
	public <R> R run(Task<R> task) {
		return run(1, (index) -> task).get(0);
	}

	/**
	 * Gives the first JVMs a task each, and waits for all of them: so that no JVM is left
	 * with an answer to an old task, every answer is read.
	 * @return the results, in the order of the JVMs
	 * @throws TaskFailedException the first failure
	 */
	public <R> List<R> run(int size, IntFunction<Task<R>> tasks) {
		List<Task<R>> sent = new ArrayList<>();
		for (int index = 0; index < size; index++) {
			Task<R> task = tasks.apply(index);
			this.workers.get(index).send(task);
			sent.add(task);
		}
		List<R> results = new ArrayList<>();
		TaskFailedException failure = null;
		for (int index = 0; index < size; index++) {
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
