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

package io.distributedlock.engine.schedules;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;

import io.distributedlock.testsupport.mutation.Mutant;
import io.distributedlock.testsupport.mutation.MutantClassLoader;
import io.distributedlock.testsupport.mutation.MutantCompiler;

/**
 * An error in the use of threads that we make on purpose, and the scenario that has to
 * find it. Fray changes threads at locks, volatile fields and the like only, and not
 * between plain steps: where an error is between two of those, it comes with a yield.
 */
record PlantedBug(Mutant mutant, Scenario scenario) {

	private static final String ENGINE = "java/io/distributedlock/engine/";

	private static final String INTERNAL = "java/io/distributedlock/internal/";

	static List<PlantedBug> all() {
		return List.of(
				new PlantedBug(Mutant.of("closed-once-only", ENGINE + "CompletionExecutor.java",
						"\t\t\t\tthis.watched.set(false);\n\t\t\t\tRunnable pending", "\t\t\t\tRunnable pending",
						"After the close, a task that is put off for the second time in a thread is forgotten."),
						Scenario.COMPLETIONS),
				new PlantedBug(
						Mutant.of("dropped-check-awaited", ENGINE + "CompletionExecutor.java",
								"return !this.patience.isShutdown();", "return true;",
								"A check that the JDK drops while it shuts down its executor is awaited for ever."),
						Scenario.COMPLETIONS),
				new PlantedBug(Mutant.of("interrupt-for-the-next-task", ENGINE + "CompletionExecutor.java",
						"\t\t\tThread.interrupted();\n", "",
						"An interrupt of one task reaches the next one in its thread."), Scenario.COMPLETIONS),
				new PlantedBug(
						Mutant.of("deferred-interrupt-not-noted", INTERNAL + "DeferredInterrupts.java",
								"\t\t\tinterrupted.add(current);\n", "",
								"A thread that defers an interrupt looks as if it were not interrupted."),
						Scenario.DEFERRED_INTERRUPT),
				new PlantedBug(Mutant.of("deferred-interrupt-restored-late", INTERNAL + "DeferredInterrupts.java",
						"\t\tsynchronized (interrupted) {\n\t\t\tThread.currentThread().interrupt();\n\t\t\tinterrupted.remove(Thread.currentThread());\n\t\t}\n",
						"\t\tsynchronized (interrupted) {\n\t\t\tinterrupted.remove(Thread.currentThread());\n\t\t}\n\t\tThread.yield();\n\t\tThread.currentThread().interrupt();\n",
						"For a moment, a thread that restores an interrupt looks as if it were not interrupted."),
						Scenario.DEFERRED_INTERRUPT),
				new PlantedBug(Mutant
					.of("interrupt-lost-at-the-gate", INTERNAL + "DeferredInterrupts.java", "\t\t\t\trestore();\n", "",
							"An interrupt before a contended lock of a gate gets lost.")
					.after("public static void lock(Lock lock) {"), Scenario.INTERRUPT_AT_GATE),
				new PlantedBug(Mutant.of("interrupt-lost-by-the-waiter", ENGINE + "BlockingWaiter.java",
						"\t\t\tif (this.interrupted) {\n\t\t\t\tDeferred", "\t\t\tif (false) {\n\t\t\t\tDeferred",
						"A thread that waited for a lock is not interrupted any more."), Scenario.INTERRUPTED_WAITER),
				new PlantedBug(
						Mutant.of("interrupt-for-the-next-work", ENGINE + "HolderInterrupt.java",
								"\t\t\tThread.interrupted();\n", "",
								"The interrupt for a loss reaches the work after the handle was closed."),
						Scenario.INTERRUPT_FOR_LOSS),
				new PlantedBug(
						Mutant.of("interrupt-under-way-not-awaited", ENGINE + "HolderInterrupt.java",
								"while (this.state.get() == State.UNDER_WAY &&", "while (false &&",
								"The interrupt for a loss is delivered after the handle was closed."),
						Scenario.INTERRUPT_FOR_LOSS),
				new PlantedBug(
						Mutant.of("waiter-removed-twice", ENGINE + "Gate.java", "\t\twaiter.inLine = false;\n", "",
								"A waiter that left the line to ask for the lock leaves it again, with all behind it."),
						Scenario.INTERRUPTED_WAITER),
				new PlantedBug(
						Mutant.of("wake-up-of-the-second-waiter-lost", ENGINE + "LockEngine.java",
								"\t\t\t\tafterwards(waiter::wake);\n", "",
								"Of several waiters that an event settles, only one is woken."),
						Scenario.SINGLE_ATTEMPTS),
				new PlantedBug(Mutant.of("wake-up-of-the-timer-lost", ENGINE + "LeaseTimer.java",
						"\t\tLockSupport.unpark(this.thread);\n", "", "The watchdog sleeps although something is due."),
						Scenario.TIMER),
				new PlantedBug(Mutant.of("timer-expects-what-was", ENGINE + "LeaseTimer.java",
						"this.wakeAt = (this.size == 0) ? NEVER : this.heap[0].due;\n\t\t\t\t\treturn this.wakeAt;",
						"return (this.size == 0) ? NEVER : this.heap[0].due;",
						"The watchdog is not woken for what is due before its next look."), Scenario.TIMER),
				new PlantedBug(
						Mutant.of("timer-entry-stays", ENGINE + "AsyncWaiter.java",
								"\t\t\tif (outcome() != null) {\n\t\t\t\ttimer.cancel(this.timeout);\n\t\t\t}\n", "",
								"The time limit of a future that was answered meanwhile stays in the timer."),
						Scenario.FUTURES),
				new PlantedBug(Mutant.of("watchdog-not-ended", ENGINE + "LeaseTimer.java",
						"\t\tLockSupport.unpark(thread);\n", "", "The watchdog sleeps on after the close."),
						Scenario.TIMER),
				new PlantedBug(Mutant.of("unlocked-before-the-effects", ENGINE + "LockEngine.java",
						"\t\t\tWaiter settled = this.settled;\n",
						"\t\t\tthis.stripe.lock.unlock();\n\t\t\tThread.yield();\n\t\t\tWaiter settled = this.settled;\n",
						"The actions of an event are taken out when the next event may add its own.")
					.also("\t\t\tfinally {\n\t\t\t\tthis.stripe.lock.unlock();\n\t\t\t}\n\t\t\ttry {\n\t\t\t\twake(",
							"\t\t\tfinally {\n\t\t\t\tthis.hash = 0;\n\t\t\t}\n\t\t\ttry {\n\t\t\t\twake("),
						Scenario.HAND_OFF),
				new PlantedBug(Mutant.of("handle-closed-twice", ENGINE + "Handle.java",
						"return CLOSED.compareAndSet(this, false, true);",
						"boolean first = !this.closed;\n\t\tthis.closed = true;\n\t\treturn first;",
						"Two threads close a handle, and both release."), Scenario.CLOSED_TWICE),
				new PlantedBug(Mutant.of("closed-flag-not-written", ENGINE + "Contention.java",
						"\t\tthis.closed = true;\n", "", "Waiters are admitted after all waits were ended."),
						Scenario.CLOSED_SERVICE),
				new PlantedBug(
						Mutant.of("grant-after-the-wait-left", ENGINE + "Contention.java",
								"if ((granted || before == Contender.Phase.OVERTAKEN) && !isNeeded(contender)) {",
								"if (false) {", "A request that is sent after its wait was given up takes the lock."),
						Scenario.CANCELLED_FUTURE),
				new PlantedBug(
						Mutant.of("close-before-the-last-request", ENGINE + "Shutdown.java",
								"\t\tawaitSenders(unsent);\n", "",
								"A request that another thread is about to send takes the lock after the close."),
						Scenario.CLOSED_SERVICE));
	}

	/**
	 * Return the scenario with the bug, which has classes of its own.
	 */
	Runnable plant(Path directory) {
		Path output = MutantCompiler.ofProject(Path.of(".."), System.getProperty("java.class.path"))
			.compile(this.mutant, directory.resolve(this.mutant.name()));
		try {
			Class<?> planted = new MutantClassLoader(output, PlantedBug.class.getClassLoader(), "io.distributedlock")
				.loadClass(Scenario.class.getName());
			Method valueOf = planted.getDeclaredMethod("valueOf", String.class);
			valueOf.setAccessible(true);
			return (Runnable) valueOf.invoke(null, this.scenario.name());
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public String toString() {
		return this.mutant.name();
	}

}
