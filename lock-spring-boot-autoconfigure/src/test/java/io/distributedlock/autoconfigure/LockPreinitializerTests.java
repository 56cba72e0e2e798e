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

package io.distributedlock.autoconfigure;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link LockPreinitializer}.
 */
class LockPreinitializerTests {

	@Test
	void isFoundBySpringBoot() {
		assertThat(SpringFactoriesLoader.forDefaultResourceLocation().load(BackgroundPreinitializer.class))
			.hasAtLeastOneElementOfType(LockPreinitializer.class);
	}

	/**
	 * Spring Boot swallows what it throws.
	 */
	@Test
	void leavesNoThread() throws InterruptedException {
		ThreadGroup group = new ThreadGroup("preinitialization");
		Throwable[] failure = new Throwable[1];
		Thread thread = new Thread(group, () -> new LockPreinitializer().preinitialize());
		thread.setUncaughtExceptionHandler((failed, ex) -> failure[0] = ex);
		thread.start();
		thread.join();
		assertThat(failure[0]).isNull();
		Awaitility.await().untilAsserted(() -> assertThat(group.activeCount()).isZero());
	}

}
