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

import io.distributedlock.annotation.internal.RegisteredAdvisor;

import org.springframework.core.Ordered;

/**
 * Applies {@link DistributedLock @DistributedLock} to Spring beans: determines which
 * methods have locks, and the order of the lock among other advice. Register it as a bean
 * with {@code ROLE_INFRASTRUCTURE}, together with an auto-proxy creator and the
 * {@link LockedMethodRegistry}, which does the rest.
 *
 * <p>
 * The default order puts the lock inside {@code @Async} and {@code @Retryable} and
 * outside {@code @Transactional} and {@code @Cacheable}.
 *
 * @since 0.1.0
 */
public final class DistributedLockAdvisor extends RegisteredAdvisor {

	private static final long serialVersionUID = 1L;

	/**
	 * The order unless {@linkplain #setOrder(int) set}: {@value}, which is 100 less than
	 * the lowest precedence.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

	/**
	 * Create the advisor.
	 * @param registry the methods that have locks
	 */
	public DistributedLockAdvisor(LockedMethodRegistry registry) {
		super(registry, (method, targetClass) -> registry.source().find(method, targetClass) != null,
				new LockInterceptor(registry.source()));
		setOrder(DEFAULT_ORDER);
		registry.appliedBy(this);
	}

}
