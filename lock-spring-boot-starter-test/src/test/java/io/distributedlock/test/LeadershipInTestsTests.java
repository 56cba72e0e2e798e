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

import io.distributedlock.leadership.Leadership;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for a leadership in a context that several test methods share.
 */
@SpringBootTest(classes = LeadershipInTestsTests.Application.class,
		properties = "distributed-lock.leadership.scheduler.timeout=10s")
@AutoConfigureDistributedLock
@ExtendWith(OutputCaptureExtension.class)
@Timeout(60)
class LeadershipInTestsTests {

	private static long earlier;

	@RepeatedTest(2)
	void eachTestHasALeader(@Autowired Leadership leadership, CapturedOutput output) {
		await().until(leadership::isLeader);
		assertThat(leadership.fencingToken()).isGreaterThan(earlier);
		earlier = leadership.fencingToken();
		assertThat(output).doesNotContain("ended and left");
	}

	@EnableAutoConfiguration
	@Configuration(proxyBeanMethods = false)
	static class Application {

	}

}
