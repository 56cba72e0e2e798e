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

import java.util.function.Supplier;

import io.micrometer.observation.ObservationRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Provides the observation registry once all other singletons exist, when listeners get
 * their first event: the lock service may be needed before the registry, or by what the
 * registry needs. Nothing is observed before.
 */
final class CurrentObservationRegistry implements Supplier<ObservationRegistry>, SmartInitializingSingleton {

	private final ObjectProvider<ObservationRegistry> beans;

	private volatile ObservationRegistry registry = ObservationRegistry.NOOP;

	CurrentObservationRegistry(ObjectProvider<ObservationRegistry> beans) {
		this.beans = beans;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.registry = this.beans.getIfAvailable(() -> ObservationRegistry.NOOP);
	}

	@Override
	public ObservationRegistry get() {
		return this.registry;
	}

}
