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

import io.distributedlock.annotation.LockedMethodRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * {@linkplain AutoConfiguration Auto-configuration} that only logs a warning: the lock
 * annotation is disabled, so methods that rely on a lock run without one.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@Conditional(DisabledLocksAutoConfiguration.OnSwitchedOff.class)
public final class DisabledLocksAutoConfiguration {

	private static final Log logger = LogFactory.getLog(DisabledLocksAutoConfiguration.class);

	private static final String[] SWITCHES = { "distributed-lock.enabled", "distributed-lock.annotation.enabled" };

	DisabledLocksAutoConfiguration(Environment environment) {
		boolean enabled = environment.getProperty("distributed-lock.enabled", Boolean.class, true);
		logger.warn((enabled ? "distributed-lock.annotation.enabled" : "distributed-lock.enabled")
				+ " is false: methods annotated with @DistributedLock run without a lock.");
	}

	/**
	 * Let methods that AspectJ has woven run without their locks as well.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@Lazy(false)
	static DisposableBean unlockedWovenMethods() {
		return LockedMethodRegistry.withoutLocks();
	}

	/**
	 * Matches if the annotation is disabled, alone or with all locks.
	 */
	static final class OnSwitchedOff extends SpringBootCondition {

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			ConditionMessage.Builder message = ConditionMessage.forCondition("Disabled locks");
			for (String property : SWITCHES) {
				if ("false".equalsIgnoreCase(context.getEnvironment().getProperty(property))) {
					return ConditionOutcome.match(message.because(property + " is false"));
				}
			}
			return ConditionOutcome.noMatch(message.because("they are enabled"));
		}

	}

}
