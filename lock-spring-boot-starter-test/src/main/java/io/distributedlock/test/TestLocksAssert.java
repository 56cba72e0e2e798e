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

package io.distributedlock.test;

import java.util.List;
import java.util.stream.Collectors;

import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about {@link TestLocks}.
 *
 * @since 0.1.0
 */
public final class TestLocksAssert extends AbstractAssert<TestLocksAssert, TestLocks> {

	TestLocksAssert(TestLocks actual) {
		super(actual, TestLocksAssert.class);
	}

	/**
	 * Verify that a lock is held.
	 * @param name the name of the lock
	 * @return this
	 */
	public TestLocksAssert isHeld(String name) {
		if (!this.actual.isHeld(name)) {
			throw failure("Expected lock '%s' to be held, but it is free.%s", name, this.actual.hint(name));
		}
		return this;
	}

	/**
	 * Verify that an instance holds a lock.
	 * @param name the name of the lock
	 * @param instance the name of the instance; locks of {@link TestLocks#hold} are held
	 * by {@code another-instance}
	 * @return this
	 */
	public TestLocksAssert isHeldBy(String name, String instance) {
		isHeld(name);
		List<String> holders = this.actual.holderNames(name);
		if (!holders.contains(instance)) {
			throw failure("Expected lock '%s' to be held by '%s', but it is held by '%s'.", name, instance,
					holders.isEmpty() ? "nobody" : String.join("', '", holders));
		}
		return this;
	}

	/**
	 * Verify how many hold a lock, with permits or shared.
	 * @param name the name of the lock
	 * @param expected the number of holders, in the application and in other instances
	 * @return this
	 */
	public TestLocksAssert hasHolders(String name, int expected) {
		int holders = this.actual.holders(name);
		if (holders != expected) {
			throw failure("Expected lock '%s' to have %s holders, but it has %s.%s", name, expected, holders,
					(holders == 0) ? this.actual.hint(name) : "");
		}
		return this;
	}

	/**
	 * Verify that a lock is free again. Fails if nobody has asked for it so far, in this
	 * test or in an earlier one with the same context, because the name may be misspelt.
	 * To verify that nobody has asked for a lock, use {@code TestLocks.isHeld(name)}.
	 * @param name the name of the lock
	 * @return this
	 */
	public TestLocksAssert isFree(String name) {
		this.actual.holder(name).ifPresent((holder) -> {
			throw failure("Expected lock '%s' to be free, but it is held by '%s'.", name, holder);
		});
		if (!this.actual.isAskedFor(name)) {
			throw failure(
					"Expected lock '%s' to be free again, but it was never taken.%s If that is intended, verify that TestLocks.isHeld(\"%s\") is false.",
					name, this.actual.hint(name), name);
		}
		return this;
	}

	/**
	 * Verify that threads of the application never took locks in contradicting orders:
	 * one that holds {@code a} and takes {@code b} while another one holds {@code b} and
	 * takes {@code a} would wait for each other. Whether they did at the same time does
	 * not matter, nor whether the locks were granted.
	 *
	 * <p>
	 * Compares declared names, or the names of two locks that are declared together, over
	 * all tests that have used this context so far. Does not see acquisitions with a
	 * future or in reactive code, which belong to no thread.
	 * @return this
	 */
	public TestLocksAssert hasNoOrderInversion() {
		List<LockOrders.Step> circle = this.actual.inversion();
		if (!circle.isEmpty()) {
			throw failure(
					"Expected locks to be taken in one order, but callers that do this at the same time wait for each other:%n%s%nTake them in the same order everywhere, or together with acquireAll.",
					circle.stream().map((step) -> "- " + step).collect(Collectors.joining(System.lineSeparator())));
		}
		return this;
	}

	/**
	 * Verify the number of callers in the application that wait for a lock.
	 * @param name the name of the lock
	 * @param expected the expected number
	 * @return this
	 */
	public TestLocksAssert hasWaiters(String name, long expected) {
		long waiters = this.actual.waiters(name);
		if (waiters != expected) {
			throw failure("Expected %d waiters for lock '%s', but there are %d.%s", expected, name, waiters,
					this.actual.hint(name));
		}
		return this;
	}

}
