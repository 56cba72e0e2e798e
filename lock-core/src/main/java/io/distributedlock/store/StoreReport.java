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

package io.distributedlock.store;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The result of the check of a lock store.
 *
 * @param version the product and its version, such as {@code Redis 7.0.15}, or
 * {@code null} if unknown
 * @param findings the problems that prevent locks from working or weaken a guarantee
 * @param unchecked what could not be checked, why, and what to do about it, or
 * {@code null} if everything was; sentences
 * @since 0.1.0
 */
public record StoreReport(@Nullable String version, List<Finding> findings, @Nullable String unchecked) {

	/** For a store that has nothing to check. */
	public static final StoreReport EMPTY = new StoreReport(null, List.of());

	/**
	 * Copy the findings.
	 */
	public StoreReport {
		findings = List.copyOf(findings);
	}

	/**
	 * Create a report of a store of which everything was checked.
	 * @param version the product and its version, or {@code null} if unknown
	 * @param findings the problems
	 */
	public StoreReport(@Nullable String version, List<Finding> findings) {
		this(version, findings, null);
	}

	/**
	 * A problem that requires an action.
	 *
	 * @param severity how bad it is
	 * @param problem what was found, and what can happen; sentences
	 * @param action what to do about it; sentences
	 */
	public record Finding(Severity severity, String problem, String action) {
	}

	/**
	 * How bad a finding is.
	 */
	public enum Severity {

		/**
		 * Locks do not work.
		 */
		ERROR,

		/**
		 * Locks do not work at present, and will without a change of the application,
		 * such as when the store has memory or replicas again.
		 */
		OUTAGE,

		/**
		 * Locks work, but a guarantee can fail.
		 */
		WARNING

	}

}
