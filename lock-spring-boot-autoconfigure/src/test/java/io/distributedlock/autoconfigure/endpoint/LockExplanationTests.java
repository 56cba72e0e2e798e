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

package io.distributedlock.autoconfigure.endpoint;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.LockHandle;
import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LossCause;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.LockFinding;
import io.distributedlock.annotation.LockedMethodRegistry;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockAnnotationAutoConfiguration;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.actuate.web.ServletManagementContextAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.test.json.AbstractJsonContentAssert;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the explanation of a lock by the endpoint, over HTTP.
 */
class LockExplanationTests {

	private final WebApplicationContextRunner contextRunner = new WebApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, LockAnnotationAutoConfiguration.class,
						LocksEndpointAutoConfiguration.class, EndpointAutoConfiguration.class,
						JacksonEndpointAutoConfiguration.class, WebEndpointAutoConfiguration.class,
						ManagementContextAutoConfiguration.class, ServletManagementContextAutoConfiguration.class,
						DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class,
						HttpMessageConvertersAutoConfiguration.class, JacksonAutoConfiguration.class))
		.withPropertyValues("distributed-lock.provider=in-memory", "management.endpoints.web.exposure.include=locks",
				"distributed-lock.defaults.wait-time=5s", "distributed-lock.locks[Orders.ship].min-hold=2s",
				"distributed-lock.locks[ShippedOrders.ship].min-hold=2s", "distributed-lock.locks[import].timeout=2m");

	private WebApplicationContextRunner runner(Class<?> bean) {
		return this.contextRunner.withUserConfiguration(bean);
	}

	private static AbstractJsonContentAssert<?> explained(MockMvcTester mvc, String name) {
		return assertThat(mvc.get().uri("/actuator/locks").param("explain", name)).hasStatusOk().bodyJson();
	}

	@Test
	void lockIsExplainedByWhatMayLockIt() {
		runner(Orders.class).run((context) -> {
			MockMvcTester mvc = MockMvcTester.from(context);
			try (LockHandle handle = context.getBean(LockService.class).acquire("order:42")) {
				assertThat(handle.isHeld()).isTrue();
				explained(mvc, "order:42").isLenientlyEqualTo("""
						{
						  "name": "order:42",
						  "uses": [
						    {
						      "match": "pattern",
						      "declaredName": "Orders.ship",
						      "names": [ "order:#{#id}" ],
						      "location": "%1$s.ship(long)",
						      "options": { "timeout": "PT1M", "waitTime": "PT5S", "minHold": "PT2S" },
						      "sources": {
						        "timeout": "annotation",
						        "waitTime": "defaults of the application",
						        "minHold": "distributed-lock.locks for 'Orders.ship'",
						        "onLost": "built in"
						      }
						    },
						    { "match": "any", "location": "%1$s.any(String)" }
						  ],
						  "lock": {
						    "locked": true,
						    "heldBy": "THIS_INSTANCE",
						    "held": [ { "owner": "%2$s" } ]
						  },
						  "store": { "description": "memory of this JVM" },
						  "findings": []
						}""".formatted(Orders.class.getName(), Thread.currentThread().getName()))
					.doesNotHavePath("undeclared")
					.doesNotHavePath("lastLoss");
			}
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			renewed | defaults.auto-renew=true | PT20S | built in, a third of timeout
			import  | defaults.auto-renew=true | PT40S | built in, a third of timeout
			renewed | renewal.interval=5s      | PT5S  | defaults of the application
			export  | defaults.auto-renew=true | PT10S | annotation
			""")
	void intervalThatNobodyHasGivenFollowsFromTheLease(String name, String property, String interval, String source) {
		runner(Renewed.class).withPropertyValues("distributed-lock." + property)
			.run((context) -> explained(MockMvcTester.from(context), name).isLenientlyEqualTo("""
					{ "uses": [ { "options": { "renewInterval": "%s" }, "sources": { "renewInterval": "%s" } } ] }"""
				.formatted(interval, source)));
	}

	@Test
	void explanationIsAsDocumented() throws Exception {
		Matcher documented = Pattern
			.compile("```json\\s+(\\{\\s+\"name\": \"order:42\",\\s+\"uses\".*?)```", Pattern.DOTALL)
			.matcher(Files.readString(Path.of("..", "docs", "troubleshooting.md")));
		assertThat(documented.find()).isTrue();
		runner(ShippedOrders.class).run((context) -> {
			LockService locks = context.getBean(LockService.class);
			LockHandle lost = locks.acquire("order:42", LockOptions.ofLease(Duration.ofSeconds(1)));
			String cause = awaitCause(lost);
			await().until(() -> locks.find("order:42").isEmpty());
			try (LockHandle handle = locks.acquire("order:42")) {
				assertThat(handle.isHeld()).isTrue();
				String expected = documented.group(1)
					.replace("LEASE_EXPIRED", cause)
					.replace("com.example.Orders", ShippedOrders.class.getName())
					.replace("Orders.ship\"", "ShippedOrders.ship\"")
					.replace("'Orders.ship'", "'ShippedOrders.ship'")
					.replace("\"main\"", '"' + Thread.currentThread().getName() + '"');
				// The loss is remembered when its event arrives, after the handle knows
				await().untilAsserted(
						() -> explained(MockMvcTester.from(context), "order:42").isLenientlyEqualTo(expected));
			}
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			order:42 | one holder, | lost the lock: at the end of the lease (1m)
			export   | at most 3 holders, | lost the lock: at the next renewal (10s)
			catalog  | any number of shared holders, | lost the lock: at the end of the lease (30s)
			tenant:a | as many holders as permitsString gives | lost the lock: at the end of the lease (30s)
			""")
	void eachUseSaysWhoMayHoldTheLockAndWhenALossIsTold(String name, String holders, String told) {
		runner(Orders.class).run((context) -> {
			MockMvcTester mvc = MockMvcTester.from(context);
			explained(mvc, name).extractingPath("uses[0].holders").asString().startsWith(holders);
			explained(mvc, name).extractingPath("uses[0].told").asString().contains(told);
		});
	}

	@Test
	void findingsOfTheReportAreThoseOfTheRegistry() {
		runner(Orders.class).run((context) -> {
			LockFinding finding = context.getBean(LockedMethodRegistry.class)
				.findings()
				.stream()
				.filter((each) -> each.location().contains(".export("))
				.findFirst()
				.orElseThrow();
			MockMvcTester mvc = MockMvcTester.from(context);
			explained(mvc, "export").extractingPath("findings")
				.asArray()
				.containsExactly(Map.of("severity", "WARNING", "location", finding.location(), "problem",
						finding.problem(), "action", finding.action()));
			explained(mvc, "catalog").extractingPath("findings[0].problem")
				.asString()
				.contains("locks 'catalog' shared");
			explained(mvc, "import").extractingPath("findings[*].location")
				.asArray()
				.doesNotContain(finding.location());
		});
	}

	@Test
	void callOnThisIsAFindingOfTheLockThatItBypasses() {
		runner(Orders.class).withBean(Bypassing.class)
			.run((context) -> explained(MockMvcTester.from(context), "bypassed").isLenientlyEqualTo("""
					{ "findings": [ { "severity": "WARNING", "location": "%s.calls()" } ] }"""
				.formatted(Bypassing.class.getName())));
	}

	@Test
	void lockThatNothingDeclaresHasTheOptionsOfTheService() {
		runner(Orders.class).run((context) -> {
			MockMvcTester mvc = MockMvcTester.from(context);
			explained(mvc, "import").isLenientlyEqualTo("""
					{
					  "name": "import",
					  "uses": [
					    { "match": "any" },
					    {
					      "match": "none",
					      "location": "LockService",
					      "options": { "timeout": "PT2M", "waitTime": "PT5S" },
					      "sources": {
					        "timeout": "distributed-lock.locks or a customizer, for this name",
					        "waitTime": "defaults of the application",
					        "autoRenew": "built in"
					      }
					    }
					  ],
					  "lock": { "locked": false }
					}""").extractingPath("undeclared").asString().startsWith("No annotation of this instance declares");
		});
	}

	@ParameterizedTest
	@CsvSource({ "Orders.ship", "order:#{#id}" })
	void declarationIsExplainedWithoutAHolder(String name) {
		runner(Orders.class).run((context) -> explained(MockMvcTester.from(context), name).doesNotHavePath("lock")
			.doesNotHavePath("undeclared")
			.isLenientlyEqualTo("""
					{ "uses": [ { "match": "declaration", "declaredName": "Orders.ship" }, { "match": "any" } ] }"""));
	}

	@Test
	void lastLossIsShownWithItsCauseAndThread() {
		runner(Orders.class).withPropertyValues("management.endpoint.locks.show-values=never").run((context) -> {
			MockMvcTester mvc = MockMvcTester.from(context);
			String owner = Thread.currentThread().getName();
			LockHandle handle = context.getBean(LockService.class)
				.acquire("order:42", LockOptions.ofLease(Duration.ofSeconds(1)).withDeclaredName("Orders.ship"));
			String cause = awaitCause(handle);
			await().untilAsserted(() -> explained(mvc, "order:42").isLenientlyEqualTo("""
					{
					  "lastLoss": {
					    "name": "order:42",
					    "cause": "%s",
					    "owner": "%s",
					    "fencingToken": %d
					  }
					}""".formatted(cause, owner, handle.fencingToken())));
			explained(mvc, "order:42").extractingPath("lastLoss.explanation").asString().contains("lease");
			explained(mvc, "order:42").extractingPath("lastLoss.at").asString().startsWith("20");
			explained(mvc, "Orders.ship").isLenientlyEqualTo("""
					{ "lastLoss": { "name": "******", "explanation": "******", "cause": "%s" } }""".formatted(cause));
			explained(mvc, "order:43").doesNotHavePath("lastLoss");
			handle.close();
		});
	}

	@Test
	void guaranteesOfTheStoreAreSaid() {
		runner(Orders.class).run((context) -> {
			explained(MockMvcTester.from(context), "order:42").extractingPath("guarantees")
				.asArray()
				.hasSize(3)
				.contains("The store keeps a record beside the lock, as @OncePerFireTime needs it.");
			context.getBean(LockStore.class).close();
			explained(MockMvcTester.from(context), "order:42").extractingPath("guarantees[2]")
				.asString()
				.contains("unknown");
		});
	}

	@Test
	void definitionThatCannotWorkIsAFindingOfEachNameThatNothingDeclares() {
		runner(Orders.class).withBean(Misspelt.class)
			.withPropertyValues("distributed-lock.validation=warn")
			.run((context) -> {
				MockMvcTester mvc = MockMvcTester.from(context);
				explained(mvc, "ordr:1").isLenientlyEqualTo("""
						{ "findings": [ { "severity": "ERROR", "location": "%s.run(long)" } ] }"""
					.formatted(Misspelt.class.getName()));
				explained(mvc, "order:1").extractingPath("findings").asArray().isEmpty();
			});
	}

	@Test
	void hostileNameIsRefusedOrEscaped() {
		runner(Orders.class).run((context) -> {
			MockMvcTester mvc = MockMvcTester.from(context);
			for (String name : List.of("", " ", "n".repeat(4097), "\uD83D\uDD12".repeat(1025))) {
				assertThat(mvc.get().uri("/actuator/locks").param("explain", name)).hasStatus(400)
					.bodyJson()
					.extractingPath("problem")
					.asString()
					.contains("name");
			}
			explained(mvc, "a\nb\u202Ec").extractingPath("name").isEqualTo("a\\u000Ab\\u202Ec");
			assertThat(mvc.get().uri("/actuator/locks?explain=a&explain=b")).hasStatus(400);
			assertThat(mvc.get().uri("/actuator/locks?explain=a&name=a")).hasStatus(400)
				.bodyText()
				.contains("leave name, scope and limit out");
		});
	}

	/**
	 * On a loaded machine, the loss is told so late that the JVM seems to stand still.
	 */
	private static String awaitCause(LockHandle handle) {
		AtomicReference<LossCause> cause = new AtomicReference<>();
		handle.onLost((loss) -> cause.set(loss.cause()));
		await().until(() -> cause.get() != null);
		assertThat(cause.get()).isIn(LossCause.LEASE_EXPIRED, LossCause.PROCESS_PAUSED);
		return cause.get().name();
	}

	static class Orders {

		@DistributedLock(name = "order:#{#id}", timeout = 60)
		public void ship(long id) {
		}

		@DistributedLock(name = "export", permits = 3, autoRenew = true, renewIntervalString = "10s", waitTime = 30_000)
		public void export() {
		}

		@DistributedLock(name = "catalog", mode = LockMode.SHARED)
		public void read() {
		}

		@DistributedLock(name = "tenant:#{#tenant}", permitsString = "#tenant.length()")
		public void tenant(String tenant) {
		}

		@DistributedLock(name = "#lock")
		public void any(String lock) {
		}

	}

	static class Renewed {

		@DistributedLock(name = "renewed", timeout = 60, autoRenew = true)
		public void renew() {
		}

		@DistributedLock(name = "export", autoRenew = true, renewIntervalString = "10s")
		public void export() {
		}

	}

	static class ShippedOrders {

		@DistributedLock(name = "order:#{#id}", timeout = 60)
		public void ship(long id) {
		}

	}

	static class Bypassing {

		public void calls() {
			locked();
		}

		@DistributedLock(name = "bypassed")
		public void locked() {
		}

	}

	static class Misspelt {

		@DistributedLock(name = "order:#{#od}")
		public void run(long id) {
		}

	}

}
