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

import java.lang.reflect.Modifier;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockService;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.InvalidLockDefinitionException;
import io.distributedlock.annotation.LockFinding;
import io.distributedlock.annotation.LockFinding.Severity;
import io.distributedlock.annotation.LockValidationException;
import io.distributedlock.autoconfigure.internal.LockStartupException;
import io.distributedlock.autoconfigure.internal.LockSwitch;
import io.distributedlock.autoconfigure.internal.SettingOrigin;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopConfigException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Reports why an application with locks cannot start: the lock service that it needs does
 * not exist, its lock annotations are wrong, or its settings or the store refuse. Ordered
 * before the general analyzer for a missing bean.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class LockFailureAnalyzer extends AbstractFailureAnalyzer<Throwable> {

	private static final Pattern UNPROXIED = Pattern.compile("^Could not generate CGLIB subclass of class ([^\\s:]+)");

	private final Environment environment;

	LockFailureAnalyzer(Environment environment) {
		this.environment = environment;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, Throwable cause) {
		NoSuchBeanDefinitionException missing = findCause(rootFailure, NoSuchBeanDefinitionException.class);
		if (missing != null && missing.getBeanType() == LockService.class && missing.getNumberOfBeansFound() == 0) {
			return withoutService(rootFailure);
		}
		InvalidLockDefinitionException invalid = findCause(rootFailure, InvalidLockDefinitionException.class);
		if (invalid != null) {
			return new FailureAnalysis("""
					A lock annotation cannot work: %s

					    Method:    %s
					    Attribute: %s
					    Value:     %s""".formatted(invalid.getProblem(), invalid.getMethod(), invalid.getAttribute(),
					invalid.getValue()), invalid.getAction(), rootFailure);
		}
		LockValidationException refused = findCause(rootFailure, LockValidationException.class);
		if (refused != null) {
			return listed(rootFailure, refused.getFindings());
		}
		AopConfigException unproxied = findCause(rootFailure, AopConfigException.class);
		Class<?> finalClass = (unproxied != null) ? finalClassWithLocks(String.valueOf(unproxied.getMessage())) : null;
		if (finalClass != null) {
			return listed(rootFailure, List.of(new LockFinding(Severity.ERROR, finalClass.getName(),
					"The class is final, and has methods with locks. Other annotations of it, such as @Transactional, need a proxy as well, which cannot extend it.",
					"Remove 'final' from the class (a record is always final; Kotlin has the kotlin-spring plugin for it).")));
		}
		LockStartupException failed = findCause(rootFailure, LockStartupException.class);
		return (failed != null) ? withAnnotations(failed, rootFailure) : null;
	}

	/**
	 * The validation never sees a bean that the proxy of somebody else prevents.
	 */
	private @Nullable Class<?> finalClassWithLocks(String problem) {
		Matcher named = UNPROXIED.matcher(problem);
		if (!named.find()) {
			return null;
		}
		Class<?> type = ClassUtils.resolveClassName(named.group(1), getClass().getClassLoader());
		boolean locked = Stream.of(type.getDeclaredMethods())
			.anyMatch((method) -> MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)
				.isPresent(DistributedLock.class));
		return (Modifier.isFinal(type.getModifiers()) && locked) ? type : null;
	}

	private FailureAnalysis withoutService(Throwable rootFailure) {
		String reason = "its auto-configuration was excluded or backed off.";
		String action = "Do not exclude DistributedLockAutoConfiguration, or define a LockService bean. The condition report (--debug) "
				+ "tells more.";
		if (!LockSwitch.LOCKS.isOn(this.environment)) {
			reason = "distributed-lock.enabled is false.";
			action = "Remove the property, or the code that needs the lock service. For tests, set distributed-lock.provider to "
					+ "'in-memory' instead.";
		}
		else if (!ClassUtils.isPresent("io.distributedlock.redis.RedisLockStore", getClass().getClassLoader())) {
			reason = "lock-redis is not on the class path.";
			action = "Depend on lock-spring-boot-starter, or on io.distributedlock:lock-redis, set distributed-lock.provider to "
					+ "'in-memory' if there is only one instance, or define a LockStore bean.";
		}
		return new FailureAnalysis(
				"A lock service is needed, by a method with a lock annotation or where a LockService is injected, but there is none: "
						+ reason,
				action, rootFailure);
	}

	/**
	 * Report the mistakes of annotations that were found beside those of properties.
	 */
	private FailureAnalysis withAnnotations(LockStartupException failed, Throwable rootFailure) {
		String description = failed.describe((setting) -> SettingOrigin.of(setting, this.environment));
		return Stream.of(failed.getSuppressed())
			.filter(LockValidationException.class::isInstance)
			.map((mistakes) -> listed(rootFailure, ((LockValidationException) mistakes).getFindings()))
			.map((annotations) -> new FailureAnalysis(description + "%n%n".formatted() + annotations.getDescription(),
					failed.getAction()
							+ " Also correct the problems of annotations; the next start may find more of them.",
					rootFailure))
			.findFirst()
			.orElseGet(() -> new FailureAnalysis(description, failed.getAction(), rootFailure));
	}

	private FailureAnalysis listed(Throwable rootFailure, List<LockFinding> findings) {
		String description = IntStream.range(0, findings.size())
			.mapToObj((index) -> describe(index + 1, findings.get(index)))
			.collect(Collectors.joining("%n%n".formatted(), headline(findings) + "%n%n".formatted(), ""));
		return new FailureAnalysis(description, (errors(findings) == 0)
				? "Correct the problems listed above, or accept those of methods with @SuppressLockWarnings. To start in spite of warnings, set "
						+ "distributed-lock.validation to 'fail'."
				: "Correct the problems listed above." + inSpiteOfErrors(), rootFailure);
	}

	private String inSpiteOfErrors() {
		// Only a validation that ends the start enforces the limit
		return this.environment.containsProperty("distributed-lock.annotation.max-hold-limit") ? ""
				: " To start nevertheless, set distributed-lock.validation to 'warn': methods "
						+ "whose annotation cannot be understood then throw when they are called, and methods that no "
						+ "proxy intercepts run without their locks. A bean of a final class with locks cannot be created in any case.";
	}

	private static long errors(List<LockFinding> findings) {
		return findings.stream().filter((finding) -> finding.severity() == Severity.ERROR).count();
	}

	private static String headline(List<LockFinding> findings) {
		long errors = errors(findings);
		long warnings = findings.size() - errors;
		if (errors == 0) {
			return "Lock annotations may not do what is meant (" + number(warnings, "warning")
					+ "), and distributed-lock.validation is 'strict':";
		}
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
