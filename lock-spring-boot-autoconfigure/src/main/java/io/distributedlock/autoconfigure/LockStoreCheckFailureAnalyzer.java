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

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains why locks do not work in their store.
 */
final class LockStoreCheckFailureAnalyzer extends AbstractFailureAnalyzer<LockStoreCheckException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockStoreCheckException cause) {
		return new FailureAnalysis("Distributed locks do not work:%n%n%s".formatted(cause.getMessage()),
				"Correct the problems listed above. To start nevertheless, set distributed-lock.redis.check to 'warn'.",
				rootFailure);
	}

}
