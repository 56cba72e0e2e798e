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

package io.distributedlock.test.jobs;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.RunsOnEveryInstance;
import io.distributedlock.leadership.annotation.LeaderOnly;

import org.springframework.scheduling.annotation.Scheduled;

/**
 * Scheduled methods of an application under test.
 */
public class Jobs {

	@Scheduled(fixedRate = 1_000_000, initialDelay = 1_000_000)
	@DistributedLock(name = "nightly")
	public void locked() {
	}

	@Scheduled(fixedRate = 1_000_000, initialDelay = 1_000_000)
	@Scheduled(cron = "-")
	public void twiceWithoutALock() {
	}

	@Hourly
	void composedWithoutALock() {
	}

	@RunsOnEveryInstance
	@Scheduled(fixedRate = 1_000_000, initialDelay = 1_000_000)
	public void everywhere() {
	}

	@LeaderOnly("scheduler")
	@Scheduled(fixedRate = 1_000_000, initialDelay = 1_000_000)
	public void onTheLeader() {
	}

	/** A composed annotation. */
	@Retention(RetentionPolicy.RUNTIME)
	@Scheduled(cron = "-")
	@interface Hourly {

	}

	/** All methods are locked but the private one, which no proxy intercepts. */
	@DistributedLock(name = "class")
	public static class LockedClass {

		@Scheduled(cron = "-")
		public void locked() {
		}

		@Scheduled(cron = "-")
		private void notLocked() {
		}

	}

	/** All methods are meant to run everywhere. */
	@RunsOnEveryInstance
	public static class Everywhere {

		@Scheduled(cron = "-")
		public void refresh() {
		}

	}

}
