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

package io.distributedlock.campaign.worker;

import io.distributedlock.annotation.OncePerFireTime;

import org.springframework.scheduling.annotation.Scheduled;

/**
 * Methods that run once per fire time. Their names and periods are those of {@link Job}.
 */
class JobWork {

	/** Of all of them. */
	private static final String LEASE = "2s";

	/**
	 * A run that failed is looked at again after a second: too late, unless the call was
	 * early.
	 */
	static final int HASTE_MILLIS = 1000;

	private final JobCalls calls;

	JobWork(JobCalls calls) {
		this.calls = calls;
	}

	@Scheduled(cron = "* * * * * *", zone = "UTC")
	@OncePerFireTime(name = "campaign:502", timeout = LEASE)
	void prompt() {
		this.calls.run(Job.PROMPT);
	}

	@Scheduled(cron = "* * * * * *", zone = "Asia/Tokyo")
	@OncePerFireTime(name = "campaign:506", timeout = LEASE)
	void failing() {
		this.calls.run(Job.FAILING);
	}

	@Scheduled(cron = "* * * * * *", zone = "UTC")
	@OncePerFireTime(name = "campaign:510", timeout = LEASE)
	void lasting() {
		this.calls.run(Job.LASTING);
	}

	@Scheduled(cron = "*/2 * * * * *", zone = "UTC")
	@OncePerFireTime(name = "campaign:514", timeout = LEASE)
	void outlasting() {
		this.calls.run(Job.OUTLASTING);
	}

	@Scheduled(cron = "*/2 * * * * *", zone = "UTC")
	@OncePerFireTime(name = "campaign:518", timeout = LEASE, catchUp = "3s")
	void promptWithCatchUp() {
		this.calls.run(Job.PROMPT_WITH_CATCH_UP);
	}

	@Scheduled(cron = "*/2 * * * * *", zone = "UTC")
	@OncePerFireTime(name = "campaign:522", timeout = LEASE, catchUp = "3s")
	void lastingWithCatchUp() {
		this.calls.run(Job.LASTING_WITH_CATCH_UP);
	}

	@Scheduled(cron = "*/5 * * * * *", zone = "UTC")
	@OncePerFireTime(name = "campaign:526", timeout = LEASE, catchUp = "5s")
	void seldomWithCatchUp() {
		this.calls.run(Job.SELDOM_WITH_CATCH_UP);
	}

	@Scheduled(cron = "*/2 * * * * *", zone = "UTC")
	@OncePerFireTime(name = "campaign:530", timeout = LEASE, catchUp = HASTE_MILLIS + "ms")
	void hastyWithCatchUp() {
		this.calls.run(Job.HASTY_WITH_CATCH_UP);
	}

	@Scheduled(cron = "*/2 * * * * *", zone = "UTC")
	@OncePerFireTime(name = "campaign:538", timeout = LEASE, catchUp = "3s", repeat = false)
	void lateButNotAgain() {
		this.calls.run(Job.LATE_BUT_NOT_AGAIN);
	}

	@Scheduled(fixedRate = 2000)
	@OncePerFireTime(name = "campaign:534", timeout = LEASE)
	void atAFixedRate() {
		this.calls.run(Job.AT_A_FIXED_RATE);
	}

}
