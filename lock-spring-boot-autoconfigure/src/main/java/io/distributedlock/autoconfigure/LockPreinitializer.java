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

import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import io.distributedlock.annotation.DistributedLockAdvisor;
import io.distributedlock.annotation.LockValidation;
import io.distributedlock.annotation.LockedMethodRegistry;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.store.LockStore;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.boot.context.properties.bind.Binder;

/**
 * Loads the classes of locks in the background while the application starts. It creates
 * the objects of the auto-configuration in the same order, and discards them: nothing
 * connects, and no property of the application is read. No client of Redis is touched,
 * because its classes belong to another library. No class is loaded that AspectJ may
 * still have to weave.
 */
final class LockPreinitializer implements BackgroundPreinitializer {

	@Override
	public void preinitialize() {
		createAdvisors(new DefaultListableBeanFactory());
		new ConfiguredLockOptions(new Binder().bindOrCreate(KnownProperties.PREFIX, DistributedLockProperties.class));
		try (LockStore store = new InMemoryLockStore();
				DefaultLockService service = new DefaultLockService(store, EngineSettings.of("preinitialization"),
						List.of())) {
			service.held();
		}
	}

	private static void createAdvisors(DefaultListableBeanFactory beanFactory) {
		LockedMethodRegistry registry = new LockedMethodRegistry(beanFactory,
				beanFactory.getBeanProvider(LockService.class),
				beanFactory.getBeanProvider(LockOptionsCustomizer.class));
		registry.setValidation(LockValidation.FAIL);
		new DistributedLockAdvisor(registry);
		registry.afterSingletonsInstantiated();
	}

}
