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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.example.PlantedMistakes;
import io.distributedlock.LockService;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OncePerFireTime;
import io.distributedlock.internal.DeclaredLock;
import io.distributedlock.internal.DeclaredLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

/**
 * Tests for what an application prints when it cannot start: a real application is
 * started for each, so that the registration of the analyzers is tested as well.
 */
@ExtendWith(OutputCaptureExtension.class)
class FailureReportTests {

	@Test
	void finalClassIsInTheReportOfAllMistakes(CapturedOutput output) {
		fails(List.of(Locks.class, FinalClass.class, BadFallback.class));
		assertThat(report(output)).contains("Lock annotations cannot work (2 errors)",
				". " + FinalClass.class.getName() + ".pay(long)", "The class is final",
				". " + BadFallback.class.getName() + ".pay(long)", "There is no method busy");
	}

	@Test
	void allMistakesOfOneAnnotationAreInTheReport(CapturedOutput output) {
		fails(List.of(Locks.class, ManyMistakes.class));
		assertThat(report(output)).contains("Lock annotations cannot work (3 errors, 1 warning)",
				"A duration must not be negative.", "There is no method busy",
				"reads idd of #receipt of type " + Receipt.class.getName(), "Did you mean id?", "condition = \"true\"");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					defaults.timeout=10s renewal.interval=15s | The renewal interval is 15s, but must be at most half of the lease of 10s; distributed-lock.defaults.timeout = 10s; distributed-lock.renewal.interval = 15s; Set distributed-lock.renewal.interval to at most half of the lease, or remove it
					locks[Order.pay].timeout=10s locks[Order.pay].min-hold=1m | distributed-lock.locks[Order.pay].timeout = 10s; distributed-lock.locks[Order.pay].min-hold = 1m
					defaults.timeout=0s | The lease is 0s, but must be at least 10ms.; distributed-lock.defaults.timeout = 0s; Set distributed-lock.defaults.timeout to a lease from 10ms to 3650d
					defaults.wait-time=-5s | The wait is -5s; distributed-lock.defaults.wait-time = -5s; or to zero for one attempt
					defaults.max-hold=5s | The maximum hold is 5s; distributed-lock.defaults.max-hold = 5s; Set distributed-lock.defaults.max-hold to at least the lease, or remove it
					locks[Order.pay].permits=0 | The permits are 0, but must be at least 1.; distributed-lock.locks[Order.pay].permits = 0; Remove distributed-lock.locks[Order.pay].permits, or set it to 2 or more
					locks[Order.pay].permits=3 locks[Order.pay].mode=exclusive | The permits let in 3 callers, but the mode is exclusive; distributed-lock.locks[Order.pay].permits = 3; distributed-lock.locks[Order.pay].mode = EXCLUSIVE; remove one of the two
					locks[Order.pay].permits=1 locks[Order.pay].mode=shared | A shared lock has no permits; distributed-lock.locks[Order.pay].permits = 1; remove one of the two
					locks[Order.pay].permits=2 locks[Order.pay].mode=shared | A shared lock has no permits; distributed-lock.locks[Order.pay].permits = 2
					locks[Correct.pay].min-hold=5m | The minimum hold is 5m, but must not be longer than the lease of 1m.; distributed-lock.locks[Correct.pay].min-hold = 5m
					locks.Correct.pay.timeout=10s | has no effect; distributed-lock.locks.Correct.pay.timeout = 10s; Write 'distributed-lock.locks[Correct.pay].timeout'
					locks.report.time-out-in=10s | distributed-lock.locks.report.time-out-in = 10s; timeout, wait-time, auto-renew
					provider=redis key-prefix={locks} | distributed-lock.key-prefix = '{locks}'
					provider=redis check=off locks[report].key={lock:pay}:queue | distributed-lock.locks[report].key = ; ends like a companion
					provider=redis check=off locks[report].key=lock:pay | distributed-lock.locks[report].key = ; is that of lock 'pay'
					provider=redis check=off locks[Correct.pay].key=jobs:pay | distributed-lock.locks[Correct.pay].key = ; no lock has the name 'Correct.pay'
					local-handoffs.count=500 | The number of local hand-offs is 500, but must be from 0 to 100.; distributed-lock.local-handoffs.count = 500; Set distributed-lock.local-handoffs.count to a number from 0 to 100, or remove it to use its default, 32.
					local-handoffs.count=-1 | The number of local hand-offs is -1, but must be from 0 to 100.; distributed-lock.local-handoffs.count = -1; Set distributed-lock.local-handoffs.count to a number from 0 to 100, or remove it to use its default, 32.
					annotation.max-hold-limit=6h validation=warn | A limit of holds is set, and the validation does not enforce it.; distributed-lock.annotation.max-hold-limit = 6h; distributed-lock.validation = WARN; Set distributed-lock.validation to fail or strict.
					annotation.max-hold-limit=6h validation=off | distributed-lock.validation = OFF; Or remove distributed-lock.annotation.max-hold-limit.
					metrics.max-names=-1 | The number of metered lock names is -1, but must not be negative.; distributed-lock.metrics.max-names = -1; Set distributed-lock.metrics.max-names to zero or more, or remove it to use its default, 100.
					shutdown.grace-period=-5s | The grace period at shutdown is -5s, but must not be negative.; distributed-lock.shutdown.grace-period = -5s; Set distributed-lock.shutdown.grace-period to zero or more, or remove it to use its default, 5s.
					redis.command-timeout=0s | The Redis command timeout is 0s, but must be positive.; distributed-lock.redis.command-timeout = 0s; Set distributed-lock.redis.command-timeout to a positive time, or remove it to use its default, 1s.
					redis.connect-timeout=0s | The Redis connect timeout is 0s, but must be positive.; distributed-lock.redis.connect-timeout = 0s; Set distributed-lock.redis.connect-timeout to a positive time, or remove it to use its default, 2s.
					redis.fence-retention=0s | The retention of fencing tokens is 0s, but must be positive.; distributed-lock.redis.fence-retention = 0s; Set distributed-lock.redis.fence-retention to a positive time, or remove it to use its default, 10m.
					renewal.interval=0s | The renewal interval is 0s, but must be positive.; distributed-lock.renewal.interval = 0s; Set distributed-lock.renewal.interval to a positive time, or remove it to use its default, a third of each lease.
					provider=redis check=fail ../spring.data.redis.url=redis://127.0.0.1:1 | Distributed locks do not work:; No answer about Redis at 127.0.0.1:1; set distributed-lock.check to 'warn'
					provider=redis ../spring.autoconfigure.exclude=org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration | distributed-lock.provider is 'redis', but there is no RedisConnectionFactory bean.; spring-boot-starter-data-redis; 'in-memory'
					""")
	void aSettingThatCannotBeIsReported(String settings, String texts, CapturedOutput output) {
		fails(Correct.class,
				Arrays.stream(settings.split(" "))
					.map((setting) -> "--" + ("distributed-lock." + setting).replaceFirst(".*\\.\\./", ""))
					.toArray(String[]::new));
		assertThat(report(output)).contains(texts.split("; ")).doesNotContain("Failed to bind");
	}

	@Test
	void methodThatMayHoldItsLockBeyondTheLimitIsReported(CapturedOutput output) {
		fails(List.of(Locks.class, LongHolds.class, Correct.class), "--distributed-lock.annotation.max-hold-limit=1h");
		assertThat(report(output))
			.contains("Lock annotations cannot work (3 errors)", ". " + LongHolds.class.getName() + ".renewed()",
					"Its lock can be held without a limit", "Set maxHoldString = \"1h\", or a shorter time; with",
					". " + LongHolds.class.getName() + ".leased()",
					"Its lock can be held for 1h1m, and this application allows 1h.",
					"Set timeoutString = \"1h\" in place of timeout, or a shorter time; with",
					". " + LongHolds.class.getName() + ".job()", "Its lock can be held for 1d",
					"Set maxHold = \"1h\", or a shorter time; with")
			.doesNotContain("limited()", Correct.class.getName(), "To start nevertheless");
	}

	@Test
	void mistakeOfTheUnitHidesTheLimitAndATextTwiceGivenHidesNothing(CapturedOutput output) {
		fails(List.of(Locks.class, WrongLeases.class), "--distributed-lock.annotation.max-hold-limit=1h");
		assertThat(report(output))
			.contains("Lock annotations cannot work (3 errors)", "(timeout = 30000) is 8h20m: numbers are seconds",
					"timeout = 30 is given as well.", "'30 sec' is not a duration.")
			.doesNotContain("this application allows 1h");
	}

	@Test
	void methodsWithinTheLimitStart(CapturedOutput output) {
		run(List.of(Locks.class, LongHolds.class, Correct.class), "--distributed-lock.annotation.max-hold-limit=24h",
				"--distributed-lock.defaults.max-hold=2h")
			.close();
		assertThat(output).doesNotContain("FAILED TO START", "Its lock can be held");
	}

	@Test
	void maximumHoldOfTheDefaultsIsForRenewedLeasesOnly(CapturedOutput output) {
		String shorter = "--distributed-lock.defaults.max-hold=15m";
		fails(List.of(Locks.class, LongLeases.class), shorter);
		assertThat(report(output)).contains("Lock annotations cannot work (1 error)",
				". " + LongLeases.class.getName() + ".renewed()",
				"The maximum hold is 15m, but must not be shorter than the lease of 30m.",
				"Set the configured max-hold (with Spring Boot, distributed-lock.defaults or distributed-lock.locks) to at least the lease, or remove it.");
		run(List.of(Locks.class, LongLeases.class), shorter, "--distributed-lock.locks[renewed].max-hold=30m").close();
	}

	@Test
	void finalClassThatAnotherAnnotationNeedsAProxyForIsReported(CapturedOutput output) {
		fails(List.of(Locks.class, Transactions.class, FinalTransactional.class));
		assertThat(report(output)).contains("1. " + FinalTransactional.class.getName(),
				"Found:  The class is final, and has methods with locks.", "Fix:    Remove 'final' from the class");
		fails(List.of(Locks.class, Transactions.class, FinalUnlocked.class));
		assertThat(report(output)).doesNotContain(FinalUnlocked.class.getName() + "\n   Found");
	}

	@Test
	void prefixOfAnApplicationWithoutANameIsRefused(CapturedOutput output) {
		String prefix = "--distributed-lock.key-prefix=lock:${spring.application.name}:";
		fails(Correct.class, "--spring.application.name=", prefix);
		assertThat(report(output)).contains(
				"${spring.application.name} has an empty value: applications would share their locks by mistake.",
				"distributed-lock.key-prefix = lock:${spring.application.name}:",
				"Give the property 'spring.application.name' a value");
		run(List.of(Locks.class, Correct.class), "--spring.application.name=shop", prefix).close();
	}

	@Test
	void placeholderWithoutAValueDoesNotHideOtherMistakes(CapturedOutput output) {
		fails(List.of(Locks.class, Unresolved.class));
		assertThat(report(output)).contains("Lock annotations cannot work (3 errors)",
				"@DistributedLock(timeoutString = \"${no.such.lease}\") cannot work. It cannot be resolved",
				"@DistributedLock(maxHoldString = \"${no.such.limit}\") cannot work. It cannot be resolved",
				"There is no method busy");
	}

	@Test
	void valueWithoutAUnitIsNotReportedAsOutOfRangeAsWell(CapturedOutput output) {
		fails(Correct.class, "--distributed-lock.redis.command-timeout=-5");
		assertThat(report(output)).contains("A duration has no unit.").doesNotContain("must be positive", "mistakes");
	}

	@Test
	void aContradictionIsReportedWithoutTheSettingsThatAgree(CapturedOutput output) {
		fails(Correct.class, "--distributed-lock.renewal.interval=20s", "--distributed-lock.defaults.wait-time=3s");
		assertThat(report(output))
			.contains("distributed-lock.defaults.timeout = 30s", "distributed-lock.renewal.interval = 20s")
			.doesNotContain("wait-time", "min-hold");
	}

	/**
	 * Each setting is what the report of another one says.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "defaults.timeout=10s renewal.interval=5s", "renewal.interval=15s", "defaults.timeout=30s",
			"defaults.wait-time=5s", "defaults.wait-time=0s", "defaults.max-hold=1m",
			"locks[Order.pay].timeout=10s locks[Order.pay].min-hold=10s",
			"locks[Order.pay].timeout=1m locks[Order.pay].min-hold=1m", "locks[Order.pay].permits=1",
			"locks[Order.pay].permits=3", "locks[Order.pay].mode=exclusive", "locks[Order.pay].mode=shared",
			"defaults.timeout=500ms", "defaults.timeout=PT1M30S" })
	void settingAdvisedByAReportIsAccepted(String settings, CapturedOutput output) {
		run(List.of(Locks.class, Correct.class),
				Arrays.stream(settings.split(" "))
					.map((setting) -> "--distributed-lock." + setting)
					.toArray(String[]::new))
			.close();
		assertThat(output).doesNotContain("FAILED TO START");
	}

	@Test
	void documentedReportIsThePrintedReport(CapturedOutput output) throws Exception {
		List<Class<?>> sources = new ArrayList<>(PlantedMistakes.BEANS);
		sources.add(Locks.class);
		fails(sources);
		Matcher documented = Pattern.compile("<!-- planted-mistakes -->\\s+```\\n(.*?)```", Pattern.DOTALL)
			.matcher(Files.readString(Path.of("..", "docs", "troubleshooting.md")));
		assertThat(documented.find()).as("block after <!-- planted-mistakes --> in docs/troubleshooting.md").isTrue();
		assertThat(report(output)).contains(documented.group(1));
	}

	@Test
	void mistakesAreOnlyLoggedIfConfigured(CapturedOutput output) {
		try (ConfigurableApplicationContext context = run(List.of(Locks.class, BadFallback.class),
				"--distributed-lock.validation=warn")) {
			assertThat(output).contains("WARN").contains(BadFallback.class.getName() + ".pay(long)");
			assertThatExceptionOfType(RuntimeException.class)
				.isThrownBy(() -> context.getBean(BadFallback.class).pay(1))
				.withMessageContaining("busy");
		}
	}

	@Test
	void incidentallyFoundMistakeIsReportedWithoutValidation(CapturedOutput output) {
		fails(BadFallback.class, "--distributed-lock.validation=off");
		assertThat(report(output)).contains("Method:    " + BadFallback.class.getName() + ".pay(long)")
			.contains("Attribute: fallbackMethod")
			.contains("Value:     busy");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					defaults.timeout=30                 | no unit       | 'distributed-lock.defaults.timeout=30s'
					defaults.wait-time=5                | no unit       | 'distributed-lock.defaults.wait-time=5s'
					defaults.minHold=1                  | no unit       | 'distributed-lock.defaults.min-hold=1s'
					renewal.interval=10                 | no unit       | 'distributed-lock.renewal.interval=10s'
					redis.command-timeout=1000          | no unit       | 'distributed-lock.redis.command-timeout=1000ms'
					defaults.timeout=30000              | no unit       | Write 'distributed-lock.defaults.timeout=30000ms' for milliseconds
					redis.connect-timeout=20            | no unit       | another unit such as ms
					locks.report.timeout=30             | no unit       | 'distributed-lock.locks.report.timeout=30s'
					locks[Order.pay].wait-time=5        | no unit       | 'distributed-lock.locks[Order.pay].wait-time=5s'
					locks.jobs:cleanup.auto-renew=true  | without brackets | 'distributed-lock.locks[jobs:cleanup].auto-renew'
					locks.nightly report.timeout=5s     | without brackets | 'distributed-lock.locks[nightly report].timeout'
					locks.pay/x.timeout=5s              | without brackets | 'distributed-lock.locks[pay/x].timeout'
					locks[fut].timeOuts=5s              | no setting 'timeOuts' | Did you mean 'distributed-lock.locks[fut].timeout'?
					locks[50%].waittme=5s               | no setting 'waittme' | Did you mean 'distributed-lock.locks[50%].wait-time'?
					locks.fut.leaseTime=5s              | no setting 'leaseTime' | Did you mean 'distributed-lock.locks[fut].timeout'? The settings of a lock are timeout,
					locks.fut.autorenewal=true          | no setting 'autorenewal' | Did you mean 'distributed-lock.locks[fut].auto-renew'?
					locks.Order.pay.timout=5s           | no setting 'timout' | Did you mean 'distributed-lock.locks[Order.pay].timeout'?
					locks.fut.fenced=true               | no setting 'fenced' | Remove it, and write it in the annotation. The settings of a lock are timeout,
					locks.fut.onContention=skip         | no setting 'onContention' | Remove it, and write it in the annotation.
					defaults=30s                        | distributed-lock.defaults' is a group of properties, and has no value of its own. | Write one of its properties: distributed-lock.defaults.timeout, distributed-lock.defaults.wait-time,
					renewal=10s                         | is a group of properties | Write one of its properties: distributed-lock.renewal.interval.
					locks=fut                           | is a group of properties | Write a setting of a lock, as in 'distributed-lock.locks[order].timeout'.
					locks.fut=5s                        | no setting after the name | Write one, as in 'distributed-lock.locks[fut].timeout'. The settings of a lock are timeout,
					locks.fut=5s                        | no setting after the name | a colon in the name needs a backslash
					leadership=boss                     | belong to the module lock-leadership, which is not on the class path | <artifactId>lock-leadership</artifactId>
					fencing=fences                      | belong to the module lock-fencing, which is not on the class path    | <artifactId>lock-fencing</artifactId>
					defaults.timeout=30sec              | 30sec' is not a duration | Write 'distributed-lock.defaults.timeout=30s'.
					defaults.timeout=2 mins             | 2 mins' is not a duration | Write 'distributed-lock.defaults.timeout=2m'.
					locks[Correct.pay].max-hold=1 Hour  | 1 Hour' is not a duration | Write 'distributed-lock.locks[Correct.pay].max-hold=1h'.
					redis.command-timeout=900 millis    | 900 millis' is not a duration | Write 'distributed-lock.redis.command-timeout=900ms'.
					defaults.timeout=3 weeks            | 3 weeks' is not a duration | as in 500ms, 30s, 5m
					locks[Correct.pay].min-hold=0.5m    | 0.5m' is not a duration  | as in 500ms, 30s, 5m
					enabled=flase                       | neither true nor false | Write true or false
					leadership.boss.enabled=true        | belong to the module lock-leadership, which is not on the class path | implementation("io.distributedlock:lock-leadership:
					fencing.table=fences                | belong to the module lock-fencing, which is not on the class path    | <artifactId>lock-fencing</artifactId>
					locks.fut.auto-renew=               | neither true nor false | Write true or false
					key-prefix=lock:${spring.application.name}: | no value for ${spring.application.name} | Define the property 'spring.application.name', or write a default after a colon, as in ${spring.application.name:orders}.
					instance-name=${HOSTNAME_X}         | no value for ${HOSTNAME_X}         | ${HOSTNAME_X:orders}
					instance-name=${a:${b}}             | no value for ${b}                  | 'b'
					key-prefix=${app                    | no name, or no end                 | Write it as in ${some.property}
					redis.connection-factory=${f}       | no value for ${f}                  | 'f'
					locks[jobs:cleanup].key=${k}:cleanup | no value for ${k}                 | 'k'
					defaults.timeout=${lease}           | no value for ${lease}              | 'lease'
					""")
	void aSettingThatWouldMeanSomethingElseIsRefusedWithWhatToWrite(String setting, String problem, String action,
			CapturedOutput output) {
		fails(Correct.class, "--distributed-lock." + setting);
		assertThat(report(output)).contains(problem)
			.contains("distributed-lock." + setting.replaceFirst("[.=].*", ""))
			.contains(action);
	}

	@Test
	void mistakesOfAnnotationsAreToldWithThoseOfProperties(CapturedOutput output) {
		fails(List.of(Locks.class, BadFallback.class, FinalClass.class), "--distributed-lock.defaults.timeout=30");
		assertThat(report(output)).contains("Write 'distributed-lock.defaults.timeout=30s'",
				"Lock annotations cannot work (2 errors)", ". " + FinalClass.class.getName() + ".pay(long)",
				"There is no method busy",
				"Also correct the problems of annotations; the next start may find more of them.");
		assertThat(output).doesNotContain("BeanCurrentlyInCreation");
	}

	@Test
	void warningsOfAnnotationsAreLoggedBesideMistakesOfProperties(CapturedOutput output) {
		fails(Literal.class, "--distributed-lock.defaults.timeout=30");
		assertThat(output.toString().split("APPLICATION FAILED TO START")[0]).contains("WARN",
				"is a literal: all calls");
		assertThat(report(output)).contains("'distributed-lock.defaults.timeout=30s'")
			.doesNotContain("Lock annotations", "problems of annotations");
	}

	@Test
	void reportAboutTheKeyPrefixShowsNoOtherSetting(CapturedOutput output) {
		fails(Correct.class, "--distributed-lock.provider=redis", "--distributed-lock.key-prefix=");
		assertThat(report(output)).contains("distributed-lock.key-prefix = ''").doesNotContain("-timeout = ");
	}

	@Test
	void reportAboutATimeoutShowsIt(CapturedOutput output) {
		fails(Correct.class, "--distributed-lock.provider=redis", "--distributed-lock.redis.connect-timeout=500us");
		assertThat(report(output)).contains("distributed-lock.redis.connect-timeout = ")
			.doesNotContain("command-timeout = ", "fence-retention = ");
	}

	@Test
	void valueAboveAllPropertiesIsRefused(CapturedOutput output) {
		fails(Correct.class, "--distributed-lock=strict", "--spring.application.name=lock.provider=none");
		assertThat(report(output)).contains("'distributed-lock' is a group of properties, and has no value of its own.",
				"distributed-lock = strict", "Write one of its properties, as in distributed-lock.validation=strict.");
	}

	@ParameterizedTest
	@ValueSource(strings = { "defaults", "locks", "leadership", "fencing" })
	void groupWithoutPropertiesIsNotTold(String group, CapturedOutput output) {
		run(List.of(Locks.class, Correct.class), "--distributed-lock." + group + "=").close();
		assertThat(output).doesNotContain("distributed-lock." + group);
	}

	@ParameterizedTest
	@ValueSource(strings = { "defaults.timeout=30s", "defaults.timeout=PT30S", "defaults.wait-time=0",
			"locks[jobs:cleanup].auto-renew=true", "locks[nightly report].timeout=40s", "locks.report.waitTime=1s",
			"locks.nightly-report.on-lost=throw",
			// Fits only a longer lease than the default
			"locks[Correct.pay].renew-interval=25s" })
	void otherSettingsAreNotRefused(String setting) {
		try (ConfigurableApplicationContext context = run(List.of(Locks.class, Correct.class),
				"--distributed-lock." + setting)) {
			assertThat(context.isActive()).isTrue();
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					lease=30s              | There is no property 'distributed-lock.lease', so it has no effect. Did you mean 'distributed-lock.defaults.timeout'?
					defaults.lease=30s     | Did you mean 'distributed-lock.defaults.timeout'?
					defaults.renew-interval=5s | Did you mean 'distributed-lock.renewal.interval'?
					defaults.timeout.seconds=30 | There is no property 'distributed-lock.defaults.timeout.seconds', so it has no effect. Did you mean 'distributed-lock.defaults.timeout'?
					validation[0]=strict   | There is no property 'distributed-lock.validation[0]', so it has no effect. Did you mean 'distributed-lock.validation'?
					defaults.fairness=5    | There is no property 'distributed-lock.defaults.fairness', so it has no effect. Remove it.
					timeout=30s            | There is no property 'distributed-lock.timeout', so it has no effect. Did you mean 'distributed-lock.defaults.timeout'?
					defaults.timeouts=30s  | Did you mean 'distributed-lock.defaults.timeout'?
					wait-time=5s           | Did you mean 'distributed-lock.defaults.wait-time'?
					locks[Corect.pay].timeout=40s | The settings under distributed-lock.locks[Corect.pay] belong to no lock that an annotation declares. Did you mean distributed-lock.locks[Correct.pay]?
					locks[Correct.pay].max-hold=2m | distributed-lock.locks[Correct.pay].max-hold has no effect, because the lease of the lock on io.distributedlock.autoconfigure.FailureReportTests$Correct.pay(long) is not renewed. Set distributed-lock.locks[Correct.pay].auto-renew=true
					locks[correctPay].timeout=40s | Did you mean distributed-lock.locks[Correct.pay]?
					""")
	void aSettingWithoutEffectIsAWarning(String setting, String warning, CapturedOutput output) {
		run(List.of(Locks.class, Correct.class), "--distributed-lock." + setting).close();
		assertThat(warnings(output.toString())).singleElement().asString().contains(warning);
	}

	@Test
	void allMistakesInPropertiesAreReportedTogether(CapturedOutput output) {
		fails(Correct.class, "--distributed-lock.defaults.timeout=30", "--distributed-lock.check=maybe",
				"--distributed-lock.local-handoffs.count=500", "--distributed-lock.redis.command-timeout=0s",
				"--distributed-lock.metrics.max-names=many", "--distributed-lock.locks.fut.waittme=5s",
				"--distributed-lock.locks[fut].on-lost=explode");
		assertThat(report(output)).contains("There are 7 mistakes in the properties of distributed locks:",
				"distributed-lock.defaults.timeout = 30", "Write 'distributed-lock.defaults.timeout=30s'",
				"distributed-lock.check = maybe",
				"'maybe' is not one of the values: warn, fail, strict, strict-if-reachable, off.",
				"distributed-lock.local-handoffs.count = 500", "must be from 0 to 100",
				"distributed-lock.redis.command-timeout = 0s", "must be positive",
				"distributed-lock.metrics.max-names = many", "'many' is not a whole number, or too large.",
				"distributed-lock.locks.fut.waittme = 5s", "Did you mean 'distributed-lock.locks[fut].wait-time'?",
				"distributed-lock.locks[fut].on-lost = explode",
				"'explode' is not one of the values: log, interrupt, throw.");
	}

	@Test
	void contradictionsOfSeveralLocksAreReportedTogether(CapturedOutput output) {
		fails(Correct.class, "--distributed-lock.renewal.interval=20s", "--distributed-lock.locks[one].timeout=10s",
				"--distributed-lock.locks[one].min-hold=1m", "--distributed-lock.locks[two].permits=0");
		assertThat(report(output)).contains("There are 3 mistakes in the properties of distributed locks:",
				"1. distributed-lock.defaults.timeout = 30s, distributed-lock.renewal.interval = 20s",
				"2. distributed-lock.locks[one].timeout = 10s, distributed-lock.locks[one].min-hold = 1m",
				"3. distributed-lock.locks[two].permits = 0");
	}

	@Test
	void contradictionsAreReportedTogetherWithOtherMistakes(CapturedOutput output) {
		fails(Correct.class, "--distributed-lock.annotation.max-hold-limit=6h", "--distributed-lock.validation=warn",
				"--distributed-lock.redis.command-timeout=30", "--distributed-lock.renewal.interval=20s",
				"--distributed-lock.locks[one].timeout=10s", "--distributed-lock.locks[one].min-hold=1m",
				"--distributed-lock.locks.two.permits=0", "--distributed-lock.locks.two.waittime=1s");
		assertThat(report(output)).contains("There are 5 mistakes in the properties of distributed locks:",
				"distributed-lock.redis.command-timeout = 30",
				"A limit of holds is set, and the validation does not enforce it.",
				"distributed-lock.defaults.timeout = 30s, distributed-lock.renewal.interval = 20s",
				"distributed-lock.locks[one].timeout = 10s, distributed-lock.locks[one].min-hold = 1m",
				"distributed-lock.locks[two].permits = 0");
	}

	@Test
	void otherValuesBesideAMistakenOneAreChecked(CapturedOutput output) {
		fails(Correct.class, "--distributed-lock.defaults.on-lost=interupt", "--distributed-lock.defaults.min-hold=-1s",
				"--distributed-lock.locks[one].mode=write", "--distributed-lock.locks[one].permits=0");
		assertThat(report(output)).contains("There are 4 mistakes in the properties of distributed locks:",
				"distributed-lock.defaults.on-lost = interupt", "distributed-lock.defaults.min-hold = -1s",
				"distributed-lock.locks[one].mode = write", "distributed-lock.locks[one].permits = 0");
	}

	@Test
	void nothingIsComparedWithAMistakenValue(CapturedOutput output) {
		fails(Correct.class, "--distributed-lock.defaults.timeout=1m 30s", "--distributed-lock.renewal.interval=20s",
				"--distributed-lock.locks[one].timeout=1m 30s", "--distributed-lock.locks[one].min-hold=40s");
		assertThat(report(output)).contains("There are 2 mistakes in the properties of distributed locks:",
				"distributed-lock.defaults.timeout = 1m 30s", "distributed-lock.locks[one].timeout = 1m 30s");
	}

	@Test
	void propertiesWithoutEffectAreReportedWithMistakes(CapturedOutput output) {
		fails(Correct.class, "--distributed-lock.defaults.wait-time=5", "--distributed-lock.defaults.lease-time=30s",
				"--distributed-lock.locks[Correct.pay].timeout=90000s", "--spring.distributed-lock.key-prefix=a");
		assertThat(report(output)).contains("There are 4 mistakes in the properties of distributed locks:",
				"distributed-lock.defaults.wait-time = 5",
				"There is no property 'distributed-lock.defaults.lease-time', so it has no effect.",
				"distributed-lock.locks[Correct.pay].timeout is 90000s, a lease of 1d1h.",
				"Did you mean 'distributed-lock.key-prefix'?");
	}

	@Test
	void nameThatYamlTakesForAListIsReported(@TempDir Path directory, CapturedOutput output) throws IOException {
		Path file = directory.resolve("application.yml");
		String location = "--spring.config.location=" + directory.toUri();
		String yaml = "distributed-lock:%n  locks:%n    [Correct.pay]:%n      timeout: 40s%n".formatted();
		Files.writeString(file, yaml);
		fails(Correct.class, location);
		assertThat(report(output)).contains(
				"The name of a lock is in brackets twice, as YAML takes [Correct.pay] without quotes for a list, so the property has no effect.",
				"distributed-lock.locks.[Correct.pay].timeout = 40s",
				"Put the brackets in quotes, as in \"[Correct.pay]\".");
		Files.writeString(file, yaml.replace("[Correct.pay]", "\"[Correct.pay]\""));
		assertThat(declared(List.of(Locks.class, Correct.class), location)).singleElement()
			.satisfies((lock) -> assertThat(lock.options().lease()).hasSeconds(40));
	}

	@Test
	void linesOfFilesAndVariablesAreNamed(@TempDir Path directory, CapturedOutput output) throws IOException {
		Path file = directory.resolve("application.yml");
		String[] arguments = { "--spring.config.location=" + directory.toUri(),
				"--distributed-lock.renewal.interval=20s" };
		Files.writeString(file, """
				distributed-lock:
				  defaults:
				    wait-time: 5
				    timeout: 10s
				  locks:
				    jobs:cleanup:
				      timeout: 40s
				""");
		failsWith(Map.of("DISTRIBUTEDLOCK_VALIDATION", "stict", "DISTRIBUTEDLOCK_DEFAULTS_MINHOLD", "1"), arguments);
		assertThat(report(output)).contains("There are 5 mistakes in the properties of distributed locks:",
				"Write 'DISTRIBUTEDLOCK_DEFAULTS_MINHOLD=1s' for seconds",
				"distributed-lock.defaults.wait-time = 5 (URL [file:" + file + "] - 3:16)",
				"distributed-lock.validation = stict (System Environment Property \"DISTRIBUTEDLOCK_VALIDATION\")",
				"distributed-lock.locks.jobs:cleanup.timeout = 40s (URL [file:" + file + "] - 7:16)",
				"distributed-lock.defaults.timeout = 10s (URL [file:" + file
						+ "] - 4:14), distributed-lock.renewal.interval = 20s%n".formatted());
		Files.writeString(file, """
				distributed-lock:
				  locks:
				    correctPay:
				      timeout: 40s
				""");
		failsWith(Map.of("DISTRIBUTEDLOCK_VALIDATION", "strict"), arguments[0]);
		assertThat(output)
			.contains("distributed-lock.locks[correctPay].timeout = 40s (URL [file:" + file + "] - 4:16)");
		Files.writeString(file, "distributed-lock.on-lost: stop");
		run(List.of(Locks.class, Correct.class), arguments[0]).close();
		assertThat(output)
			.contains("Did you mean 'distributed-lock.defaults.on-lost'? (URL [file:" + file + "] - 1:27)");
	}

	private static void failsWith(Map<String, Object> variables, String... arguments) {
		StandardEnvironment environment = new StandardEnvironment();
		String source = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
		environment.getPropertySources().replace(source, new SystemEnvironmentPropertySource(source, variables));
		SpringApplication application = new SpringApplication(Locks.class, Correct.class);
		application.setEnvironment(environment);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.setDefaultProperties(Map.of("distributed-lock.provider", "in-memory"));
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> application.run(arguments));
	}

	@Test
	void listOfLocksIsReported(CapturedOutput output) {
		fails(Correct.class, "--distributed-lock.locks[0].name=Correct.pay", "--distributed-lock.locks[0].timeout=40s");
		assertThat(report(output)).contains("distributed-lock.locks.0.name = Correct.pay",
				"Write the name in place of the number, without a list: as in 'distributed-lock.locks[Correct.pay].timeout'.");
	}

	@Test
	void noContradictionIsReportedOfAMistakenValue(CapturedOutput output) {
		fails(Correct.class, "--distributed-lock.defaults.timeout=30", "--distributed-lock.renewal.interval=10s",
				"--distributed-lock.locks.one.timeout=10", "--distributed-lock.locks.one.min-hold=1s");
		assertThat(report(output)).contains("There are 2 mistakes in the properties of distributed locks:",
				"distributed-lock.defaults.timeout = 30", "distributed-lock.locks.one.timeout = 10");
	}

	@ParameterizedTest
	@ValueSource(strings = { "defaults.fairness=5", "defaults.timeout=30000s", "locks[Corect.pay].timeout=40s",
			"locks[Correct.pay].max-hold=2m", "../distributed.lock.defaults.timeout=5s" })
	void warningOfASettingEndsAStrictStart(String setting, CapturedOutput output) {
		String property = ("distributed-lock." + setting).replaceFirst(".*\\.\\./", "");
		fails(Correct.class, "--distributed-lock.validation=strict", "--" + property);
		assertThat(report(output)).contains(property.replace("=", " = "));
	}

	@Test
	void warningOfAnAnnotationEndsAStrictStart(CapturedOutput output) {
		fails(CallsItself.class, "--distributed-lock.validation=strict");
		assertThat(report(output)).contains(
				"Lock annotations may not do what is meant (1 warning), and distributed-lock.validation is 'strict':",
				"1. " + CallsItself.class.getName() + ".all()", "(a warning)", "on this object",
				"@SuppressLockWarnings");
	}

	@ParameterizedTest
	@ValueSource(strings = { "fail", "strict" })
	void settingsOfUnknownLocksAreReportedWithTheMistakesOfAnnotations(String validation, CapturedOutput output) {
		fails(List.of(Locks.class, FinalClass.class, BadFallback.class, Hinted.class, Correct.class),
				"--distributed-lock.validation=" + validation, "--distributed-lock.locks[Corect.pay].timeout=40s",
				"--distributed-lock.locks[audti].wait-time=1s", "--distributed-lock.locks[Hinted.ownr].min-hold=1s",
				"--distributed-lock.locks[BadFallback.pay].timeout=40s", "--distributed-lock.locks[pay].timeout=40s");
		assertThat(report(output)).contains("Lock annotations cannot work (2 errors, 3 warnings):",
				". " + FinalClass.class.getName() + ".pay(long)", ". " + BadFallback.class.getName() + ".pay(long)",
				". distributed-lock.locks[Corect.pay] (a warning)",
				"The settings under distributed-lock.locks[Corect.pay] belong to no lock that an annotation declares.",
				"Did you mean distributed-lock.locks[Correct.pay]?", ". distributed-lock.locks[audti] (a warning)",
				"Did you mean distributed-lock.locks[audit]?", ". distributed-lock.locks[Hinted.ownr] (a warning)",
				"Did you mean distributed-lock.locks[Hinted.owner]?")
			.doesNotContain("locks[BadFallback.pay]", "locks[pay]");
	}

	@Test
	void settingsOfUnknownLocksAreReportedWithTheWarningsThatEndAStrictStart(CapturedOutput output) {
		fails(List.of(Locks.class, CallsItself.class, Named.class), "--distributed-lock.validation=strict",
				"--distributed-lock.locks[nigthly].timeout=40s",
				"--distributed-lock.locks[CallsItself.pai].timeout=40s",
				"--distributed-lock.locks[nightly].max-hold=2m");
		assertThat(report(output)).contains("(4 warnings), and distributed-lock.validation is 'strict':",
				"Did you mean distributed-lock.locks[nightly]?",
				"Did you mean distributed-lock.locks[CallsItself.pay]?",
				"Set distributed-lock.locks[nightly].auto-renew=true, or remove it.", "on this object",
				"@SuppressLockWarnings");
	}

	@Test
	void keyWithoutEffectIsReportedWithTheMistakesOfAnnotations(CapturedOutput output) {
		fails(List.of(Locks.class, BadFallback.class, Correct.class),
				"--distributed-lock.locks[Correct.pay].key=jobs:pay");
		assertThat(report(output)).contains("Lock annotations cannot work (2 errors):",
				". distributed-lock.locks[Correct.pay]%n   Found:  A key belongs to a single lock".formatted());
	}

	@Test
	void errorEndsAStrictStart(CapturedOutput output) {
		fails(BadFallback.class, "--distributed-lock.validation=strict");
		assertThat(report(output)).contains("Lock annotations cannot work (1 error):");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					validation=strict enabled=false | If locks are switched off, methods with a lock annotation run without a lock; distributed-lock.enabled = false
					validation=strict annotation.enabled=false | If locks are switched off; distributed-lock.annotation.enabled = false
					check=strict | Locks exclude only the threads of this JVM; distributed-lock.provider = in-memory
					check=strict-if-reachable | distributed-lock.provider = in-memory; distributed-lock.check = strict-if-reachable
					validation=strict provider=redis check=off redis.command-timeout=20s | more than a third of distributed-lock.defaults.timeout; distributed-lock.redis.command-timeout = 20s
					""")
	void settingThatWeakensLocksEndsAStrictStart(String settings, String texts, CapturedOutput output) {
		fails(List.of(Locks.class, DisabledLocksAutoConfiguration.class, Correct.class),
				Arrays.stream(settings.split(" ")).map("--distributed-lock."::concat).toArray(String[]::new));
		assertThat(report(output)).contains(texts.split("; "));
	}

	@Test
	void strictStartWithoutFindingsSucceeds() {
		try (ConfigurableApplicationContext context = run(List.of(Locks.class, Correct.class),
				"--distributed-lock.validation=strict", "--distributed-lock.locks.nightly-report.timeout=5s")) {
			assertThat(context.isActive()).isTrue();
		}
	}

	@Test
	void placeholderWithAValueAsAdvisedByTheReportIsResolved() {
		assertThat(keyPrefix("--distributed-lock.key-prefix=lock:${spring.application.name}:",
				"--spring.application.name=shop"))
			.isEqualTo("lock:shop:");
		assertThat(keyPrefix("--distributed-lock.key-prefix=lock:${spring.application.name:orders}:"))
			.isEqualTo("lock:orders:");
	}

	private static String keyPrefix(String... arguments) {
		try (ConfigurableApplicationContext context = run(List.of(Locks.class, Correct.class), arguments)) {
			return context.getBean(DistributedLockProperties.class).keyPrefix();
		}
	}

	@ParameterizedTest
	@CsvSource({ "distributed.lock.defaults.timeout=5s, distributed-lock.defaults.timeout",
			"spring.distributed-lock.key-prefix=a, distributed-lock.key-prefix",
			"spring.distributed.lock.locks[Correct.pay].timeout=5s, distributed-lock.locks[Correct.pay].timeout" })
	void aPropertyBelowAnotherRootIsAWarning(String setting, String meant, CapturedOutput output) {
		run(List.of(Locks.class, Correct.class), "--" + setting).close();
		assertThat(warnings(output.toString())).singleElement()
			.asString()
			.endsWith("There is no property '" + setting.replaceFirst("=.*", "")
					+ "', so it has no effect. Did you mean '" + meant + "'?");
	}

	@Test
	void variablesHaveOneRoot(CapturedOutput output) {
		try (ConfigurableApplicationContext context = runWithVariables("DISTRIBUTED_LOCK_KEY_PREFIX=a:",
				"SPRING_DISTRIBUTED_LOCK_KEY_PREFIX=b:")) {
			assertThat(context.getBean(DistributedLockProperties.class).keyPrefix()).isEqualTo("a:");
		}
		assertThat(warnings(output.toString())).singleElement()
			.asString()
			.endsWith(
					"'spring.distributed.lock.key.prefix', so it has no effect. Did you mean 'distributed-lock.key-prefix'?");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					DISTRIBUTED_LOCK_CHEK=strict                  | Did you mean DISTRIBUTED_LOCK_CHECK?
					DISTRIBUTED_LOCK_DEFAULTS_MAXHOLDS=5m         | Did you mean DISTRIBUTED_LOCK_DEFAULTS_MAX_HOLD?
					DISTRIBUTED_LOCK_MAX_HOLD=5m                  | Did you mean DISTRIBUTED_LOCK_DEFAULTS_MAX_HOLD?
					DISTRIBUTED_LOCK_PREFIX=a:                    | Did you mean DISTRIBUTED_LOCK_KEY_PREFIX?
					DISTRIBUTED_LOCK_REDIS_HOST=redis             | Did you mean SPRING_DATA_REDIS_HOST?
					DISTRIBUTED_LOCK_LOCKS_ORDERS_MAX_HOLD=5m     | Did you mean DISTRIBUTEDLOCK_LOCKS_ORDERS_MAXHOLD?
					DISTRIBUTED_LOCK_LOCKS_ORDERS_SHIP_MAX_HOLD=5m | Write the property in a file: a variable cannot name a lock that has dots, dashes or capital letters.
					""")
	void aVariableThatNamesNoPropertyIsAWarning(String variable, String action, CapturedOutput output) {
		runWithVariables(variable).close();
		String name = variable.replaceFirst("=.*", "");
		assertThat(warnings(output.toString())).singleElement()
			.asString()
			.endsWith("The environment variable " + name + " sets no property of locks. " + action);
		assertThatExceptionOfType(BeanCreationException.class)
			.isThrownBy(() -> runWithVariables(variable, "DISTRIBUTED_LOCK_VALIDATION=strict"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "DISTRIBUTED_LOCK_DEFAULTS_MAX_HOLD=5m", "DISTRIBUTED_LOCK_DEFAULTS_MAXHOLD=5m",
			"DISTRIBUTEDLOCK_DEFAULTS_MAXHOLD=5m", "DISTRIBUTEDLOCK_LOCKS_A_TIMEOUT=5s",
			"DISTRIBUTEDLOCK_LOCKS_A_MAXHOLD=5m", "DISTRIBUTED_LOCK_SERVICE_HOST=10.0.0.1",
			"DISTRIBUTED_LOCK_SERVICE_PORT=80", "DISTRIBUTED_LOCK_SERVICE_PORT_HTTP=80",
			"DISTRIBUTED_LOCK_PORT=tcp://10.0.0.1:80", "DISTRIBUTED_LOCK_PORT_80_TCP_ADDR=10.0.0.1",
			"DISTRIBUTED_LOCK_OWNED_BY_TEAM=shop", "DISTRIBUTED_LOCK_VERSION=1" })
	void aVariableOfASettingOrOfKubernetesIsNoWarning(String variable, CapturedOutput output) {
		runWithVariables(variable).close();
		assertThat(warnings(output.toString())).isEmpty();
	}

	@Test
	void aVariableOfASingleLockHasOneForm(CapturedOutput output) {
		try (ConfigurableApplicationContext context = runWithVariables("DISTRIBUTEDLOCK_LOCKS_A_TIMEOUT=5s",
				"DISTRIBUTED_LOCK_LOCKS_B_TIMEOUT=5s")) {
			assertThat(context.getBean(DistributedLockProperties.class).locks()).containsOnlyKeys("a");
		}
		assertThat(warnings(output.toString())).singleElement()
			.asString()
			.endsWith(
					"The environment variable DISTRIBUTED_LOCK_LOCKS_B_TIMEOUT sets no property of locks. Did you mean DISTRIBUTEDLOCK_LOCKS_B_TIMEOUT?");
	}

	@Test
	void aVariableThatAPropertyReadsIsNoWarning(CapturedOutput output) {
		runWithVariables("DISTRIBUTED_LOCK_PREFIX=a:", "DISTRIBUTED_LOCK_KEY_PREFIX=${DISTRIBUTED_LOCK_PREFIX:b:}")
			.close();
		assertThat(warnings(output.toString())).isEmpty();
	}

	private static ConfigurableApplicationContext runWithVariables(String... variables) {
		Map<String, Object> all = new LinkedHashMap<>(Map.of("DISTRIBUTED_LOCK_PROVIDER", "in-memory"));
		for (String variable : variables) {
			all.put(variable.substring(0, variable.indexOf('=')), variable.substring(variable.indexOf('=') + 1));
		}
		SpringApplication application = new SpringApplication(Locks.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.addInitializers((context) -> context.getEnvironment()
			.getPropertySources()
			.addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment", all)));
		return application.run();
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis", "in-memory" })
	void beanThatNeedsTheLocksEarlyDoesNotReplaceTheReport(String provider, CapturedOutput output) {
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> run(List.of(NeedsLocks.class, Locks.class), "--distributed-lock.provider=" + provider,
					"--distributed-lock.defaults.auto-renew=ture", "--distributed-lock.defaults.timeout=30"));
		assertThat(output).contains("is 'ture', which is neither true nor false", "A duration has no unit.")
			.doesNotContain("Failed to bind");
	}

	static class NeedsLocks {

		NeedsLocks(LockService locks) {
			assertThat(locks).isNotNull();
		}

	}

	@Test
	void reportShowsNoPassword(CapturedOutput output) {
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> run(List.of(Locks.class, Correct.class), "--distributed-lock.validation=strict",
					"--distributed-lock.redis.password=topmost", "--distributed-lock.redis.host=redis-7"));
		assertThat(output).contains("distributed-lock.redis.password = ******", "distributed-lock.redis.host = redis-7")
			.doesNotContain("topmost");
	}

	@Test
	void howToConfigureCatchUpIsSaid(CapturedOutput output) {
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(
				() -> run(List.of(Locks.class, Correct.class), "--distributed-lock.locks[Correct.pay].catch-up=2h"));
		assertThat(output).contains("There is no setting 'catch-up' of a lock.",
				"as in catchUp = \"${report.catch-up}\".");
	}

	@ParameterizedTest
	@CsvSource({ "prefix=a, distributed-lock.key-prefix", "redis.host=redis, spring.data.redis.host",
			"redis.ssl.enabled=true, spring.data.redis.ssl.enabled", "password=secret, spring.data.redis.password" })
	void aPropertyOfAnotherNameIsAWarningWithIt(String setting, String meant, CapturedOutput output) {
		run(List.of(Locks.class, Correct.class), "--distributed-lock." + setting).close();
		assertThat(warnings(output.toString())).singleElement()
			.asString()
			.endsWith("so it has no effect. Did you mean '" + meant + "'?");
	}

	@ParameterizedTest
	@ValueSource(strings = { "locks[pay].timeout=5s", "locks[pay:1].timeout=5s", "locks['pay:' + #orderId].timeout=5s",
			"locks[hintedPay].timeout=5s", "locks[audti].timeout=5s", "locks[swap].timeout=5s",
			"locks[Hinted.ownr].timeout=5s", "locks[Hinted.pay].timeOuts=5s", "locks[audit].autorenewal=true",
			"locks[audit].waittme=5s", "locks[audit].minHolds=5s", "timeout=5s", "defaults.timeouts=5s", "wait-time=5s",
			"defaults.on-loss=throw" })
	void followedHintTakesEffect(String setting, CapturedOutput output) {
		List<Class<?>> sources = List.of(Locks.class, Hinted.class);
		List<DeclaredLock> unchanged = declared(sources);
		try {
			assertThat(declared(sources, "--distributed-lock." + setting)).isEqualTo(unchanged);
		}
		catch (BeanCreationException ex) {
			// The hint is in the report
		}
		Matcher hint = Pattern.compile("Did you mean '?(distributed-lock\\..+?)'?\\?").matcher(output);
		assertThat(hint.find()).isTrue();
		String rest = hint.group(1).endsWith("]") ? ".*](?=\\.)" : ".*(?==)";
		int before = output.length();
		assertThat(declared(sources, "--" + hint.group(1) + setting.replaceFirst(rest, ""))).isNotEqualTo(unchanged);
		String after = output.toString().substring(before);
		assertThat(warnings(after)).isEmpty();
		assertThat(after).doesNotContain("belong to no lock");
	}

	private static List<DeclaredLock> declared(List<Class<?>> sources, String... arguments) {
		try (ConfigurableApplicationContext context = run(sources, arguments)) {
			return context.getBean(DeclaredLocks.class).declared();
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					defaults.timeout=30000s           | distributed-lock.defaults.timeout is 30000s, a lease of 8h20m. If milliseconds are meant, write 30000ms. If not, write PT8H20M.
					locks[Correct.pay].timeout=90000s | distributed-lock.locks[Correct.pay].timeout is 90000s, a lease of 1d1h. If milliseconds are meant, write 90000ms. If not, write PT25H.
					""")
	void aLeaseThatLooksLikeMillisecondsIsAWarning(String setting, String warning, CapturedOutput output) {
		run(List.of(Locks.class, Correct.class), "--distributed-lock." + setting).close();
		assertThat(warnings(output.toString())).singleElement().asString().endsWith(warning);
	}

	@ParameterizedTest
	@ValueSource(strings = { "defaults.timeout=PT8H20M", "defaults.timeout=10h", "defaults.timeout=3000s",
			"locks[Correct.pay].timeout=30000ms", "defaults.wait-time=5000s" })
	void otherLongDurationsAreNoWarning(String setting, CapturedOutput output) {
		run(List.of(Locks.class, Correct.class), "--distributed-lock." + setting).close();
		assertThat(warnings(output.toString())).isEmpty();
	}

	@Test
	void settingsOfALockTakenOnlyInCodeCauseNoWarning(CapturedOutput output) {
		run(List.of(Locks.class, Correct.class), "--distributed-lock.locks.nightly-report.autorenew=true",
				"--distributed-lock.locks[Correct.pay].timeout=40s",
				"--distributed-lock.locks[Correct.pay].max-hold=2m",
				"--distributed-lock.locks[Correct.pay].auto-renew=true")
			.close();
		assertThat(warnings(output.toString())).isEmpty();
		assertThat(output).contains(
				"The settings under distributed-lock.locks[nightly-report] belong to no lock that an annotation declares")
			.contains("Annotations declare 'Correct.pay'.")
			.doesNotContain("distributed-lock.locks[Correct.pay] belong");
	}

	@Test
	void ofManyDeclaredLocksOnlySomeAreNamed(CapturedOutput output) {
		String settings = "--distributed-lock.locks.nightly-import.timeout=40s";
		run(List.of(Locks.class, Twelve.class), settings).close();
		run(List.of(Locks.class), settings).close();
		assertThat(warnings(output.toString())).isEmpty();
		assertThat(output).contains(
				"Annotations declare 'Twelve.a', 'Twelve.b', 'Twelve.c', 'Twelve.d', 'Twelve.e', 'Twelve.f', 'Twelve.g', 'Twelve.h', 'Twelve.i', 'Twelve.j' and 2 more.",
				"No annotation declares a lock.");
	}

	@Test
	void settingsOfATemplateAreThoseOfItsMethod(CapturedOutput output) {
		run(List.of(Locks.class, Template.class), "--distributed-lock.locks[stock].timeout=40s").close();
		assertThat(warnings(output.toString())).singleElement()
			.asString()
			.endsWith(
					"Locks whose names are expressions have settings by their method. Did you mean distributed-lock.locks[Template.sell]?");
	}

	@Test
	void keyOfADeclaredLockCausesNoWarning(CapturedOutput output) {
		run(List.of(Locks.class, Correct.class, Named.class), "--distributed-lock.locks[nightly].key=jobs:nightly")
			.close();
		assertThat(warnings(output.toString())).isEmpty();
		assertThat(output).doesNotContain("belong to no lock");
	}

	@Test
	void severalRedisConnectionFactoriesAreReportedWithTheirNames(CapturedOutput output) {
		fails(List.of(Locks.class, Correct.class, TwoConnectionFactories.class), "--distributed-lock.provider=redis");
		assertThat(report(output)).contains("cacheRedis, lockRedis")
			.contains("distributed-lock.redis.connection-factory")
			.contains("@Primary");
	}

	@Test
	void anUnknownRedisConnectionFactoryIsReportedWithTheKnownOnes(CapturedOutput output) {
		fails(List.of(Locks.class, Correct.class, TwoConnectionFactories.class), "--distributed-lock.provider=redis",
				"--distributed-lock.redis.connection-factory=lokRedis");
		assertThat(report(output)).contains("'lokRedis'").contains("cacheRedis, lockRedis");
	}

	@Test
	void unknownProviderIsReportedWithTheKnownOnes(CapturedOutput output) {
		fails(List.of(Locks.class, Correct.class), "--distributed-lock.provider=none");
		assertThat(report(output)).contains("'none' is not one of the values: redis, in-memory.",
				"distributed-lock.provider = none");
	}

	@Test
	void anInjectedServiceThatIsDisabledIsReported(CapturedOutput output) {
		fails(List.of(Locks.class, Injected.class), "--distributed-lock.enabled=false");
		assertThat(report(output)).contains("A lock service is needed")
			.contains("distributed-lock.enabled is false")
			.contains("set distributed-lock.provider to 'in-memory' instead");
	}

	@Test
	void anAnnotatedMethodWithoutAServiceIsReported(CapturedOutput output) {
		fails(Correct.class, "--spring.autoconfigure.exclude=" + DistributedLockAutoConfiguration.class.getName());
		assertThat(report(output)).contains("A lock service is needed")
			.contains("Do not exclude DistributedLockAutoConfiguration");
	}

	@Test
	void anOldSpringBootIsReported(CapturedOutput output) {
		fails(OldSpringBoot.class);
		assertThat(report(output))
			.contains("The distributed lock starter needs Spring Boot 4 or later, but this is Spring Boot 3.5.16.")
			.contains("Update the application to Spring Boot 4");
	}

	@Test
	void otherMissingBeansAreReportedAsUsual(CapturedOutput output) {
		fails(OtherMissingBean.class);
		assertThat(report(output)).contains("java.time.ZoneId").doesNotContain("lock service");
	}

	/**
	 * The store of these tests has one of its own.
	 */
	private static List<String> warnings(String output) {
		return output.lines()
			.filter((line) -> line.contains(" WARN ") && !line.contains("InMemoryLockStoreConfiguration"))
			.toList();
	}

	private static String report(CapturedOutput output) {
		assertThat(output).contains("APPLICATION FAILED TO START").contains("Description:").contains("Action:");
		return output.toString().substring(output.toString().indexOf("APPLICATION FAILED TO START"));
	}

	private static void fails(Class<?> mistake, String... arguments) {
		fails(List.of(Locks.class, mistake), arguments);
	}

	private static void fails(List<Class<?>> sources, String... arguments) {
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> run(sources, arguments).close());
	}

	private static ConfigurableApplicationContext run(List<Class<?>> sources, String... arguments) {
		SpringApplication application = new SpringApplication(sources.toArray(Class<?>[]::new));
		application.setWebApplicationType(WebApplicationType.NONE);
		String[] all = Arrays.copyOf(arguments, arguments.length + 1);
		all[arguments.length] = Arrays.stream(arguments).anyMatch((argument) -> argument.contains("lock.provider="))
				? "--spring.main.banner-mode=off" : "--distributed-lock.provider=in-memory";
		return application.run(all);
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DistributedLockAutoConfiguration.class,
			LockAnnotationAutoConfiguration.class })
	static class Locks {

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoConnectionFactories {

		@Bean
		RedisConnectionFactory lockRedis() {
			return mock(RedisConnectionFactory.class);
		}

		@Bean
		RedisConnectionFactory cacheRedis() {
			return mock(RedisConnectionFactory.class);
		}

	}

	static class Twelve {

		@DistributedLock
		public void a() {
		}

		@DistributedLock
		public void b() {
		}

		@DistributedLock
		public void c() {
		}

		@DistributedLock
		public void d() {
		}

		@DistributedLock
		public void e() {
		}

		@DistributedLock
		public void f() {
		}

		@DistributedLock
		public void g() {
		}

		@DistributedLock
		public void h() {
		}

		@DistributedLock
		public void i() {
		}

		@DistributedLock
		public void j() {
		}

		@DistributedLock
		public void k() {
		}

		@DistributedLock
		public void l() {
		}

	}

	static class Template {

		@DistributedLock(name = "stock:#{#item}", timeout = 60)
		public void sell(long item) {
		}

	}

	static class Correct {

		@DistributedLock(name = "'pay:' + #orderId", timeout = 60)
		public void pay(long orderId) {
		}

	}

	static class Hinted {

		@DistributedLock("'pay:' + #orderId")
		public void pay(long orderId) {
		}

		@DistributedLock("audit")
		public void audit() {
		}

		@DistributedLock({ "'swap:' + #a", "'swap:' + #b" })
		public void swap(long a, long b) {
		}

		@DistributedLock
		public void owner() {
		}

	}

	static class CallsItself {

		public void all() {
			pay(1);
		}

		@DistributedLock(name = "'pay:' + #orderId")
		public void pay(long orderId) {
		}

	}

	static class Named {

		@DistributedLock(name = "nightly", timeout = 60)
		public void run() {
		}

	}

	static class Unresolved {

		@DistributedLock(name = "unresolved", timeoutString = "${no.such.lease}", maxHoldString = "${no.such.limit}",
				fallbackMethod = "busy")
		public void pay(long id) {
		}

	}

	static class LongLeases {

		@DistributedLock(name = "leased", timeout = 1800)
		public void leased() {
		}

		@DistributedLock(name = "renewed", timeout = 1800, autoRenew = true)
		public void renewed() {
		}

		@DistributedLock(name = "limited", timeout = 1800, autoRenew = true, maxHold = 3600)
		public void limited() {
		}

	}

	static class WrongLeases {

		@DistributedLock(timeout = 30000)
		public void inMilliseconds() {
		}

		@DistributedLock(timeout = 30, timeoutString = "30 sec")
		public void twice() {
		}

	}

	static class LongHolds {

		@DistributedLock(name = "renewed", autoRenew = true)
		public void renewed() {
		}

		@DistributedLock(name = "limited", autoRenew = true, maxHold = 3600)
		public void limited() {
		}

		@DistributedLock(name = "leased", timeout = 3660)
		public void leased() {
		}

		@OncePerFireTime(name = "job")
		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		public void job() {
		}

	}

	record Receipt(long id) {
	}

	static class ManyMistakes {

		@DistributedLock(name = "pay:#{#receipt.idd}", timeout = -5, condition = "true", fallbackMethod = "busy")
		public void pay(Receipt receipt) {
		}

	}

	static class BadFallback {

		@DistributedLock(name = "pay", fallbackMethod = "busy")
		public void pay(long orderId) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Transactions {

		@Bean
		PlatformTransactionManager transactionManager() {
			return new DataSourceTransactionManager();
		}

	}

	@Transactional
	static final class FinalTransactional {

		@DistributedLock(name = "final-transactional")
		public void pay(long orderId) {
		}

	}

	@Transactional
	static final class FinalUnlocked {

		public void pay(long orderId) {
		}

	}

	static final class FinalClass {

		@DistributedLock(name = "final")
		public void pay(long orderId) {
		}

	}

	static class Injected {

		Injected(LockService service) {
		}

	}

	static class Literal {

		@DistributedLock("order:{id}")
		public void pay(long id) {
		}

	}

	static class OldSpringBoot {

		OldSpringBoot() {
			SupportedSpringBoot.check("4.0.8");
			SupportedSpringBoot.check("10.0.0-SNAPSHOT");
			SupportedSpringBoot.check(null);
			SupportedSpringBoot.check("3.5.16");
		}

	}

	static class OtherMissingBean {

		OtherMissingBean(ZoneId zone) {
		}

	}

}
