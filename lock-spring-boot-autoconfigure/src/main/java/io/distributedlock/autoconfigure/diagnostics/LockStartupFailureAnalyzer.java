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

package io.distributedlock.autoconfigure.diagnostics;

import io.distributedlock.autoconfigure.internal.LockStartupException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports why an application with locks cannot start.
 */
final class LockStartupFailureAnalyzer extends AbstractFailureAnalyzer<LockStartupException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockStartupException cause) {
		return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.getAction(), rootFailure);
	}

}
