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

package io.distributedlock.engine.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/**
 * Silences what the engine logs about losses, of which a simulation has thousands.
 */
final class Quiet {

	private Quiet() {
	}

	static void logs() {
		logger().setLevel(Level.OFF);
	}

	/** Other tests of the same JVM read the log. */
	static void end() {
		logger().setLevel(null);
	}

	private static Logger logger() {
		return (Logger) LoggerFactory.getLogger("io.distributedlock.engine");
	}

}
