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

import java.io.Serializable;

/**
 * Something about a {@link DistributedLock @DistributedLock} or
 * {@link io.distributedlock.leadership.annotation.LeaderOnly @LeaderOnly} that cannot
 * work, or looks like a mistake.
 *
 * @param severity how bad it is
 * @param location class, method and parameter types
 * @param problem the problem: a sentence or two
 * @param action how to solve it: a sentence or two
 * @since 0.1.0
 */
public record LockFinding(Severity severity, String location, String problem, String action) implements Serializable {

	@Override
	public String toString() {
		return this.location + ": " + this.problem + " " + this.action;
	}

	/**
	 * Return the error that an exception reports.
	 * @param definition the definition that cannot work
	 * @return the finding
	 */
	public static LockFinding of(InvalidLockDefinitionException definition) {
		return new LockFinding(Severity.ERROR, definition.getMethod(),
				"%s cannot work. %s".formatted(definition.annotation(), definition.getProblem()),
				definition.getAction());
	}

	/**
	 * How bad a finding is.
	 */
	public enum Severity {

		/**
		 * The annotation would not be applied, or the method would always throw.
		 */
		ERROR,

		/**
		 * The lock is applied, but perhaps not where or when it is expected.
		 */
		WARNING

	}

}
