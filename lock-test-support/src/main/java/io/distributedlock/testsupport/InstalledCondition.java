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

package io.distributedlock.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * The condition of {@link EnabledIfInstalled}. Adds what it skips to the file that the
 * system property {@code lock.test.skipped} names, which the build prints when it ends.
 */
class InstalledCondition implements ExecutionCondition {

	@Override
	public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
		return AnnotationSupport.findAnnotation(context.getElement(), EnabledIfInstalled.class)
			.map(InstalledCondition::evaluate)
			.orElseGet(() -> ConditionEvaluationResult.enabled("Needs no programs"));
	}

	private static ConditionEvaluationResult evaluate(EnabledIfInstalled needed) {
		OptionalPackage programs = needed.value();
		if (programs.isInstalled()) {
			return ConditionEvaluationResult.enabled(programs + " is installed");
		}
		String skipped = "skipped: %s; apt-get install %s".formatted(needed.tests(), programs.packages());
		record(skipped);
		return ConditionEvaluationResult.disabled(skipped);
	}

	private static void record(String skipped) {
		String file = System.getProperty("lock.test.skipped");
		if (file == null) {
			return;
		}
		Path path = Path.of(file);
		try {
			Files.createDirectories(path.toAbsolutePath().getParent());
			Files.writeString(path, skipped + System.lineSeparator(), StandardOpenOption.CREATE,
					StandardOpenOption.APPEND);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot write what was skipped to " + path, ex);
		}
	}

}
