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

package io.distributedlock.annotation;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Async;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the warning about listeners that abort the start of Spring Boot if they find
 * their lock held. All other warnings are tested without Spring Boot.
 */
@ExtendWith(OutputCaptureExtension.class)
class RefusedStartTests {

	@ParameterizedTest
	@ValueSource(classes = { Ready.class, Started.class })
	void aListenerThatAbortsTheStartIsAWarning(Class<?> bean, CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean("locks", RecordingLockService.class);
			LockFixture.applyLocks(context, LockValidation.FAIL);
			context.registerBean("bean", bean);
			context.refresh();
		}
		assertThat(output.toString().lines().filter((line) -> line.contains("WARN"))).singleElement()
			.asString()
			.contains(bean.getName() + ".run(")
			.endsWith(": It listens to Application" + bean.getSimpleName()
					+ "Event, and throws a LockNotAcquiredException if it finds the lock held, which aborts the start-up: if several instances start together, only one of them survives. Write onContention = OnContention.SKIP, or set waitTime if each instance is to run it.");
	}

	static class Ready {

		@EventListener
		@DistributedLock
		public void run(ApplicationReadyEvent event) {
		}

		@Async
		@EventListener(ApplicationReadyEvent.class)
		@DistributedLock
		public void besidesTheStart() {
		}

	}

	static class Started {

		@EventListener(ApplicationStartedEvent.class)
		@DistributedLock
		public void run() {
		}

	}

}
