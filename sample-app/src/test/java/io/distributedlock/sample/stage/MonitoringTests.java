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
package io.distributedlock.sample.stage;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.LossCause;
import io.distributedlock.annotation.OncePerFireTime;
import io.distributedlock.testsupport.EnabledIfInstalled;
import io.distributedlock.testsupport.OptionalPackage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

import org.springframework.mock.env.MockEnvironment;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Evaluates the alert rules and the dashboard against what the sample tells Prometheus:
 * names and labels everywhere, and by a real Prometheus where one is installed.
 */
class MonitoringTests {

	private static final String TESTS = "alert rules and dashboard in Prometheus, beyond names and labels";

	private static final Duration SOON = Duration.ofMinutes(1);

	private static RedisServer redis;

	private static InstanceLauncher launcher;

	private static Instances instances;

	private static Scrape scrape;

	private static Runbook runbook;

	private static AlertRules rules;

	private static Dashboard dashboard;

	@BeforeAll
	static void start() throws Exception {
		runbook = Runbook.read();
		rules = AlertRules.read();
		dashboard = Dashboard.read();
		redis = RedisServer.from(new MockEnvironment());
		// The application and the job of the example rules
		launcher = new InstanceLauncher(redis, new LiveFeed(), "--distributed-lock.redis.command-timeout=20s",
				"--management.metrics.tags.application=shop", "--spring.main.sources=" + NightlyReport.class.getName());
		instances = launcher.launch();
		instances.awaitHealthy();
		// Its gauge exists as long as it stands
		instances.first().post("/leader");
		scrape = Scrape.of(instances.first());
	}

	@AfterAll
	static void end() {
		launcher.close();
		redis.close();
	}

	static Stream<Expression> expressions() {
		return Stream.of(rules.expressions(), dashboard.queries(), dashboard.otherQueries()).flatMap((all) -> all);
	}

	static List<AlertRules.Alert> alerts() {
		return rules.alerts();
	}

	@ParameterizedTest
	@MethodSource("expressions")
	void expressionNamesExistingMeters(Expression expression) {
		assertThat(expression.unknownIn(scrape)).as(expression.text()).isEmpty();
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', quoteCharacter = '`',
			value = { "rate(distributed_lock_losses_total[5m]) > 0 ; meter distributed_lock_losses_total",
					"distributed_lock_lost_total{reason='forced'} ; label reason of distributed_lock_lost_total",
					"distributed_lock_lost_total{cause=~'forced|stolen'} ; cause stolen of distributed_lock_lost_total",
					"sum by (name) (distributed_lock_held) ; label name",
					"distributed_lock_held and on (name) distributed_lock_waiting ; label name",
					"vector(0) ; no meter at all" })
	void aMistakeInAnExpressionIsFound(String text, String mistake) {
		assertThat(new Expression("here", text.replace('\'', '"')).unknownIn(scrape)).containsExactly(mistake);
	}

	@Test
	void lossesAreCountedFromZero() {
		assertThat(scrape.of("distributed_lock_lost_total")).allMatch((sample) -> sample.value() == 0);
		Set<String> causes = scrape.of("distributed_lock_lost_total")
			.stream()
			.filter((sample) -> sample.labels().get("lock_name").equals("keyword-job"))
			.map((sample) -> sample.labels().get("cause"))
			.collect(Collectors.toSet());
		assertThat(causes).hasSize(LossCause.values().length);
	}

	@ParameterizedTest
	@MethodSource("alerts")
	void alertLinksToItsRunbook(AlertRules.Alert alert) {
		assertThat(alert.name()).startsWith("DistributedLock");
		assertThat(alert.labels().get("severity")).isIn("critical", "warning", "info");
		assertThat(alert.annotations()).containsOnlyKeys("summary", "description", "runbook_url");
		String url = alert.annotations().get("runbook_url");
		assertThat(url).matches(runbook::isReachedBy, "leads to a heading");
		assertThat(runbook.text()).as("the table of alerts")
			.containsPattern("\\| `" + alert.name() + "` \\| " + alert.labels().get("severity") + " \\| \\[[^]]+]\\("
					+ url.substring(url.indexOf('#')) + "\\) \\|");
	}

	@Test
	void aLinkToAHeadingThatDoesNotExistIsFound() {
		String page = "https://example.com/docs/operations.md";
		assertThat(runbook.isReachedBy(page + "#a-lock-was-lost")).isTrue();
		assertThat(runbook.isReachedBy(page + "#a-lock-was-found")).isFalse();
		assertThat(runbook.isReachedBy(page)).isFalse();
	}

	@Test
	void aPanelHasAnIdAUnitADescriptionAndALink() {
		List<JsonNode> panels = dashboard.panels();
		assertThat(panels).hasSizeGreaterThan(20).allSatisfy((panel) -> {
			assertThat(panel.path("title").asString()).isNotBlank();
			assertThat(panel.path("description").asString()).endsWith(".").hasSizeGreaterThan(20);
			assertThat(panel.path("fieldConfig").path("defaults").path("unit").asString()).isNotBlank();
			assertThat(panel.path("datasource").path("uid").asString()).isEqualTo("${datasource}");
			assertThat(dashboard.linksOf(panel)).isNotEmpty().allMatch(runbook::isReachedBy);
		});
		assertThat(dashboard.linksOf(dashboard.json())).isNotEmpty().allMatch(runbook::isReachedBy);
		assertThat(dashboard.json().path("panels").valueStream().map((panel) -> panel.path("id").asInt()))
			.doesNotHaveDuplicates();
		assertThat(dashboard.variables().map((variable) -> variable.path("name").asString()))
			.containsExactly("datasource", "application", "instance", "lock_name", "runbook");
	}

	@Test
	@EnabledIfInstalled(value = OptionalPackage.PROMETHEUS, tests = TESTS)
	void promtoolPassesTheRulesAndTheirTests() throws Exception {
		for (Path file : rules.files()) {
			assertThat(Prometheus.promtool("check", "rules", file.toString())).contains("SUCCESS");
		}
		assertThat(Prometheus.promtool("test", "rules", "distributed-lock-rules-test.yml")).contains("SUCCESS");
	}

	@Test
	@EnabledIfInstalled(value = OptionalPackage.PROMETHEUS, tests = TESTS)
	void prometheusEvaluatesEveryExpressionAndTheFirstLossIsRaised(@TempDir Path directory) throws Exception {
		try (Prometheus prometheus = Prometheus.start(directory, rules, instances)) {
			await().atMost(SOON).until(prometheus::isReady);
			await().atMost(SOON).until(() -> prometheus.query("count_over_time(up[1h]) > 3 and up == 1").size() == 2);
			for (Expression expression : expressions().toList()) {
				prometheus.query(expression.text());
			}
			// What is a rate needs a while
			await().atMost(SOON).untilAsserted(() -> assertThat(withoutResult(prometheus)).isEmpty());
			await().atMost(SOON)
				.untilAsserted(() -> assertThat(prometheus.rules()).hasSameSizeAs(rules.alerts())
					.allMatch((rule) -> rule.path("health").asString().equals("ok"), "is evaluated"));
			assertThat(prometheus.firing()).isEmpty();
			String id = Instances.fresh("lost");
			String cause = instances.second().post("/exports/" + id + "?renew=false").text("cause");
			// The other one on a machine so busy that the loss is told late
			assertThat(cause).isIn(LossCause.LEASE_EXPIRED.name(), LossCause.PROCESS_PAUSED.name());
			await().atMost(SOON).untilAsserted(() -> assertThat(prometheus.firing()).anySatisfy((labels) -> {
				assertThat(labels.path("alertname").asString()).isEqualTo("DistributedLockLost");
				assertThat(labels.path("severity").asString()).isEqualTo("critical");
				assertThat(labels.path("lock_name").asString()).isEqualTo("export");
				assertThat(labels.path("cause").asString()).isEqualTo(cause.toLowerCase(Locale.ROOT));
				assertThat(instances.second().url()).endsWith(labels.path("instance").asString());
			}));
			assertThat(prometheus.firing()).extracting((labels) -> labels.path("alertname").asString())
				.contains("DistributedLockLost")
				.doesNotContain("DistributedLockLostInStore", "DistributedLockLostStoreUnreachable",
						"DistributedLockForced");
		}
	}

	private static List<Expression> withoutResult(Prometheus prometheus) throws IOException, InterruptedException {
		List<Expression> all = dashboard.queries().toList();
		List<Expression> empty = new ArrayList<>();
		for (Expression expression : all) {
			if (prometheus.query(expression.text()).isEmpty()) {
				empty.add(expression);
			}
		}
		return empty;
	}

	/**
	 * A job, whose meters exist before it has run.
	 */
	static class NightlyReport {

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime("nightly-report")
		public void write() {
		}

	}

}
