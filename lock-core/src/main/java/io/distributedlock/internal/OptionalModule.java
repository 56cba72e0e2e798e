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

package io.distributedlock.internal;

import java.util.Objects;

/**
 * A module that an application adds for a feature. Where the feature is asked for without
 * the module, the start ends with the dependency to add.
 */
public enum OptionalModule {

	/**
	 * Leader election.
	 */
	LEADERSHIP("lock-leadership", "io.distributedlock.leadership.LeaderElection"),

	/**
	 * Fenced transactions.
	 */
	FENCING("lock-fencing", "io.distributedlock.fencing.Fences");

	private final String artifact;

	private final String className;

	OptionalModule(String artifact, String className) {
		this.artifact = artifact;
		this.className = className;
	}

	/**
	 * Return the artifact, which is also the name of the module for people.
	 */
	public String artifact() {
		return this.artifact;
	}

	/**
	 * Return whether the module is on the class path. Loads one of its classes, which
	 * initializes nothing.
	 */
	public boolean isPresent() {
		try {
			Class.forName(this.className, false, OptionalModule.class.getClassLoader());
			return true;
		}
		catch (ClassNotFoundException | LinkageError ex) {
			return false;
		}
	}

	/**
	 * Return how to add the module: sentences for a report.
	 */
	public String action() {
		return ("Add the dependency io.distributedlock:%1$s, in the version of the other modules. Maven: "
				+ "<dependency><groupId>io.distributedlock</groupId><artifactId>%1$s</artifactId><version>%2$s</version></dependency>. "
				+ "Gradle: implementation(\"io.distributedlock:%1$s:%2$s\").")
			.formatted(this.artifact, Objects.requireNonNullElse(ModuleVersion.current(), "…"));
	}

}
