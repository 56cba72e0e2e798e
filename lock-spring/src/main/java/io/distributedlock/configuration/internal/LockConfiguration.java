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

import java.util.LinkedHashMap;
import java.util.Map;

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
 * All configurations whose libraries are present, for an application without Spring Boot,
 * in the order in which their conditions have to be evaluated.
 */
@Configuration(proxyBeanMethods = false)
@Import({ LockServiceConfiguration.class, LockedMethodsConfiguration.class, LeadershipConfiguration.class,
		LockConfiguration.OfPresentLibraries.class })
public class LockConfiguration {

	@Bean
	@ConditionalOnBeans(missing = LockSettings.class)
	static LockSettings distributedLockSettings(ObjectProvider<EngineSettings> engine, Environment environment) {
		return LockSettings.of(engine.getIfAvailable(() -> EngineSettings.of(InstanceName.derive(environment))));
	}

	static final class OfPresentLibraries implements ImportSelector {

		private static final Map<Class<?>, String> LIBRARIES = new LinkedHashMap<>();

		static {
			LIBRARIES.put(LockTransactionConfiguration.class,
					"org.springframework.transaction.ConfigurableTransactionManager");
			LIBRARIES.put(LockFencingConfiguration.class, "org.springframework.jdbc.core.JdbcTemplate");
			LIBRARIES.put(ReactiveLocksConfiguration.class, "reactor.core.publisher.Mono");
			LIBRARIES.put(LockMetricsConfiguration.class, "io.micrometer.core.instrument.MeterRegistry");
			LIBRARIES.put(WithWebMvc.class, "org.springframework.web.servlet.DispatcherServlet");
			LIBRARIES.put(WithWebFlux.class, "org.springframework.web.reactive.DispatcherHandler");
		}

		@Override
		public String[] selectImports(AnnotationMetadata importing) {
			ClassLoader classLoader = LockConfiguration.class.getClassLoader();
			return LIBRARIES.entrySet()
				.stream()
				.filter((entry) -> ClassUtils.isPresent(entry.getValue(), classLoader))
				.map((entry) -> entry.getKey().getName())
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
