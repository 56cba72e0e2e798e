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

package io.distributedlock.benchmarks.fleet;

import java.net.URI;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.benchmarks.contestant.Contestant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class FleetTests {

	@TempDir
	Path directory;

	@Test
	void everyJvmAnswersWithItsOwnResult() {
		try (Fleet fleet = fleet(2)) {
			assertThat(fleet.run(2, Echo::new)).containsExactly("bare-0 got 0", "bare-1 got 1");
		}
	}

	@Test
	void aFailedTaskIsReportedAndTheJvmGoesOn() {
		try (Fleet fleet = fleet(1)) {
			assertThatExceptionOfType(TaskFailedException.class).isThrownBy(() -> fleet.run(new Echo(-1)))
				.withMessage("bare-0: java.lang.IllegalArgumentException: negative");
			assertThat(fleet.run(new Echo(7))).isEqualTo("bare-0 got 7");
		}
	}

	/** They open no client, so they need no Redis. */
	private Fleet fleet(int size) {
		return new Fleet(Contestant.BARE, URI.create("redis://nowhere"), size, this.directory);
	}

	record Echo(int number) implements Task<String> {

		@Override
		public String run(Bench bench) {
			if (this.number < 0) {
				throw new IllegalArgumentException("negative");
			}
			return bench.instance() + " got " + this.number;
		}

	}

}
