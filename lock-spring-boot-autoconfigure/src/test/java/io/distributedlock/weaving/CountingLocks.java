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

package io.distributedlock.weaving;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockService;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.memory.InMemoryLockStore;

/**
 * Remembers every acquisition. Re-entry is none of its business, so it sees a lock that
 * is taken twice by one call.
 */
class CountingLocks {

	private final List<String> acquired = new CopyOnWriteArrayList<>();

	private final List<String> busy = new CopyOnWriteArrayList<>();

	LockService service() {
		LockService granting = new DefaultLockService(new InMemoryLockStore(), EngineSettings.of("here"), List.of());
		return (LockService) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { LockService.class },
				(proxy, method, arguments) -> {
					if (method.getName().startsWith("acquire")) {
						String name = String.valueOf(arguments[0]);
						this.acquired.add(name);
						if (this.busy.contains(name)) {
							throw new LockNotAcquiredException(name, Duration.ZERO, null);
						}
					}
					try {
						return method.invoke(granting, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

	void refuse(String name) {
		this.busy.add(name);
	}

	List<String> take() {
		List<String> taken = new ArrayList<>(this.acquired);
		this.acquired.clear();
		return taken;
	}

}
