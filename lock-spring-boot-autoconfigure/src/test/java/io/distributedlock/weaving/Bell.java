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

package io.distributedlock.weaving;

import io.distributedlock.annotation.OncePerFireTime;

import org.springframework.scheduling.annotation.Scheduled;

/**
 * A class with a job that no proxy advises if it is called within its bean.
 */
class Bell {

	private int rings;

	@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
	@OncePerFireTime("bell")
	public void ring() {
		this.rings++;
	}

	/** Calls the job of its own. */
	public void ringWithin() {
		ring();
	}

	public int rings() {
		return this.rings;
	}

	/**
	 * A class that has no proxy.
	 */
	static final class TowerBell {

		private int rings;

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime("tower")
		public void ring() {
			this.rings++;
		}

		int rings() {
			return this.rings;
		}

	}

}
