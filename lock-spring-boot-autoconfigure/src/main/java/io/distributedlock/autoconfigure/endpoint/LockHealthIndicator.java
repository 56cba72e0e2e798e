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

package io.distributedlock.autoconfigure.endpoint;

import java.util.List;

import io.distributedlock.configuration.internal.LockStoreCheck;
import io.distributedlock.store.StoreReport;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Repeats the check at start: {@code DOWN} if locks do not work, otherwise {@code UP},
 * with a warning for each guarantee that can fail.
 */
final class LockHealthIndicator extends AbstractHealthIndicator {

	private final LockStoreCheck check;

	LockHealthIndicator(LockStoreCheck check) {
		this.check = check;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		StoreReport report = this.check.repeat();
		List<String> errors = texts(LockStoreCheck.errors(report));
		List<String> warnings = texts(LockStoreCheck.warnings(report));
		builder.status(errors.isEmpty() ? Status.UP : Status.DOWN);
		if (report.version() != null) {
			builder.withDetail("version", report.version());
		}
		if (!errors.isEmpty()) {
			builder.withDetail("errors", errors);
		}
		if (!warnings.isEmpty()) {
			builder.withDetail("warnings", warnings);
		}
		if (report.unchecked() != null) {
			builder.withDetail("unchecked", report.unchecked());
		}
	}

	private static List<String> texts(List<StoreReport.Finding> findings) {
		return findings.stream().map(LockStoreCheck::text).toList();
	}

}
