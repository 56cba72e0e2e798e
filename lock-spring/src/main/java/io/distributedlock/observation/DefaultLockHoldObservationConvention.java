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

import io.distributedlock.LossCause;
import io.distributedlock.observation.LockObservationDocumentation.LowCardinalityKeyNames;
import io.micrometer.common.KeyValues;

/**
 * Default {@link LockHoldObservationConvention}.
 *
 * @since 0.1.0
 */
public class DefaultLockHoldObservationConvention implements LockHoldObservationConvention {

	private static final String NAME = "distributed.lock.hold";

	private final boolean includesName;

	/**
	 * Create a convention without key values of high cardinality.
	 */
	public DefaultLockHoldObservationConvention() {
		this(false);
	}

	private DefaultLockHoldObservationConvention(boolean includesName) {
		this.includesName = includesName;
	}

	/**
	 * Create a convention with the evaluated name of the lock, its holder and the fencing
	 * token.
	 * @return the convention
	 */
	public static DefaultLockHoldObservationConvention includingName() {
		return new DefaultLockHoldObservationConvention(true);
	}

	@Override
	public String getName() {
		return NAME;
	}

	@Override
	public String getContextualName(LockHoldObservationContext context) {
		return "hold lock " + context.getDeclaredName();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LockHoldObservationContext context) {
		LossCause cause = context.getLossCause();
		return KeyValues.of(LowCardinalityKeyNames.LOCK_NAME.withValue(context.getDeclaredName()),
				LowCardinalityKeyNames.OUTCOME
					.withValue((cause != null) ? "lost" : context.isEnded() ? "released" : "held"),
				LowCardinalityKeyNames.CAUSE.withValue((cause != null) ? LockKeyValues.value(cause) : "none"));
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LockHoldObservationContext context) {
		return this.includesName ? LockKeyValues.highCardinality(context) : KeyValues.empty();
	}

}
