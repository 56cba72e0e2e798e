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

import java.util.List;

import io.distributedlock.example.DocumentedTable;
import io.distributedlock.leadership.LeaderElection;
import io.distributedlock.leadership.Leadership;
import io.distributedlock.leadership.annotation.LeaderOnly;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for the order of {@link LeaderOnly @LeaderOnly} and locks.
 */
class LeaderOnlyOrderTests {

	@Test
	void callThatOnlyTheLeaderRunsDoesNotAskForTheLock() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Leading.class,
				LeaderJob.class)) {
			context.getBean(LeaderJob.class).run();
			assertThat(context.getBean(RecordingLockService.class).log).isEmpty();
		}
	}

	@Test
	void documentationHasARowForTheOrder() {
		List<List<String>> rows = DocumentedTable.of("annotation.md", "Among other annotations").rows();
		assertThat(rows).filteredOn((row) -> row.get(0).contains("@LeaderOnly"))
			.extracting(DocumentedTable::testOf)
			.containsExactly("callThatOnlyTheLeaderRunsDoesNotAskForTheLock");
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ DistributedLockConfiguration.class, RecordingLockService.class })
	static class Leading {

		@Bean
		LeaderElection leaderElection(RecordingLockService locks) {
			return new LeaderElection(locks);
		}

		@Bean
		Leadership scheduler() {
			Leadership resigned = mock();
			given(resigned.name()).willReturn("scheduler");
			return resigned;
		}

	}

	static class LeaderJob {

		@LeaderOnly("scheduler")
		@DistributedLock("job")
		public void run() {
		}

	}

}
