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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import io.distributedlock.actuate.endpoint.LocksEndpoint;
import io.distributedlock.actuate.endpoint.LocksEndpointWebExtension;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OncePerFireTime;
import io.distributedlock.annotation.SuppressLockWarnings;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockAnnotationAutoConfiguration;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.internal.ModuleVersion;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.internal.Printable;
import io.distributedlock.internal.WallClock;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.boot.actuate.audit.InMemoryAuditEventRepository;
import org.springframework.boot.actuate.audit.listener.AuditListener;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jmx.JmxEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.jmx.JmxAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.actuate.web.ServletManagementContextAutoConfiguration;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.http.MediaType;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LocksEndpointAutoConfiguration}, over HTTP.
 */
class LocksEndpointAutoConfigurationTests {

	private final WebApplicationContextRunner contextRunner = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				LockAnnotationAutoConfiguration.class, LocksEndpointAutoConfiguration.class))
		.withPropertyValues("distributed-lock.provider=in-memory", "management.endpoints.web.exposure.include=locks");

	@Test
	void locksAreShownOverHttp() {
		web().withBean(Work.class).run((context) -> {
			MockMvcTester mvc = MockMvcTester.from(context);
			try (LockHandle handle = context.getBean(LockService.class).acquire("order:1/2")) {
				assertThat(mvc.get().uri("/actuator/locks")).hasStatusOk().bodyJson().isLenientlyEqualTo("""
						{
						  "held": [
						    {
						      "name": "order:1/2",
						      "owner": "%s",
						      "fencingToken": %d,
						      "autoRenew": false
						    }
						  ],
						  "waiting": [],
						  "defaults": { "timeout": "PT30S", "waitTime": "PT0S", "autoRenew": false },
						  "declared": [
						    {
						      "declaredName": "Work.run",
						      "names": [ "'work:' + #p0" ],
						      "location": "%s.run(int)",
						      "options": { "timeout": "PT1M" }
						    }
						  ]
						}""".formatted(Thread.currentThread().getName(), handle.fencingToken(), Work.class.getName()));
				assertThat(mvc.get().uri("/actuator/locks?name=order:1/2")).hasStatusOk()
					.bodyJson()
					.isLenientlyEqualTo("""
							{ "name": "order:1/2", "locked": true, "held": [ { "name": "order:1/2" } ] }""");
			}
			assertThat(mvc.get().uri("/actuator/locks?name=order:1/2")).hasStatusOk().bodyJson().isLenientlyEqualTo("""
					{ "name": "order:1/2", "locked": false, "held": [] }""");
		});
	}

	@Test
	void eachOptionIsShownWithItsSource() {
		web().withBean(Work.class)
			.withBean(Shorter.class)
			.withPropertyValues("distributed-lock.defaults.wait-time=5s",
					"distributed-lock.locks[Work.run].min-hold=2s")
			.run((context) -> assertThat(MockMvcTester.from(context).get().uri("/actuator/locks")).hasStatusOk()
				.bodyJson()
				.extractingPath("declared[0].sources")
				.asMap()
				.containsOnly(entry("timeout", "annotation"), entry("waitTime", "defaults of the application"),
						entry("autoRenew", Shorter.class.getName() + " for 'Work.run'"),
						entry("renewInterval", "built in, a third of timeout"),
						entry("minHold", "distributed-lock.locks for 'Work.run'"), entry("onLost", "built in"),
						entry("mode", "built in"), entry("permits", "built in")));
	}

	@Test
	void settingsThatAPlatformMayPrescribeAreShown() {
		Map<String, Object> settings = new LinkedHashMap<>();
		// Only a jar has a version
		Optional.ofNullable(ModuleVersion.current()).ifPresent((version) -> settings.put("version", version));
		settings
			.putAll(Map.of("check", "warn", "validation", "strict", "keyPrefix", "lock:shop:", "maxHoldLimit", "6h"));
		settings.putAll(Map.of("checkSource", "default", "validationSource",
				"\"distributed-lock.validation\" from property source \"test\"", "keyPrefixSource",
				"\"distributed-lock.key-prefix\" from property source \"test\"", "maxHoldLimitSource",
				"\"distributed-lock.annotation.max-hold-limit\" from property source \"test\""));
		web()
			.withPropertyValues("distributed-lock.validation=strict", "distributed-lock.key-prefix=lock:shop:",
					"distributed-lock.annotation.max-hold-limit=6h")
			.run((context) -> assertThat(MockMvcTester.from(context).get().uri("/actuator/locks")).hasStatusOk()
				.bodyJson()
				.extractingPath("settings")
				.asMap()
				.containsExactlyInAnyOrderEntriesOf(settings));
	}

	@Test
	void fileAndVariableOfASettingAreShown(@TempDir Path directory) throws IOException {
		Path file = directory.resolve("application.yml");
		Files.writeString(file, "distributed-lock:%n  key-prefix: 'lock:shop:'%n  check: warn%n".formatted());
		web().withInitializer(new ConfigDataApplicationContextInitializer())
			.withSystemProperties("spring.config.location=" + directory.toUri())
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new SystemEnvironmentPropertySource("systemEnvironment",
						Map.of("DISTRIBUTED_LOCK_CHECK", "off"))))
			.run((context) -> assertThat(MockMvcTester.from(context).get().uri("/actuator/locks")).hasStatusOk()
				.bodyJson()
				.extractingPath("settings")
				.asMap()
				.containsEntry("checkSource", "\"DISTRIBUTED_LOCK_CHECK\" from property source \"systemEnvironment\"")
				.containsEntry("validationSource", "default")
				.hasEntrySatisfying("keyPrefixSource",
						(source) -> assertThat(source).asString().contains("application.yml").endsWith(" - 2:15")));
	}

	@Test
	void suppressedWarningsAreShownWithTheSettings() {
		web().withBean(Work.class)
			.withBean(SilentWork.class)
			.withBean(SilentReports.class)
			.run((context) -> assertThat(MockMvcTester.from(context).get().uri("/actuator/locks")).hasStatusOk()
				.bodyJson()
				.extractingPath("settings.suppressed")
				.asArray()
				.containsExactly(SilentReports.class.getName(), SilentWork.class.getName() + ".runAll(int)"));
		web().withBean(Work.class)
			.run((context) -> assertThat(MockMvcTester.from(context).get().uri("/actuator/locks")).hasStatusOk()
				.bodyJson()
				.doesNotHavePath("settings.suppressed"));
	}

	@Test
	void jobsAreShownOverHttpAsDocumented() throws Exception {
		String page = Files.readString(Path.of("..", "docs", "operations.md"));
		Matcher documented = Pattern.compile("```json\\s+(\\{\\s+\"jobs\".*?)```", Pattern.DOTALL).matcher(page);
		assertThat(documented.find()).isTrue();
		Instant threeAndABit = Instant.parse("2026-11-27T03:00:00.012Z");
		AtomicReference<Instant> now = new AtomicReference<>(threeAndABit);
		web().withPropertyValues("distributed-lock.instance-name=shop@host2-93")
			.withBean(WallClock.class, () -> now::get)
			.withBean(Reports.class, () -> new Reports(() -> now.set(threeAndABit.plusMillis(4188))))
			.run((context) -> {
				context.getBean(Reports.class).write();
				assertThat(MockMvcTester.from(context).get().uri("/actuator/locks")).hasStatusOk()
					.bodyJson()
					.isLenientlyEqualTo(documented.group(1).replace("com.example.Reports", Reports.class.getName()));
			});
	}

	@Test
	void theLocksOfTheStoreAreShownOverHttp() {
		web().run((context) -> {
			MockMvcTester mvc = MockMvcTester.from(context);
			try (LockHandle handle = context.getBean(LockService.class).acquire("order:1/2")) {
				assertThat(handle.isHeld()).isTrue();
				assertThat(mvc.get().uri("/actuator/locks?scope=store&limit=10")).hasStatusOk()
					.bodyJson()
					.isLenientlyEqualTo("""
							{
							  "store": { "description": "memory of this JVM" },
							  "locks": [
							    {
							      "name": "order:1/2",
							      "heldBy": "THIS_INSTANCE",
							      "waiting": 0
							    }
							  ],
							  "truncated": false
							}""");
			}
			assertThat(mvc.get().uri("/actuator/locks?scope=store&limit=0")).hasStatus(400)
				.bodyJson()
				.extractingPath("problem")
				.isEqualTo("The limit is 0, but must be from 1 to 1000.");
			assertThat(mvc.get().uri("/actuator/locks?name=a&scope=store")).hasStatus(400).bodyText().contains("leave");
			assertThat(mvc.get().uri("/actuator/locks?scope=everything")).hasStatus(400)
				.bodyText()
				.contains("scope is 'everything'. Write instance, which is the default, or store.");
			assertThat(mvc.get().uri("/actuator/locks?scope=store&limit=all")).hasStatus(400)
				.bodyText()
				.contains("limit is 'all'. Write a whole number.");
			assertThat(mvc.get().uri("/actuator/locks?scope=STORE&limit=")).hasStatusOk();
		});
	}

	@Test
	void namesAreMaskedForUnauthorizedUsers() {
		web().withPropertyValues("management.endpoint.locks.show-values=when-authorized").run((context) -> {
			MockMvcTester mvc = MockMvcTester.from(context);
			try (LockHandle handle = context.getBean(LockService.class).acquire("order:1")) {
				assertThat(handle.isHeld()).isTrue();
				for (String uri : List.of("/actuator/locks", "/actuator/locks?scope=store")) {
					assertThat(mvc.get().uri(uri)).hasStatusOk().bodyText().contains("******").doesNotContain("order");
					assertThat(mvc.get().uri(uri).principal(() -> "ops")).hasStatusOk().bodyText().contains("order:1");
				}
			}
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "spring.application.name=shop",
			"management.endpoints.access.default=UNRESTRICTED;management.endpoint.locks.access=READ_ONLY",
			"management.endpoint.locks.access=UNRESTRICTED;management.endpoints.access.max-permitted=READ_ONLY" })
	void forcedReleaseIsRefusedUnlessAllowed(String properties) {
		web().withPropertyValues(properties.split(";")).run((context) -> {
			try (LockHandle handle = context.getBean(LockService.class).acquire("a")) {
				assertThat(
						MockMvcTester.from(context).delete().uri("/actuator/locks?name=a&hold=" + hold(context, "a")))
					.hasStatus(405);
				assertThat(handle.isHeld()).isTrue();
			}
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "management.endpoint.locks.access=UNRESTRICTED",
			"management.endpoints.access.default=UNRESTRICTED" })
	void bothSettingsAllowToReleaseByForce(String property) {
		web().withPropertyValues(property).run((context) -> {
			LockHandle handle = context.getBean(LockService.class).acquire("a");
			assertThat(MockMvcTester.from(context).delete().uri("/actuator/locks?name=a&hold=" + hold(context, "a")))
				.hasStatusOk();
			assertThat(context.getBean(LockStore.class).find("a").join()).isEmpty();
			handle.close();
		});
	}

	@Test
	void aLockIsReleasedByForceOverHttp() {
		unrestricted().run((context) -> {
			MockMvcTester mvc = MockMvcTester.from(context);
			String lock = "/actuator/locks?name=a";
			assertThat(mvc.delete().uri(lock + "&hold=0123456789abcdef")).hasStatus(404);
			LockHandle handle = context.getBean(LockService.class).acquire("a");
			String hold = hold(context, "a");
			assertThat(mvc.get().uri(lock)).hasStatusOk().bodyJson().extractingPath("hold").isEqualTo(hold);
			assertThat(mvc.delete().uri(lock + "&hold=0123456789abcdef")).hasStatus(409);
			assertThat(handle.isHeld()).isTrue();
			assertThat(mvc.delete().uri(lock + "&hold=" + hold).principal(() -> "ops")).hasStatusOk()
				.bodyJson()
				.isStrictlyEqualTo("""
						{ "name": "a", "outcome": "RELEASED" }""");
			assertThat(mvc.delete().uri(lock + "&hold=" + hold)).hasStatus(404);
			assertThat(context.getBean(AuditEventRepository.class).find("ops", null, LocksEndpoint.AUDIT_TYPE))
				.hasSize(1);
			handle.close();
		});
	}

	@Test
	void operatorHoldsALockOverHttp() {
		unrestricted().run((context) -> {
			MockMvcTester mvc = MockMvcTester.from(context);
			LockService locks = context.getBean(LockService.class);
			String request = """
					{ "name": "a/b", "duration": "45m", "reason": "maintenance until 04:00" }""";
			assertThat(post(mvc, request)).hasStatusOk().bodyJson().isLenientlyEqualTo("""
					{ "name": "a/b", "outcome": "HELD" }""");
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> locks.acquire("a/b"))
				.withMessageContaining("held by operator 'ops' (maintenance until 04:00)");
			assertThat(post(mvc, request)).hasStatus(409)
				.bodyJson()
				.extractingPath("holder")
				.isEqualTo("held by operator 'ops' (maintenance until 04:00)");
			assertThat(mvc.get().uri("/actuator/locks?name=a/b")).hasStatusOk().bodyJson().isLenientlyEqualTo("""
					{ "heldBy": "OPERATOR", "holder": "ops", "reason": "maintenance until 04:00" }""");
			assertThat(mvc.delete().uri("/actuator/locks?name=a/b&hold=" + hold(context, "a/b"))).hasStatusOk();
			try (LockHandle handle = locks.acquire("a/b")) {
				assertThat(handle.isHeld()).isTrue();
				assertThat(post(mvc, request.replace("}", ", \"whenHeld\": \"wait\" }"))).hasStatus(202)
					.bodyJson()
					.isLenientlyEqualTo("""
							{ "outcome": "WAITING" }""");
			}
			assertThat(locks.find("a/b").orElseThrow().holder()).isEqualTo("ops");
			assertThat(context.getBean(AuditEventRepository.class).find("ops", null, LocksEndpoint.HOLD_AUDIT_TYPE))
				.hasSizeGreaterThanOrEqualTo(2);
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			{}                                              | name is missing
			{ 'name': 'a', 'duration': '1m' }               | reason is missing
			{ 'name': 'a', 'reason': 'why' }                | duration is missing
			{ 'duration': '1m', 'reason': 'why' }           | name is missing
			""")
	void holdWithoutWhatItNeedsIsRefused(String request, String problem) {
		unrestricted().run((context) -> {
			assertThat(post(MockMvcTester.from(context), request.replace('\'', '"'))).hasStatus(400)
				.bodyJson()
				.extractingPath("problem")
				.asString()
				.startsWith(problem + ". Say which lock to hold, for how long, and why");
			assertThat(context.getBean(LockService.class).find("a")).isEmpty();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "{ 'name': '', 'duration': '1m', 'reason': 'why' }",
			"{ 'name': 'a', 'duration': '1m', 'reason': ['why'] }" })
	void holdWithBadValuesIsRefused(String request) {
		unrestricted().run((context) -> {
			assertThat(post(MockMvcTester.from(context), request.replace('\'', '"'))).hasStatus(400);
			assertThat(context.getBean(LockService.class).find("a")).isEmpty();
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					'duration': '1m', 'whenHeld': 'shout' | whenHeld is 'shout'. Write refuse, which is the default, or wait.
					'duration': '1m', 'whenHeld': true    | whenHeld is 'true'. Write refuse, which is the default, or wait.
					'duration': '30'                      | The duration '30' has no unit. Write 30s for seconds, or another unit such as m or h.
					'duration': 30                        | The duration '30' has no unit. Write 30s for seconds, or another unit such as m or h.
					""")
	void problemOfAHoldSaysWhatToWrite(String values, String problem) {
		unrestricted().run((context) -> {
			String request = "{ 'name': 'a', 'reason': 'why', " + values + " }";
			assertThat(post(MockMvcTester.from(context), request.replace('\'', '"'))).hasStatus(400)
				.bodyJson()
				.extractingPath("problem")
				.isEqualTo(problem);
			assertThat(context.getBean(LockService.class).find("a")).isEmpty();
		});
	}

	@Test
	void operatorLeavesTheQueueBeforeTheContextStops() {
		InMemoryLockStore store = new InMemoryLockStore();
		store.acquire(new AcquireRequest("a", new LockToken("there", 1), Duration.ofMinutes(1), 1, null)).join();
		List<Integer> waiting = new ArrayList<>();
		unrestricted().withBean(LockStore.class, store::connect)
			.withBean(SmartLifecycle.class,
					() -> onStop(() -> waiting.add(store.describe("a").join().orElseThrow().queue().size())))
			.run((context) -> {
				assertThat(post(MockMvcTester.from(context), """
						{ "name": "a", "duration": "45m", "reason": "maintenance", "whenHeld": "wait" }"""))
					.hasStatus(202);
				assertThat(store.describe("a").join().orElseThrow().queue()).hasSize(1);
			});
		assertThat(waiting).containsExactly(0);
		store.close();
	}

	private static SmartLifecycle onStop(Runnable action) {
		return new SmartLifecycle() {

			private boolean running;

			@Override
			public void start() {
				this.running = true;
			}

			@Override
			public void stop() {
				action.run();
				this.running = false;
			}

			@Override
			public boolean isRunning() {
				return this.running;
			}

		};
	}

	@Test
	void operatorHoldsNothingUnlessAllowed() {
		web().run((context) -> {
			assertThat(post(MockMvcTester.from(context), """
					{ "name": "a", "duration": "45m", "reason": "maintenance" }""")).hasStatus(405);
			assertThat(context.getBean(LockService.class).find("a")).isEmpty();
		});
	}

	private static MvcTestResult post(MockMvcTester mvc, String body) {
		return mvc.post()
			.uri("/actuator/locks")
			.contentType(MediaType.APPLICATION_JSON)
			.content(body)
			.principal(() -> "ops")
			.exchange();
	}

	@Test
	void problemOfAListShowsNoConfidentialName() {
		web().withPropertyValues("management.endpoint.locks.show-values=never")
			.withBean(LockStore.class, () -> mock(LockStore.class, (call) -> {
				throw new LockConfigurationException("secret", "Redis refuses lock 'secret'.", null);
			}))
			.run((context) -> assertThat(MockMvcTester.from(context).get().uri("/actuator/locks?scope=store"))
				.hasStatus(503)
				.bodyText()
				.contains("problem")
				.doesNotContain("secret"));
	}

	@Test
	void silentStoreIsUnavailable() {
		unrestricted().run((context) -> {
			MockMvcTester mvc = MockMvcTester.from(context);
			context.getBean(LockStore.class).close();
			assertThat(mvc.delete().uri("/actuator/locks?name=a&hold=0123456789abcdef")).hasStatus(503)
				.bodyJson()
				.extractingPath("problem")
				.asString()
				.contains("closed");
			assertThat(mvc.get().uri("/actuator/locks?scope=store")).hasStatus(503);
		});
	}

	@Test
	void locksAreShownAndReleasedOverJmx() {
		this.contextRunner
			.withConfiguration(AutoConfigurations.of(EndpointAutoConfiguration.class, JmxAutoConfiguration.class,
					JmxEndpointAutoConfiguration.class, JacksonAutoConfiguration.class))
			.withPropertyValues("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=locks",
					"management.endpoints.web.exposure.exclude=*", "management.endpoint.locks.access=UNRESTRICTED")
			.run((context) -> {
				assertThat(context).doesNotHaveBean(LocksEndpointWebExtension.class);
				MBeanServer server = context.getBean(MBeanServer.class);
				ObjectName bean = server.queryNames(new ObjectName("*:type=Endpoint,name=Locks,*"), null)
					.iterator()
					.next();
				LockService locks = context.getBean(LockService.class);
				LockHandle other = locks.acquire("a/b");
				LockNamesOverHttpTests.names().forEach((name) -> {
					LockHandle handle = locks.acquire(name);
					String shown = Printable.of(name);
					String hold = hold(context, name);
					assertThat(invoke(server, bean, "locks", "store", 5)).contains(shown, hold);
					assertThat(invoke(server, bean, "lock", name)).contains("name=" + shown + ",", hold);
					assertThat(invoke(server, bean, "forceRelease", name, hold)).contains("name=" + shown + ",",
							"RELEASED");
					assertThat(locks.find(name)).isEmpty();
					handle.close();
				});
				assertThat(other.isHeld()).isTrue();
				other.close();
				assertThat(invoke(server, bean, "hold", "a/b", "45m", "maintenance", "wait", ""))
					.contains("outcome=HELD,");
				assertThat(locks.find("a/b").orElseThrow().reason()).isEqualTo("maintenance");
			});
	}

	private static String invoke(MBeanServer server, ObjectName bean, String operation, Object... parameters) {
		try {
			return String.valueOf(server.invoke(bean, operation, parameters,
					Stream.of(parameters).map((parameter) -> parameter.getClass().getName()).toArray(String[]::new)));
		}
		catch (JMException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String hold(BeanFactory context, String name) {
		return context.getBean(LockStore.class).find(name).join().orElseThrow().digest();
	}

	private WebApplicationContextRunner unrestricted() {
		return web().withBean(InMemoryAuditEventRepository.class)
			.withBean(AuditListener.class)
			.withPropertyValues("management.endpoint.locks.access=UNRESTRICTED");
	}

	@ParameterizedTest
	@ValueSource(strings = { "management.endpoints.web.exposure.include=health",
			"management.endpoint.locks.access=NONE", "distributed-lock.enabled=false" })
	void endpointIsAbsentUnlessExposedAndAccessible(String property) {
		this.contextRunner.withPropertyValues(property)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
	}

	@Test
	void endpointReportsAMissingStore() {
		web()
			.withBean(DefaultLockService.class,
					() -> new DefaultLockService(new InMemoryLockStore(), EngineSettings.of("own"), List.of()))
			.run((context) -> assertThat(MockMvcTester.from(context).get().uri("/actuator/locks")).hasStatusOk()
				.bodyJson()
				.extractingPath("store.description")
				.isEqualTo("no store"));
	}

	private WebApplicationContextRunner web() {
		return this.contextRunner.withConfiguration(AutoConfigurations.of(EndpointAutoConfiguration.class,
				WebEndpointAutoConfiguration.class, ManagementContextAutoConfiguration.class,
				ServletManagementContextAutoConfiguration.class, JacksonEndpointAutoConfiguration.class,
				JacksonAutoConfiguration.class, HttpMessageConvertersAutoConfiguration.class,
				DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class));
	}

	static class Reports {

		private final Runnable work;

		Reports(Runnable work) {
			this.work = work;
		}

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime(name = "nightly-report", catchUp = "2h")
		public void write() {
			this.work.run();
		}

	}

	static class Shorter implements LockOptionsCustomizer {

		@Override
		public LockOptions customize(String declaredName, LockOptions options) {
			return options.withAutoRenew();
		}

	}

	static class SilentWork extends Work {

		@SuppressLockWarnings
		public void runAll(int count) {
			IntStream.range(0, count).forEach(this::run);
		}

	}

	@SuppressLockWarnings
	static class SilentReports extends Work {

	}

	static class Work {

		@DistributedLock(name = "'work:' + #p0", timeout = 60)
		public void run(int id) {
		}

	}

}
