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

package io.distributedlock.test;

import java.util.List;
import java.util.stream.Collectors;

import io.distributedlock.annotation.LockFinding;
import io.distributedlock.annotation.LockValidationException;
import io.distributedlock.annotation.LockedMethodRegistry;
import org.assertj.core.api.AbstractAssert;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.boot.test.context.assertj.ApplicationContextAssertProvider;
import org.springframework.context.ApplicationContext;

/**
 * Assertions about the locks of an application context: that of a {@code @SpringBootTest}
 * or that of an {@code ApplicationContextRunner}.
 *
 * @since 1.0.0
 */
public final class LockedContextAssert extends AbstractAssert<LockedContextAssert, ApplicationContext> {

	private LockedContextAssert(ApplicationContext actual) {
		super(actual, LockedContextAssert.class);
	}

	/**
	 * Create assertions about a context. Call it with the name of this class where
	 * AssertJ's own {@code assertThat} is imported as well.
	 * @param context the context
	 * @return the assertions
	 */
	public static LockedContextAssert assertThat(ApplicationContext context) {
		return new LockedContextAssert(context);
	}

	/**
	 * Verify that the report at start-up, and what was found since, has neither a warning
	 * nor an error about a locked method. Fails as well if nothing was validated.
	 * @return this
	 */
	public LockedContextAssert hasNoLockWarnings() {
		isNotNull();
		Throwable failure = (this.actual instanceof ApplicationContextAssertProvider<?> started)
				? started.getStartupFailure() : null;
		List<LockFinding> findings = (failure != null) ? findingsOf(failure) : findings();
		if (!findings.isEmpty()) {
			throw failure("Expected no warnings about locks, but there %s:%n%s",
					(findings.size() == 1) ? "is one" : "are " + findings.size(),
					findings.stream()
						.map((finding) -> "- %s: %s".formatted(finding.severity(), finding))
						.collect(Collectors.joining(System.lineSeparator())));
		}
		return this;
	}

	private List<LockFinding> findingsOf(Throwable startupFailure) {
		for (Throwable cause = startupFailure; cause != null; cause = cause.getCause()) {
			if (cause instanceof LockValidationException refused) {
				return refused.getFindings();
			}
		}
		AssertionError error = failure("Expected no warnings about locks, but the context did not start: %s",
				startupFailure);
		error.initCause(startupFailure);
		throw error;
	}

	private List<LockFinding> findings() {
		List<LockedMethodRegistry> registries = List
			.copyOf(BeanFactoryUtils.beansOfTypeIncludingAncestors(this.actual, LockedMethodRegistry.class, true, false)
				.values());
		if (registries.isEmpty()) {
			throw failure(
					"Expected no warnings about locks, but nothing applies annotations in this context, so nothing was checked. Use the whole application, or @AutoConfigureDistributedLock.");
		}
		return registries.stream().flatMap((registry) -> findings(registry).stream()).toList();
	}

	private List<LockFinding> findings(LockedMethodRegistry registry) {
		try {
			return registry.findings();
		}
		catch (IllegalStateException ex) {
			throw failure("Expected no warnings about locks, but nothing was checked. %s", ex.getMessage());
		}
	}

}
