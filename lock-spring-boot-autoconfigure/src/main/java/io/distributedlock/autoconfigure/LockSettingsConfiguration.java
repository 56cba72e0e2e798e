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

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import io.distributedlock.annotation.LockValidationException;
import io.distributedlock.annotation.internal.AnnotatedBeans;
import io.distributedlock.autoconfigure.DistributedLockProperties.Provider;
import io.distributedlock.autoconfigure.internal.LockStartupException;
import io.distributedlock.configuration.internal.InstanceName;
import io.distributedlock.configuration.internal.LockSettings;
import io.distributedlock.configuration.internal.LockStoreCheck;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.internal.DeclaredLocks;
import io.distributedlock.internal.ModuleVersion;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * The configuration that all lock services share: the properties, and the options that
 * they define for locks.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(DistributedLockProperties.class)
final class LockSettingsConfiguration {

	private static final Log logger = LogFactory.getLog(LockSettingsConfiguration.class);

	/**
	 * Where the properties are not, although they might be.
	 */
	static final List<ConfigurationPropertyName> OTHER_ROOTS = Stream
		.of("distributed-locks", "distributed.lock", "spring.distributed-lock", "spring.distributed.lock")
		.map(ConfigurationPropertyName::of)
		.toList();

	private final boolean anythingSet;

	/**
	 * Check the version of Spring Boot, and the properties before they are bound.
	 */
	LockSettingsConfiguration(ConfigurableEnvironment environment, ObjectProvider<AnnotatedBeans> annotated) {
		SupportedSpringBoot.check();
		ModuleVersion.check(LockSettingsConfiguration.class, "lock-spring-boot-autoconfigure");
		this.anythingSet = isAnythingSet(environment);
		if (this.anythingSet) {
			try {
				new LockSettingsCheck(environment).check();
			}
			catch (LockStartupException ex) {
				addMistakesOfAnnotations(annotated, ex);
				throw ex;
			}
		}
	}

	/**
	 * Otherwise the next start would tell them.
	 */
	private static void addMistakesOfAnnotations(ObjectProvider<AnnotatedBeans> annotated,
			LockStartupException refused) {
		try {
			annotated.forEach(AnnotatedBeans::validateAheadOfTime);
		}
		catch (LockValidationException ex) {
			refused.addSuppressed(ex);
		}
		catch (RuntimeException ex) {
			logger.debug("The annotations were not looked at", ex);
		}
	}

	/**
	 * Most applications start with the defaults, and should start fast.
	 */
	private static boolean isAnythingSet(ConfigurableEnvironment environment) {
		ConfigurationPropertyName root = ConfigurationPropertyName.of(KnownProperties.PREFIX);
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			if (isAnythingIn(root, source) || OTHER_ROOTS.stream().anyMatch((other) -> isAnythingIn(other, source))) {
				return true;
			}
		}
		return false;
	}

	private static boolean isAnythingIn(ConfigurationPropertyName root, ConfigurationPropertySource source) {
		return source.containsDescendantOf(root) != ConfigurationPropertyState.ABSENT
				|| source.getConfigurationProperty(root) != null;
	}

	@Bean
	ConfiguredLockOptions distributedLockOptions(DistributedLockProperties properties) {
		return this.anythingSet ? ConfiguredLockOptions.of(properties) : ConfiguredLockOptions.NONE;
	}

	@Bean
	UnmatchedSettingsReporter distributedLockUnmatchedSettingsReporter(DistributedLockProperties properties,
			ObjectProvider<DeclaredLocks> declaredLocks, ApplicationContext context) {
		return new UnmatchedSettingsReporter(properties, declaredLocks, context);
	}

	@Bean
	LockSettings distributedLockSettings(DistributedLockProperties properties, ConfiguredLockOptions options,
			Environment environment) {
		String instanceName = StringUtils.hasText(properties.instanceName()) ? properties.instanceName()
				: InstanceName.derive(environment);
		EngineSettings standard = EngineSettings.of(instanceName);
		EngineSettings engine = standard.withDefaults(options.defaults())
			.withLocalHandoffs(properties.localHandoffs().count(), standard.handoffWindow())
			.withClosing(properties.release().await() ? EngineSettings.Closing.AWAITS_ANSWER
					: EngineSettings.Closing.RETURNS_WHEN_SENT);
		return new LockSettings(engine, start(properties), properties.logging().mdc(),
				properties.shutdown().gracePeriod(), properties.metrics().maxNames(), properties.web().includeHolder());
	}

	private static LockSettings.Start start(DistributedLockProperties properties) {
		String keys = (properties.provider() == Provider.REDIS)
				? ", keys beginning with '" + properties.keyPrefix() + "'" : "";
		return new LockSettings.Start(LockStoreCheck.Reaction.valueOf(properties.check().name()),
				(problem, instead) -> new LockStartupException(problem,
						"Correct the problems listed above. To start nevertheless, set distributed-lock.check to '%s'."
							.formatted(instead.name().toLowerCase(Locale.ROOT).replace('_', '-')),
						null),
				keys);
	}

}
