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

package io.distributedlock.configuration.internal;

import java.util.stream.Stream;

import io.distributedlock.engine.EngineSettings;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/**
 * All configurations, for an application without Spring Boot, in the order in which their
 * conditions have to be evaluated.
 */
@Configuration(proxyBeanMethods = false)
@Import({ LockServiceConfiguration.class, LockedMethodsConfiguration.class, LockTransactionConfiguration.class,
		ReactiveLocksConfiguration.class, LockMetricsConfiguration.class, LockConfiguration.OptionalModules.class })
public class LockConfiguration {

	@Bean
	@ConditionalOnBeans(missing = LockSettings.class)
	static LockSettings distributedLockSettings(ObjectProvider<EngineSettings> engine, Environment environment) {
		return LockSettings.of(engine.getIfAvailable(() -> EngineSettings.of(InstanceName.derive(environment))));
	}

	/**
	 * By name, as modules know this configuration, and not the other way round.
	 */
	static final class OptionalModules implements ImportSelector {

		@Override
		public String[] selectImports(AnnotationMetadata importing) {
			return Stream
				.of("io.distributedlock.fencing.configuration.internal.LockFencingConfiguration",
						"io.distributedlock.leadership.configuration.internal.LeadershipConfiguration",
						"io.distributedlock.leadership.configuration.internal.LeadershipMetricsConfiguration")
				.filter((name) -> ClassUtils.isPresent(name, getClass().getClassLoader()))
				.toArray(String[]::new);
		}

	}

	/**
	 * Only where Spring MVC is set up, as by {@code @EnableWebMvc}.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBeans(RequestMappingHandlerAdapter.class)
	@Import(LockWebMvcConfiguration.class)
	static class WithWebMvc {

	}

	/**
	 * Only where Spring WebFlux is set up, as by {@code @EnableWebFlux}.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBeans(DispatcherHandler.class)
	@Import(LockWebFluxConfiguration.class)
	static class WithWebFlux {

	}

}
