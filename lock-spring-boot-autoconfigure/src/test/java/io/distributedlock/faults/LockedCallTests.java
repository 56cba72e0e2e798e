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
import java.util.Map;

import io.distributedlock.LockHandle;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLockConfiguration;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Annotated methods while their lock is busy, and while Redis does not answer.
 */
@Timeout(120)
class LockedCallTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	@Test
	@Shows("A locked method starts only with the lock")
	void lockedMethodStartsOnlyWithItsLock() {
		Instance here = bed.impatientInstance("here");
		Instance there = bed.instance("there");
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.getBeanFactory().registerSingleton("locks", here.locks);
			context.register(DistributedLockConfiguration.class, Jobs.class);
			context.refresh();
			Jobs jobs = context.getBean(Jobs.class);
			Map<LockKind, Runnable> calls = Map.of(LockKind.EXCLUSIVE, jobs::runAlone, LockKind.PERMITS,
					jobs::runWithPermit, LockKind.SHARED, jobs::runShared);
			LockKind.forEach((kind) -> {
				LockHandle held = there.locks.acquire(kind.named("job"), LONG);
				assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(calls.get(kind)::run);
				held.release();
				assertThat(jobs.runs()).isZero();
				calls.get(kind).run();
				assertThat(jobs.runs()).isOne();
			});
			bed.server().pause();
			LockKind.forEach((kind) -> assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(calls.get(kind)::run));
			assertThat(jobs.runs()).isZero();
			bed.server().resume();
		}
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	static class Jobs {

		private int runs;

		/** Since this was last asked for. */
		public int runs() {
			int runs = this.runs;
			this.runs = 0;
			return runs;
		}

		@DistributedLock(name = "job.exclusive", timeout = 300)
		public void runAlone() {
			this.runs++;
		}

		@DistributedLock(name = "job.permits", timeout = 300, permits = 2)
		public void runWithPermit() {
			this.runs++;
		}

		@DistributedLock(name = "job.shared", timeout = 300, mode = LockMode.SHARED)
		public void runShared() {
			this.runs++;
		}

	}

}
