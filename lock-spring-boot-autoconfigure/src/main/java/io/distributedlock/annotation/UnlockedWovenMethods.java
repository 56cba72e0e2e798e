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

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;

/**
 * Lets methods run without their locks, in an application that has switched them off,
 * which AspectJ has woven {@link DistributedLockAspect} into. Without it, and without a
 * {@link DistributedLockAdvisor}, such methods throw an {@link IllegalStateException}.
 *
 * @since 0.1.0
 */
public final class UnlockedWovenMethods implements InitializingBean, DisposableBean {

	private final WovenMethodResolver methods = WovenMethodResolver.unlocked();

	@Override
	public void afterPropertiesSet() {
		this.methods.start();
	}

	@Override
	public void destroy() {
		this.methods.stop();
	}

}
