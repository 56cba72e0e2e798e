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

import java.util.Locale;

import io.distributedlock.internal.Printable;
import io.distributedlock.observation.LockObservationDocumentation.HighCardinalityKeyNames;
import io.micrometer.common.KeyValues;

/**
 * The key values that the default conventions have in common.
 */
final class LockKeyValues {

	private LockKeyValues() {
	}

	static KeyValues highCardinality(LockObservationContext context) {
		String holder = context.getHolder();
		Long token = context.getFencingToken();
		return KeyValues.of(HighCardinalityKeyNames.EVALUATED_NAME.withValue(Printable.of(context.getLockName())),
				HighCardinalityKeyNames.HOLDER.withValue((holder != null) ? Printable.of(holder) : "unknown"),
				HighCardinalityKeyNames.FENCING_TOKEN.withValue((token != null) ? token.toString() : "none"));
	}

	static String value(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT);
	}

}
