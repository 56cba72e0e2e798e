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

package io.distributedlock.configuration.internal;

import java.time.Duration;

import io.distributedlock.annotation.DistributedLockAdvisor;
import io.distributedlock.annotation.LockValidation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;

/**
 * The settings of the application for annotated methods. Created with the advisors, so it
 * must need neither another bean nor a proxy.
 *
 * @param order the order of the locks among other advice
 * @param maxHoldLimit the longest time for which a method may hold its lock, or
 * {@code null} for no limit
 */
public record LockedMethodSettings(LockValidation validation, int order,
		@Nullable Duration maxHoldLimit) implements AopInfrastructureBean {

	/**
	 * What applies if the application says nothing.
	 */
	public static final LockedMethodSettings DEFAULTS = new LockedMethodSettings(LockValidation.FAIL,
			DistributedLockAdvisor.DEFAULT_ORDER, null);

}
