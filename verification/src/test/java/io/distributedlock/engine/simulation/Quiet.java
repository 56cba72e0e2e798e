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
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * Silences what the engine logs about losses, of which a simulation has thousands. Other
 * tests of the same JVM read the log.
 */
public final class Quiet implements BeforeAllCallback, AfterAllCallback {

	private final Logger logger = (Logger) LoggerFactory.getLogger("io.distributedlock.engine");

	@Override
	public void beforeAll(ExtensionContext context) {
		this.logger.setLevel(Level.OFF);
	}

	@Override
	public void afterAll(ExtensionContext context) {
		this.logger.setLevel(null);
	}

}
