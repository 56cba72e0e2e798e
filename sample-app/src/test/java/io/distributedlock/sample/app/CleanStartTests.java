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

package io.distributedlock.sample.app;

import java.util.List;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnContention;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class CleanStartTests {

	@Test
	void theApplicationStartsWithoutAWarning(CapturedOutput output) {
		start("--distributed-lock.validation=fail");
		assertThat(warnings(output)).isEmpty();
	}

	@Test
	void aSmellIsAWarning(CapturedOutput output) {
		start("--distributed-lock.validation=warn", HangingJob.class);
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains("HangingJob.run(): It is @Scheduled and renews its lease without a maxHold");
	}

	/**
	 * Logging shows nothing less than warnings of the locks. That the locks of this test
	 * are in memory is one.
	 */
	private static List<String> warnings(CapturedOutput output) {
		return output.toString()
			.lines()
			.filter((line) -> line.contains(" locks ") && !line.contains("distributed-lock.provider is 'in-memory'"))
			.toList();
	}

	private static void start(String setting, Class<?>... beans) {
		new SpringApplicationBuilder(InstanceApplication.class).sources(beans)
			.web(WebApplicationType.NONE)
			.run("--distributed-lock.provider=in-memory", "--sample.keywords.cron=-", setting)
			.close();
	}

	static class HangingJob {

		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock(name = "hanging-job", autoRenew = true, minHold = 1, onContention = OnContention.SKIP)
		public void run() {
		}

	}

}
