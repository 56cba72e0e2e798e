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

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.distributedlock.autoconfigure.DistributedLockProperties.Provider;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches if distributed locks are kept by the given provider.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Conditional(ConditionalOnLockProvider.OnProvider.class)
@interface ConditionalOnLockProvider {

	/**
	 * The provider.
	 */
	Provider value();

	/**
	 * Compares the configured provider as it is bound, so that every spelling matches
	 * that the property accepts.
	 */
	final class OnProvider extends SpringBootCondition {

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			Provider wanted = metadata.getAnnotations()
				.get(ConditionalOnLockProvider.class)
				.getEnum("value", Provider.class);
			Provider configured = provider(context.getEnvironment());
			return new ConditionOutcome(configured == wanted,
					ConditionMessage.forCondition(ConditionalOnLockProvider.class)
						.because("the provider is " + configured));
		}

		private static Provider provider(Environment environment) {
			try {
				return Binder.get(environment).bind("distributed-lock.provider", Provider.class).orElse(Provider.REDIS);
			}
			catch (BindException ex) {
				throw LockSettingsCheck.explained(ex, environment);
			}
		}

	}

}
