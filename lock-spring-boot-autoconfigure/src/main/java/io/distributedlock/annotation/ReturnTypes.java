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

package io.distributedlock.annotation;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/**
 * What the return type of a method says about how it runs.
 */
final class ReturnTypes {

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Mono",
			ReturnTypes.class.getClassLoader());

	private ReturnTypes() {
	}

	/**
	 * Return the adapter of a reactive type.
	 * @param type the return type
	 * @return the adapter, or {@code null} if the type is not reactive or Reactor is
	 * absent
	 */
	static @Nullable ReactiveAdapter reactiveAdapterFor(Class<?> type) {
		if (!REACTOR || type == Object.class) {
			return null;
		}
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		return (adapter != null && !adapter.getDescriptor().isDeferred()) ? null : adapter;
	}

}
