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

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.annotation.OncePerFireTime;
import io.distributedlock.internal.WallClock;
import io.distributedlock.scheduling.JobListener;
import io.distributedlock.scheduling.JobRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for jobs that run once per fire time, in a context with
 * {@link AutoConfigureDistributedLock}.
 */
@SpringBootTest(classes = FireTimesTests.Application.class)
@AutoConfigureDistributedLock
class FireTimesTests {

	private static final Instant THREE = Instant.parse("2026-11-27T03:00:00Z");

	private static final Duration DAY = Duration.ofDays(1);

	private static final LockOptions NOT_RENEWED = LockOptions.ofLease(Duration.ofSeconds(30));

	@Autowired
	private Reports reports;

	@Autowired
	private List<JobRun> told;

	@Autowired
	private TestLocks locks;

	@BeforeEach
	void forget() {
		this.reports.forget();
		this.told.clear();
	}

	@Test
	void theReportIsWrittenOnceAlthoughBothInstancesFire() {
		this.locks.moveTo(THREE);
		this.reports.writeReport();
		assertThat(this.locks.fireElsewhere("nightly-report", THREE)).isFalse();
	}

	@Test
	void aReportThatAnotherInstanceHasWrittenIsNotWrittenAgain() {
		assertThat(this.locks.fireElsewhere("nightly-report", THREE)).isTrue();
		this.locks.moveTo(THREE.plusSeconds(2));
		this.reports.writeReport();
		assertThat(this.reports.written()).isZero();
	}

	@Test
	void theExamplesOfThePageAreThoseOfThisClass() throws Exception {
		String source = unspaced(Files
			.readString(Path.of("src", "test", "java", FireTimesTests.class.getName().replace('.', '/') + ".java")));
		Matcher example = Pattern.compile("```java\n((?:(?!```).)*fireElsewhere.*?)```", Pattern.DOTALL)
			.matcher(Files.readString(Path.of("..", "docs", "testing.md")));
		assertThat(example.find()).isTrue();
		assertThat(source).contains(unspaced(example.group(1)));
	}

	private static String unspaced(String text) {
		return text.replaceAll("\\s+", " ").strip();
	}

	@Test
	void theNextFireTimeIsRunByTheInstanceThatFiresFirst() {
		this.locks.moveTo(THREE);
		this.reports.writeReport();
		this.locks.moveTo(THREE.plus(DAY));
		this.reports.writeReport();
		assertThat(this.reports.written()).isEqualTo(2);
		assertThat(this.locks.fireElsewhere("nightly-report", THREE)).as("an earlier fire time").isFalse();
		assertThat(this.locks.fireElsewhere("nightly-report", THREE.plus(DAY))).isFalse();
		assertThat(this.locks.fireElsewhere("nightly-report", THREE.plus(DAY.multipliedBy(2)))).isTrue();
		assertThat(this.told).extracting(JobRun::fireTime)
			.as("not told about other instances")
			.containsExactly(THREE, THREE.plus(DAY));
	}

	@Test
	void anotherInstanceSkipsTheJobWhileItRunsHere() {
		List<Boolean> ran = new ArrayList<>();
		this.reports.onWrite(() -> ran.add(this.locks.fireElsewhere("nightly-report", THREE.plus(DAY))));
		this.locks.moveTo(THREE);
		this.reports.writeReport();
		assertThat(ran).containsExactly(false);
		assertThat(this.locks).isFree("nightly-report");
	}

	@Test
	void timePassesForLocksFromTheSecondMoveOn() {
		LockHandle elsewhere = this.locks.hold("order:1", NOT_RENEWED);
		this.locks.moveTo(Instant.parse("2100-01-01T03:00:00Z"));
		assertThat(elsewhere.isHeld()).as("the time of day was set").isTrue();
		this.locks.moveTo(Instant.parse("2100-01-01T03:00:29Z"));
		assertThat(this.locks).isHeld("order:1");
		this.locks.moveTo(Instant.parse("2100-01-01T03:00:31Z"));
		assertThat(this.locks).isFree("order:1");
	}

	@Test
	void aTimeInThePastIsOnlySet() {
		this.locks.moveTo(THREE);
		LockHandle elsewhere = this.locks.hold("order:1", NOT_RENEWED);
		this.locks.moveTo(THREE.minus(DAY));
		assertThat(elsewhere.isHeld()).isTrue();
		this.reports.writeReport();
		assertThat(this.told).extracting(JobRun::fireTime).containsExactly(THREE.minus(DAY));
	}

	@Test
	void jobsSeeTheTimeThatIsAdvanced() {
		this.reports.writeReport();
		this.reports.writeReport();
		assertThat(this.reports.written()).isOne();
		this.locks.advance(DAY);
		this.reports.writeReport();
		assertThat(this.reports.written()).isEqualTo(2);
		this.locks.moveTo(THREE.minusSeconds(600));
		this.locks.advance(Duration.ofSeconds(600));
		assertThat(this.locks.fireElsewhere("minutely", THREE)).isTrue();
		this.reports.everyMinute();
		assertThat(this.reports.written()).isEqualTo(2);
		this.locks.advance(Duration.ofMinutes(1));
		this.reports.everyMinute();
		assertThat(this.reports.written()).isEqualTo(3);
	}

	@Test
	void theNextTestKnowsNoRunsAndHasTheTimeOfTheMachine() {
		this.locks.moveTo(THREE);
		this.reports.writeReport();
		this.locks.reset("FireTimesTests.earlier");
		this.reports.everyMinute();
		assertThat(Duration.between(this.told.get(1).fireTime(), Instant.now())).isLessThan(Duration.ofMinutes(2));
		this.locks.moveTo(THREE);
		this.reports.writeReport();
		assertThat(this.reports.written()).isEqualTo(3);
	}

	@Test
	void aMisspeltJobIsRefusedWithTheNameThatWasMeant() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.fireElsewhere("nightly-reprot", THREE))
			.withMessage("The application has no job with the name 'nightly-reprot'. Did you mean 'nightly-report'?");
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.fireElsewhere("x", THREE))
			.withMessage("The application has no job with the name 'x'. Its jobs are 'minutely', 'nightly-report'.");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Reports.class)
	static class Application {

		private final List<JobRun> told = new ArrayList<>();

		@Bean
		List<JobRun> told() {
			return this.told;
		}

		/** The clock of the test goes before it. */
		@Bean
		WallClock wallClock() {
			return () -> Instant.EPOCH;
		}

		@Bean
		JobListener listener() {
			return this.told::add;
		}

	}

	static class Reports {

		private int written;

		private Runnable work = () -> {
		};

		void forget() {
			this.written = 0;
			this.work = () -> {
			};
		}

		void onWrite(Runnable work) {
			this.work = work;
		}

		int written() {
			return this.written;
		}

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime("nightly-report")
		public void writeReport() {
			this.written++;
			this.work.run();
		}

		@Scheduled(cron = "0 * * * * *")
		@OncePerFireTime(name = "minutely", maxHold = "1m")
		public void everyMinute() {
			this.written++;
		}

	}

}
