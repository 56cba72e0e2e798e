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

package io.distributedlock.observation;

import io.distributedlock.LockEvent;
import io.distributedlock.observation.LockObservationDocumentation.LowCardinalityKeyNames;
import io.micrometer.common.KeyValues;

/**
 * Default {@link LockAcquireObservationConvention}.
 *
 * @since 0.1.0
 */
public class DefaultLockAcquireObservationConvention implements LockAcquireObservationConvention {

	private static final String NAME = "distributed.lock.acquire";

	private final boolean includesName;

	/**
	 * Create a convention without key values of high cardinality.
	 */
	public DefaultLockAcquireObservationConvention() {
		this(false);
	}

	private DefaultLockAcquireObservationConvention(boolean includesName) {
		this.includesName = includesName;
	}

	/**
	 * Create a convention with the evaluated name of the lock, its holder and the fencing
	 * token.
	 * @return the convention
	 */
	public static DefaultLockAcquireObservationConvention includingName() {
		return new DefaultLockAcquireObservationConvention(true);
	}

	@Override
	public String getName() {
		return NAME;
	}

	@Override
	public String getContextualName(LockAcquireObservationContext context) {
		return "acquire lock " + context.getDeclaredName();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LockAcquireObservationContext context) {
		LockEvent.Reason refusal = context.getRefusal();
		return KeyValues.of(LowCardinalityKeyNames.LOCK_NAME.withValue(context.getDeclaredName()),
				LowCardinalityKeyNames.OUTCOME
					.withValue((refusal != null) ? LockKeyValues.value(refusal) : "acquired"));
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LockAcquireObservationContext context) {
		return this.includesName ? LockKeyValues.highCardinality(context) : KeyValues.empty();
	}

}
