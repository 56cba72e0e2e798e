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

package io.distributedlock.engine.simulation;

import java.nio.file.Path;
import java.util.List;

import io.distributedlock.testsupport.mutation.Mutant;
import io.distributedlock.testsupport.mutation.MutantClassLoader;
import io.distributedlock.testsupport.mutation.MutantCompiler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Bugs that forget the zone of a job are planted under the test that a job in Tokyo has.
 */
class ForgottenZoneTests {

	private static final String TESTS = "io.distributedlock.scheduling.internal.OncePerFireTimeTests";

	private static final String TEST = "fireTimesAreThoseOfTheZone";

	@TempDir
	private Path directory;

	@ParameterizedTest
	@MethodSource("bugs")
	void aForgottenZoneIsFound(Mutant bug) throws Exception {
		MutantCompiler.ofProject(Path.of(".."), System.getProperty("java.class.path")).compile(bug, this.directory);
		assertThat(run().getFailures()).singleElement()
			.satisfies((failure) -> assertThat(failure.getException()).isInstanceOf(AssertionError.class)
				.hasMessageContaining("SUCCEEDED 2026-11-27T18:00:00Z by first"));
	}

	static List<Mutant> bugs() {
		return JobMutants.ofZones();
	}

	@Test
	void withoutABugTheTestSucceeds() throws Exception {
		assertThat(run().getTestsSucceededCount()).isOne();
	}

	private TestExecutionSummary run() throws Exception {
		Thread thread = Thread.currentThread();
		ClassLoader own = thread.getContextClassLoader();
		ClassLoader planted = new MutantClassLoader(this.directory, getClass().getClassLoader(), "io.distributedlock");
		SummaryGeneratingListener summary = new SummaryGeneratingListener();
		thread.setContextClassLoader(planted);
		try {
			LauncherFactory.create()
				.execute(LauncherDiscoveryRequestBuilder.request()
					.selectors(DiscoverySelectors.selectMethod(planted.loadClass(TESTS), TEST))
					.build(), summary);
		}
		finally {
			thread.setContextClassLoader(own);
		}
		return summary.getSummary();
	}

}
