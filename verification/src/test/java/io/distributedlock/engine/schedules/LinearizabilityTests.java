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

import java.time.Duration;
import java.util.List;

import io.distributedlock.engine.GateMapProbe;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockToken;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What is used by several threads at once behaves as if one call came after the other:
 * Lincheck compares the answers of random calls, in schedules that it controls, with
 * those of all orders of the same calls. Run by the profile {@code schedules}. The system
 * property {@code linearizability.iterations} says how many calls.
 */
@Tag("linearizability")
class LinearizabilityTests {

	private static final int ITERATIONS = Integer.getInteger("linearizability.iterations", 4);

	/** More than there are stripes. */
	private static final int LOOPS = 200;

	private static final long MOST_MILLIS = 300_000;

	@ParameterizedTest
	@ValueSource(classes = { Store.class, Gates.class })
	void callsComeOneAfterTheOther(Class<?> calls) {
		check(calls);
	}

	@ParameterizedTest
	@ValueSource(classes = { StoreInTwoSteps.class, GatesWithoutLock.class })
	void callsThatMeetAreFound(Class<?> calls) {
		assertThatExceptionOfType(LincheckAssertionError.class).isThrownBy(() -> check(calls));
	}

	private static void check(Class<?> calls) {
		// The time limit is for a busy machine: Lincheck changes classes when they are
		// first used
		new ModelCheckingOptions().invocationTimeout$lincheck(MOST_MILLIS)
			.iterations(ITERATIONS)
			.invocationsPerIteration(50)
			.threads(2)
			.actorsPerThread(3)
			.actorsBefore(1)
			.actorsAfter(1)
			.loopBound(LOOPS)
			.minimizeFailedScenario(false)
			.check(calls);
	}

	/**
	 * Commands to the store in memory. Fencing tokens begin with the time, so that they
	 * are not compared.
	 */
	@Param(name = "token", gen = IntGen.class, conf = "1:3")
	@Param(name = "limit", gen = IntGen.class, conf = "1:2")
	public static class Store {

		private static final Duration LEASE = Duration.ofSeconds(1);

		private final InMemoryLockStore store = new InMemoryLockStore(() -> 0);

		@Operation
		public String acquire(@Param(name = "token") int token, @Param(name = "limit") int limit) {
			AcquireOutcome outcome = this.store.acquire(new AcquireRequest("a", token(token), LEASE, 1, null, limit))
				.join();
			return (outcome instanceof AcquireOutcome.Busy busy) ? busy.holder() + " of " + busy.holders() : "granted";
		}

		@Operation
		public String extend(@Param(name = "token") int token) {
			LeaseExtension extension = new LeaseExtension("a", token(token), LEASE, LeaseExtension.Mode.EXACTLY, 1);
			return this.store.extend(List.of(extension)).get(0).join().name();
		}

		@Operation
		public String release(@Param(name = "token") int token) {
			return this.store.release("a", token(token)).join().name();
		}

		private static LockToken token(int number) {
			return new LockToken("i", number);
		}

	}

	/**
	 * A command that is none, because another one may come between its steps.
	 */
	@Param(name = "token", gen = IntGen.class, conf = "1:3")
	@Param(name = "limit", gen = IntGen.class, conf = "1:2")
	public static class StoreInTwoSteps extends Store {

		@Operation
		public String renew(@Param(name = "token") int token) {
			return release(token) + " " + acquire(token, 1);
		}

	}

	/**
	 * Lines at gates, which come and go.
	 */
	@Param(name = "name", gen = IntGen.class, conf = "0:2")
	public static class Gates {

		private final GateMapProbe gates;

		public Gates() {
			this(true);
		}

		Gates(boolean locked) {
			this.gates = new GateMapProbe(3, locked);
		}

		@Operation
		public int join(@Param(name = "name") int name) {
			return this.gates.join(name);
		}

		@Operation
		public int leave(@Param(name = "name") int name) {
			return this.gates.leave(name);
		}

		@Operation
		public String gates() {
			return this.gates.gates();
		}

	}

	/**
	 * The same without the locks of the stripes.
	 */
	@Param(name = "name", gen = IntGen.class, conf = "0:2")
	public static class GatesWithoutLock extends Gates {

		public GatesWithoutLock() {
			super(false);
		}

	}

}
