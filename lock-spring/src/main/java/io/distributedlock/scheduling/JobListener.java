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

package io.distributedlock.scheduling;

/**
 * Learns what happened to the fire times of jobs. Implement it as a bean.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface JobListener {

	/**
	 * A run has ended, or this instance has noticed that one was missed. Called in the
	 * thread of the job, or in one of the library; an exception is logged and has no
	 * other effect.
	 * @param run what happened
	 */
	void onJobRun(JobRun run);

}
