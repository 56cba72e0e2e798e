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

package io.distributedlock.autoconfigure;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.distributedlock.annotation.LockFinding;
import io.distributedlock.annotation.LockFinding.Severity;
import io.distributedlock.annotation.LockValidationException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Lists all lock annotations that cannot work.
 */
final class LockValidationFailureAnalyzer extends AbstractFailureAnalyzer<LockValidationException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockValidationException cause) {
		List<LockFinding> findings = cause.getFindings();
		String description = IntStream.range(0, findings.size())
			.mapToObj((index) -> describe(index + 1, findings.get(index)))
			.collect(Collectors.joining("%n%n".formatted(), headline(findings) + "%n%n".formatted(), ""));
		return new FailureAnalysis(description,
				"Correct the problems listed above. To start nevertheless, set distributed-lock.validation to 'warn': methods "
						+ "whose annotation cannot be understood then throw when they are called, and methods that no "
						+ "proxy intercepts run without their locks. A bean of a final class with locks cannot be created in any case.",
				rootFailure);
	}

	private static String headline(List<LockFinding> findings) {
		long errors = findings.stream().filter((finding) -> finding.severity() == Severity.ERROR).count();
		long warnings = findings.size() - errors;
		return "Lock annotations cannot work (" + number(errors, "error")
				+ ((warnings > 0) ? ", " + number(warnings, "warning") : "") + "):";
	}

	private static String number(long count, String noun) {
		return count + " " + noun + ((count == 1) ? "" : "s");
	}

	private static String describe(int number, LockFinding finding) {
		return """
				%d. %s%s
				   Found:  %s
				   Fix:    %s""".formatted(number, finding.location(),
				(finding.severity() == Severity.WARNING) ? " (a warning)" : "", finding.problem(), finding.action());
	}

}
