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

package io.distributedlock.engine.simulation;

import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;

import io.distributedlock.testsupport.mutation.Mutant;
import io.distributedlock.testsupport.mutation.MutantClassLoader;
import io.distributedlock.testsupport.mutation.MutantCompiler;

/**
 * The simulation with a bug in the engine, in the jobs, or in the in-memory store.
 */
final class SimulatedMutant {

	private static final String ENGINE = "io.distributedlock.engine";

	private static final String STORE = "io.distributedlock.memory";

	private static final String JOBS = "io.distributedlock.scheduling";

	private final Class<?> simulation;

	SimulatedMutant(Mutant mutant, Path directory) {
		this(mutant, directory, Simulation.class);
	}

	SimulatedMutant(Mutant mutant, Path directory, Class<?> simulation) {
		Path output = MutantCompiler.ofProject(Path.of(".."), System.getProperty("java.class.path"))
			.compile(mutant, directory.resolve(mutant.name().replaceAll("\\W+", "-")));
		try {
			this.simulation = new MutantClassLoader(output, SimulatedMutant.class.getClassLoader(), ENGINE, JOBS, STORE)
				.loadClass(simulation.getName());
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return the number of the first history that fails, or -1 if none does.
	 */
	long firstFailure(long seed, long histories) {
		return firstFailure(seed, 0, histories);
	}

	boolean isFoundBy(Corpus history) {
		return firstFailure(history.seed(), history.number(), history.number() + 1) == history.number();
	}

	private long firstFailure(long seed, long from, long to) {
		return (Long) call("firstFailure", new Class<?>[] { long.class, long.class, long.class }, seed, from, to);
	}

	String report(long seed, long number) {
		return (String) call("report", new Class<?>[] { long.class, long.class }, seed, number);
	}

	String finding(long seed, long number) {
		return (String) call("finding", new Class<?>[] { long.class, long.class }, seed, number);
	}

	private Object call(String method, Class<?>[] types, Object... arguments) {
		try {
			return this.simulation.getMethod(method, types).invoke(null, arguments);
		}
		catch (InvocationTargetException ex) {
			throw new IllegalStateException(ex.getCause());
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
