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

import io.distributedlock.LockService;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Explains why there is no lock service for an annotated method or an injection point.
 * Ordered before the general analyzer for a missing bean.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class MissingLockServiceFailureAnalyzer extends AbstractFailureAnalyzer<NoSuchBeanDefinitionException> {

	private final Environment environment;

	MissingLockServiceFailureAnalyzer(Environment environment) {
		this.environment = environment;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause) {
		if (cause.getBeanType() != LockService.class || cause.getNumberOfBeansFound() > 0) {
			return null;
		}
		if (!this.environment.getProperty("distributed-lock.enabled", Boolean.class, true)) {
			return analysis("distributed-lock.enabled is false.",
					"Remove the property, or what needs the lock service. For tests, set distributed-lock.provider to "
							+ "'in-memory' or 'none' instead.",
					rootFailure);
		}
		if (!ClassUtils.isPresent("org.springframework.data.redis.connection.RedisConnectionFactory",
				getClass().getClassLoader())) {
			return analysis("Spring Data Redis is not on the class path.",
					"Add the dependency spring-boot-starter-data-redis, set distributed-lock.provider to 'in-memory' if "
							+ "there is only one instance, or define a LockStore bean.",
					rootFailure);
		}
		return analysis("its auto-configuration was excluded or backed off.",
				"Do not exclude DistributedLockAutoConfiguration, or define a LockService bean. The condition report (--debug) "
						+ "tells more.",
				rootFailure);
	}

	private static FailureAnalysis analysis(String reason, String action, Throwable rootFailure) {
		return new FailureAnalysis(
				"A lock service is needed, by a method with a lock annotation or where a LockService is injected, but there is none: "
						+ reason,
				action, rootFailure);
	}

}
