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

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * Documented {@link KeyName key values} of the observations of locks.
 *
 * @since 0.1.0
 */
public enum LockObservationDocumentation implements ObservationDocumentation {

	/**
	 * Observation of the acquisition of a lock, from the call to its answer.
	 */
	ACQUIRE(DefaultLockAcquireObservationConvention.class, LowCardinalityKeyNames.LOCK_NAME,
			LowCardinalityKeyNames.OUTCOME),

	/**
	 * Observation of the hold of a lock, from the grant to its release or loss.
	 */
	HOLD(DefaultLockHoldObservationConvention.class, LowCardinalityKeyNames.values());

	private final Class<? extends ObservationConvention<? extends Observation.Context>> defaultConvention;

	private final KeyName[] lowCardinalityKeyNames;

	LockObservationDocumentation(Class<? extends ObservationConvention<? extends Observation.Context>> convention,
			KeyName... lowCardinalityKeyNames) {
		this.defaultConvention = convention;
		this.lowCardinalityKeyNames = lowCardinalityKeyNames;
	}

	@Override
	public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
		return this.defaultConvention;
	}

	@Override
	public KeyName[] getLowCardinalityKeyNames() {
		return this.lowCardinalityKeyNames.clone();
	}

	@Override
	public KeyName[] getHighCardinalityKeyNames() {
		return HighCardinalityKeyNames.values();
	}

	/**
	 * Key names with few values.
	 */
	public enum LowCardinalityKeyNames implements KeyName {

		/**
		 * Declared name of the lock: its literal name, or class and method.
		 */
		LOCK_NAME("lock.name"),

		/**
		 * Outcome. For an acquisition {@code "acquired"}, {@code "busy"},
		 * {@code "interrupted"} or {@code "unavailable"}; for a hold {@code "released"}
		 * or {@code "lost"}, and {@code "held"} while it lasts.
		 */
		OUTCOME("outcome"),

		/**
		 * Likely cause of the loss of a lock, {@code "none"} if it was not lost.
		 */
		CAUSE("cause");

		private final String key;

		LowCardinalityKeyNames(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

	/**
	 * Key names with any number of values. Present only with
	 * {@code distributed-lock.observations.include-name}.
	 */
	public enum HighCardinalityKeyNames implements KeyName {

		/**
		 * Name of the lock.
		 */
		EVALUATED_NAME("lock.evaluated-name"),

		/**
		 * Who holds the lock: a thread of this instance, {@code "async"}, or another
		 * holder; {@code "unknown"} if that is not known.
		 */
		HOLDER("lock.holder"),

		/**
		 * Fencing token of the hold, {@code "none"} if the lock was not acquired.
		 */
		FENCING_TOKEN("lock.fencing-token");

		private final String key;

		HighCardinalityKeyNames(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

		@Override
		public boolean isRequired() {
			return false;
		}

	}

}
