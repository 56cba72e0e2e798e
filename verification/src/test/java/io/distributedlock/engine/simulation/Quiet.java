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

import java.util.List;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import java.util.List;
import java.util.stream.Stream;

import ch.qos.logback.classic.Logger;
import io.distributedlock.annotation.OncePerFireTime;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * Silences what the engine and the jobs log about losses, of which a simulation has
 * thousands. Other tests of the same JVM read the log.
 */
public final class Quiet implements BeforeAllCallback, AfterAllCallback {

	private final List<Logger> loggers = Stream.of("io.distributedlock.engine", OncePerFireTime.class.getName())
		.map((name) -> (Logger) LoggerFactory.getLogger(name))
		.toList();

	@Override
	public void beforeAll(ExtensionContext context) {
		this.loggers.forEach((logger) -> logger.setLevel(Level.OFF));
	}

	@Override
	public void afterAll(ExtensionContext context) {
		this.loggers.forEach((logger) -> logger.setLevel(null));
	}

}
