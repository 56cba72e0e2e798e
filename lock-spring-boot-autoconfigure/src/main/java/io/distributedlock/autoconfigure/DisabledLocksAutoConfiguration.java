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

import java.util.LinkedHashMap;
import java.util.Map;

import io.distributedlock.annotation.LockValidation;
import io.distributedlock.annotation.LockedMethodRegistry;
import io.distributedlock.autoconfigure.internal.ConditionalOnLockSwitch;
import io.distributedlock.autoconfigure.internal.LockStartupException;
import io.distributedlock.autoconfigure.internal.LockSwitch;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

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

	/**
	 * Log a warning, and let methods woven by AspectJ also run without locks.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@Lazy(false)
	static DisposableBean distributedLockWovenMethodsUnlocked(Environment environment) {
		String property = (LockSwitch.LOCKS.isOn(environment) ? LockSwitch.ANNOTATION : LockSwitch.LOCKS).property();
		String problem = "methods with a lock annotation run without a lock, and jobs on every instance.";
		if (isStrict(environment)) {
			Map<String, @Nullable Object> settings = new LinkedHashMap<>();
			settings.put(property, environment.getProperty(property));
			settings.put("distributed-lock.validation", "strict");
			throw LockStartupException.ofSettings("If locks are switched off, " + problem, settings,
					"Remove %s, or set distributed-lock.validation to 'fail'.".formatted(property), null);
		}
		logger.warn(property + " is false: " + problem);
		return LockedMethodRegistry.withoutLocks();
	}

	private static boolean isStrict(Environment environment) {
		try {
			return Binder.get(environment)
				.bind("distributed-lock.validation", LockValidation.class)
				.orElse(LockValidation.FAIL) == LockValidation.STRICT;
		}
		catch (BindException ex) {
			throw LockSettingsCheck.explained(ex, environment);
		}
	}

	/**
	 * Matches unless {@link LockAnnotationAutoConfiguration} is switched on.
	 */
	static final class OnSwitchedOff extends NoneNestedConditions {

		OnSwitchedOff() {
			super(ConfigurationPhase.PARSE_CONFIGURATION);
		}

		@ConditionalOnLockSwitch({ LockSwitch.LOCKS, LockSwitch.ANNOTATION })
		static final class SwitchedOn {

		}

	}

}
