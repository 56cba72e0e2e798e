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

import java.util.List;
import java.util.stream.Collectors;

/**
 * Thrown when annotations cannot work. Contains all findings in the application.
 *
 * @since 0.1.0
 */
public final class LockValidationException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final LockFinding[] findings;

	public LockValidationException(List<LockFinding> findings) {
		super(findings.stream().map(LockFinding::toString).collect(Collectors.joining(System.lineSeparator())));
		this.findings = findings.toArray(LockFinding[]::new);
	}

	/**
	 * Return the findings of the validation.
	 * @return the findings, errors first
	 */
	public List<LockFinding> getFindings() {
		return List.of(this.findings);
	}

}
