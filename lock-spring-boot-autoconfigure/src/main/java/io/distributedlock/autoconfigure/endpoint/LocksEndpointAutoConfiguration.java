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

import java.time.InstantSource;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.distributedlock.LockInspector;
import io.distributedlock.LockService;
import io.distributedlock.actuate.endpoint.LeadingContributor;
import io.distributedlock.actuate.endpoint.LocksEndpoint;
import io.distributedlock.actuate.endpoint.LocksEndpointWebExtension;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.DistributedLockProperties;
import io.distributedlock.autoconfigure.LockAnnotationAutoConfiguration;
import io.distributedlock.autoconfigure.internal.SettingOrigin;
import io.distributedlock.configuration.internal.LockStoreCheck;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.internal.DeclaredJobs;
import io.distributedlock.internal.DeclaredLock;
import io.distributedlock.internal.DeclaredLocks;
import io.distributedlock.internal.ModuleVersion;
import io.distributedlock.internal.Printable;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreReport;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

/**
 * {@linkplain AutoConfiguration Auto-configuration} of the actuator endpoint of locks,
 * and of their health.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = { DistributedLockAutoConfiguration.class, LockAnnotationAutoConfiguration.class },
		afterName = "org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration")
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnBean(LockService.class)
@EnableConfigurationProperties(LocksEndpointAutoConfiguration.LocksEndpointProperties.class)
public final class LocksEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnAvailableEndpoint
	LocksEndpoint distributedLockEndpoint(ObjectProvider<LockService> service, ObjectProvider<LockInspector> inspector,
			ObjectProvider<LockStore> store, ObjectProvider<Supplier<StoreReport>> check,
			ObjectProvider<DeclaredLocks> declaredLocks, ObjectProvider<LeadingContributor> leading,
			ObjectProvider<DeclaredJobs> jobs, ApplicationEventPublisher publisher, LocksEndpointProperties properties,
			ObjectProvider<DistributedLockProperties> settings, Environment environment) {
		return new LocksEndpoint(
				SingletonSupplier.of(() -> sources(service, inspector, store, check, settings, environment)),
				new AllDeclaredLocks(declaredLocks),
				() -> leading.stream().flatMap((each) -> each.leading().stream()).toList(),
				() -> jobs.stream().flatMap((each) -> each.jobs().stream()).toList(), InstantSource.system(), publisher,
				properties.showValues());
	}

	private static LocksEndpoint.Sources sources(ObjectProvider<LockService> services,
			ObjectProvider<LockInspector> inspector, ObjectProvider<LockStore> store,
			ObjectProvider<Supplier<StoreReport>> check, ObjectProvider<DistributedLockProperties> settings,
			Environment environment) {
		LockService service = services.getObject();
		String instance = (service instanceof DefaultLockService locks) ? locks.instanceId() : null;
		return new LocksEndpoint.Sources(service, inspector.getIfAvailable(), store.stream().findFirst().orElse(null),
				() -> check.stream().findFirst().map(Supplier::get).orElse(StoreReport.EMPTY), instance,
				settings.stream()
					.findFirst()
					.map((properties) -> prescribed(properties, environment))
					.orElseGet(Map::of));
	}

	private static Map<String, String> prescribed(DistributedLockProperties properties, Environment environment) {
		Map<String, String> prescribed = new LinkedHashMap<>();
		String version = ModuleVersion.current();
		if (version != null) {
			prescribed.put("version", version);
		}
		prescribed.put("check", properties.check().name().toLowerCase(Locale.ROOT));
		prescribed.put("checkSource", sourceOf("distributed-lock.check", environment));
		prescribed.put("validation", properties.validation().name().toLowerCase(Locale.ROOT));
		prescribed.put("validationSource", sourceOf("distributed-lock.validation", environment));
		prescribed.put("keyPrefix", properties.keyPrefix());
		prescribed.put("keyPrefixSource", sourceOf("distributed-lock.key-prefix", environment));
		Duration limit = properties.annotation().maxHoldLimit();
		if (limit != null) {
			prescribed.put("maxHoldLimit", Printable.of(limit));
			prescribed.put("maxHoldLimitSource", sourceOf("distributed-lock.annotation.max-hold-limit", environment));
		}
		return prescribed;
	}

	/**
	 * Such as a file with the line, or an environment variable.
	 */
	private static String sourceOf(String property, Environment environment) {
		ConfigurationProperty found = SettingOrigin.property(property, environment);
		if (found == null) {
			return "default";
		}
		return (found.getOrigin() != null) ? Printable.of(found.getOrigin().toString()) : "unknown";
	}

	/**
	 * Operators leave the queues in which they wait while there still are connections.
	 */
	@Bean
	@ConditionalOnBean(LocksEndpoint.class)
	ApplicationListener<ContextClosedEvent> distributedLockEndpointCloser(LocksEndpoint endpoint,
			ApplicationContext context) {
		return (event) -> {
			if (event.getApplicationContext() == context) {
				endpoint.close();
			}
		};
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(LocksEndpoint.class)
	@ConditionalOnAvailableEndpoint(endpoint = LocksEndpoint.class, exposure = EndpointExposure.WEB)
	LocksEndpointWebExtension distributedLockEndpointWebExtension(LocksEndpoint endpoint,
			LocksEndpointProperties properties) {
		return new LocksEndpointWebExtension(endpoint, properties.showValues(), properties.roles());
	}

	/**
	 * Off unless somebody wants it, because a platform may stop sending requests to an
	 * application that could answer most of them without locks.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(HealthIndicator.class)
	@ConditionalOnBooleanProperty("management.health.distributed-lock.enabled")
	@ConditionalOnBean(LockStoreCheck.class)
	static class LockHealthConfiguration {

		@Bean
		@ConditionalOnMissingBean(name = "distributedLockHealthIndicator")
		HealthIndicator distributedLockHealthIndicator(LockStoreCheck check) {
			return new LockHealthIndicator(check);
		}

	}

	/**
	 * Those of all registries.
	 */
	private record AllDeclaredLocks(ObjectProvider<DeclaredLocks> registries) implements DeclaredLocks {

		@Override
		public List<DeclaredLock> declared() {
			return this.registries.stream().flatMap((locks) -> locks.declared().stream()).toList();
		}

		@Override
		public List<Finding> reported() {
			return this.registries.stream().flatMap((locks) -> locks.reported().stream()).toList();
		}

		@Override
		public List<String> suppressed() {
			return this.registries.stream()
				.flatMap((locks) -> locks.suppressed().stream())
				.distinct()
				.sorted()
				.toList();
		}

	}

	/**
	 * Settings of the actuator endpoint of locks.
	 *
	 * @param showValues When to show the names of locks, and the operators that hold
	 * them, which may contain personal or business identifiers.
	 * @param roles Roles that are authorized to see the names of locks. When empty, all
	 * authenticated users are authorized.
	 */
	@ConfigurationProperties("management.endpoint.locks")
	record LocksEndpointProperties(@DefaultValue("always") Show showValues, @DefaultValue Set<String> roles) {

	}

}
