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

import io.distributedlock.LockHandle;
import io.distributedlock.LockService;
import io.distributedlock.actuate.LocksEndpoint;
import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.actuate.web.ServletManagementContextAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

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
				assertThat(mvc.get().uri("/actuator/locks/order:1/2")).hasStatusOk().bodyJson().isLenientlyEqualTo("""
						{ "name": "order:1/2", "locked": true, "held": [ { "name": "order:1/2" } ] }""");
			}
			assertThat(mvc.get().uri("/actuator/locks/order:1/2")).hasStatusOk().bodyJson().isLenientlyEqualTo("""
					{ "name": "order:1/2", "locked": false, "held": [] }""");
		});
	}

	@Test
	void thereIsNoEndpointUnlessItIsExposed() {
		this.contextRunner.withPropertyValues("management.endpoints.web.exposure.include=health")
			.run((context) -> assertThat(context).hasSingleBean(LockService.class)
				.doesNotHaveBean(LocksEndpoint.class));
	}

	@Test
	void thereIsNoEndpointWithoutAccess() {
		this.contextRunner.withPropertyValues("management.endpoint.locks.access=NONE")
			.run((context) -> assertThat(context).hasSingleBean(LockService.class)
				.doesNotHaveBean(LocksEndpoint.class));
	}

	@Test
	void thereIsNoEndpointWithoutTheActuator() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LockService.class)
				.doesNotHaveBean(LocksEndpoint.class));
	}

	@Test
	void thereIsNoEndpointWhenLocksAreDisabled() {
		this.contextRunner.withPropertyValues("distributed-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
	}

	@Test
	void theEndpointTellsThatThereIsNoStore() {
		web().withPropertyValues("distributed-lock.provider=none")
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

	static class Work {

		@DistributedLock(name = "'work:' + #p0", timeout = 60)
		public void run(int id) {
		}

	}

}
