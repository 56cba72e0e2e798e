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

package io.distributedlock.migration;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.MethodMatcher;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.TypeUtils;
import org.openrewrite.marker.SearchResult;

/**
 * Replaces {@code @SchedulerLock}. A scheduled method with fire times becomes
 * {@code @OncePerFireTime}, every other one a {@code @DistributedLock} that skips.
 *
 * @since 0.1.0
 */
public class ShedLockAnnotations extends LockAnnotationRecipe {

	private static final String LIBRARY = "net.javacrumbs.shedlock";

	private static final String LOCK = LIBRARY + ".spring.annotation.SchedulerLock";

	/** Until ShedLock 4; its numbers are milliseconds. */
	private static final String OLD_LOCK = LIBRARY + ".core.SchedulerLock";

	private static final String SWITCH = LIBRARY + ".spring.annotation.EnableSchedulerLock";

	private static final String PROVIDER = LIBRARY + ".core.LockProvider";

	private static final String SCHEDULED = "org.springframework.scheduling.annotation.Scheduled";

	private static final Set<String> ATTRIBUTES = Set.of("name", "lockAtMostFor", "lockAtLeastFor",
			"lockAtMostForString", "lockAtLeastForString");

	private static final Pattern NUMBER_AND_UNIT = Pattern.compile("([+]?\\d+)([a-zA-Z]{0,2})");

	/** Something of a template that would be a property of the root object. */
	private static final Pattern BEAN = Pattern.compile("#\\{\\s*(?!T\\()[\\p{L}_$]");

	private static final Duration LONGEST_DEFAULT_HOLD = Duration.ofHours(24);

	private static final MethodMatcher ASSERT_LOCKED = new MethodMatcher(LIBRARY + ".core.LockAssert assertLocked()");

	private static final MethodMatcher EXTEND = new MethodMatcher(
			LIBRARY + ".core.LockExtender extendActiveLock(java.time.Duration, java.time.Duration)");

	@Override
	public String getDisplayName() {
		return "Replace the annotations of ShedLock";
	}

	@Override
	public String getDescription() {
		return "Turns `@SchedulerLock` into `@OncePerFireTime` or `@DistributedLock`, removes `@EnableSchedulerLock`, "
				+ "and marks `LockProvider` beans and each value that has no equivalent.";
	}

	@Override
	String library() {
		return LIBRARY;
	}

	@Override
	Set<String> locks() {
		return Set.of(LOCK, OLD_LOCK);
	}

	@Override
	Set<String> switches() {
		return Set.of(SWITCH);
	}

	@Override
	boolean isCode(String type) {
		return type.startsWith(LIBRARY + ".core.") && type.endsWith("LockingTaskExecutor");
	}

	@Override
	Translation translate(Lock lock, Seen seen) {
		Attributes attributes = lock.attributes();
		if (!ATTRIBUTES.containsAll(attributes.names())) {
			return new Translation.Kept("It has attributes that the recipe does not know.");
		}
		String name = attributes.source("name");
		if (name.isEmpty() || name.equals("\"\"")) {
			return new Translation.Kept("It has no name.");
		}
		String text = attributes.text("name");
		String newName = (text != null) ? Attributes.quoted(LockNames.ofTemplate(text)) : name;
		Time atMost = time(attributes, "lockAtMostFor", "defaultLockAtMostFor", seen);
		Time atLeast = time(attributes, "lockAtLeastFor", "defaultLockAtLeastFor", seen);
		if (atMost == null || atLeast == null) {
			return new Translation.Kept(
					"Its durations are numbers that are not written as literals. Write them as text.");
		}
		boolean once = hasFireTimes(lock.method()) && seen.names.getOrDefault(name, 1) == 1
				&& !has(lock.method(), "Retryable");
		Translation.Replaced replaced = once ? once(newName, atMost, atLeast) : skipping(newName, atMost, atLeast);
		if (text == null) {
			replaced.note("Look at the value of " + name
					+ ": with a #variable, an @bean, or in quotation marks, it would be an expression.");
		}
		else if (BEAN.matcher(text).find()) {
			replaced.note("In a name, a bean is written as @bean.");
		}
		if (atMost.isMissing()) {
			replaced.note(
					"No lockAtMostFor was found for it, so the lease is that of distributed-lock.defaults.timeout, 30 s.");
		}
		return replaced;
	}

	private static Translation.Replaced once(String name, Time atMost, Time atLeast) {
		Translation.Replaced replaced = new Translation.Replaced("OncePerFireTime").with("name", name);
		if (!atMost.isMissing()) {
			replaced.with("timeout", atMost.source());
			if (atMost.duration() == null) {
				replaced
					.note("If the value of %s has no unit, it meant milliseconds, and is refused here: add the unit."
						.formatted(atMost.source()));
			}
			else if (atMost.duration().compareTo(LONGEST_DEFAULT_HOLD) > 0) {
				replaced.with("maxHold", atMost.source());
			}
		}
		if (!atLeast.isMissing() && !Duration.ZERO.equals(atLeast.duration())) {
			replaced.note(("lockAtLeastFor = %s is gone: a record keeps a fire time from being run twice. "
					+ "If it was longer than the time between two fire times, use @DistributedLock with minHoldString.")
				.formatted(atLeast.source()));
		}
		return replaced;
	}

	private static Translation.Replaced skipping(String name, Time atMost, Time atLeast) {
		Translation.Replaced replaced = new Translation.Replaced("DistributedLock").with("name", name)
			.with("onContention", "OnContention.SKIP");
		if (!atMost.isMissing()) {
			replaced.with("timeoutString", atMost.source());
		}
		if (!atLeast.isMissing() && !Duration.ZERO.equals(atLeast.duration())) {
			replaced.with("minHoldString", atLeast.source());
			replaced.note("minHold does not apply if the method throws; lockAtLeastFor did.");
		}
		if ((!atMost.isMissing() && atMost.duration() == null)
				|| (!atLeast.isMissing() && atLeast.duration() == null)) {
			replaced.with("timeUnit", "TimeUnit.MILLISECONDS");
		}
		return replaced;
	}

	/**
	 * A duration of ShedLock.
	 *
	 * @param source how it is written here, empty if it is not given
	 * @param duration how long it is, if that can be read
	 */
	private record Time(String source, @Nullable Duration duration) {

		static final Time MISSING = new Time("", null);

		boolean isMissing() {
			return this.source.isEmpty();
		}

		static Time of(String text) {
			Duration duration = parse(text);
			boolean isNumber = duration != null && text.matches("[+]?\\d+");
			return new Time(Attributes.quoted(isNumber ? text + "ms" : text), duration);
		}

		private static @Nullable Duration parse(String text) {
			try {
				if (text.matches("[+-]?P.*")) {
					return Duration.parse(text);
				}
				Matcher matcher = NUMBER_AND_UNIT.matcher(text);
				if (!matcher.matches()) {
					return null;
				}
				long amount = Long.parseLong(matcher.group(1));
				return switch (matcher.group(2).toLowerCase(java.util.Locale.ROOT)) {
					case "ns" -> Duration.ofNanos(amount);
					case "us" -> Duration.ofNanos(Math.multiplyExact(amount, 1000));
					case "", "ms" -> Duration.ofMillis(amount);
					case "s" -> Duration.ofSeconds(amount);
					case "m" -> Duration.ofMinutes(amount);
					case "h" -> Duration.ofHours(amount);
					case "d" -> Duration.ofDays(amount);
					default -> null;
				};
			}
			catch (DateTimeParseException | ArithmeticException | NumberFormatException ex) {
				return null;
			}
		}

	}

	/**
	 * Return {@code null} for a number that cannot be read.
	 */
	private static @Nullable Time time(Attributes attributes, String name, String defaultName, Seen seen) {
		Expression value = attributes.get(name);
		Long number = attributes.number(name);
		if (number != null && number >= 0) {
			return Time.of(String.valueOf(number));
		}
		if (number == null && value != null && !TypeUtils.isString(value.getType())) {
			return null;
		}
		Time time = written(attributes, (number != null || value == null) ? name + "String" : name);
		if (!time.isMissing()) {
			return time;
		}
		List<Time> defaults = seen.switches.stream()
			.map((each) -> written(each, defaultName))
			.filter((each) -> !each.isMissing())
			.distinct()
			.toList();
		// A constant may not be visible here
		return (defaults.size() == 1 && defaults.get(0).source().startsWith("\"")) ? defaults.get(0) : Time.MISSING;
	}

	private static Time written(Attributes attributes, String name) {
		String text = attributes.text(name);
		if (text != null) {
			return text.isBlank() ? Time.MISSING : Time.of(text.strip());
		}
		return new Time(attributes.source(name), null);
	}

	/**
	 * Whether Spring calls a method at times that all instances agree on.
	 */
	private static boolean hasFireTimes(J.MethodDeclaration method) {
		List<J.Annotation> schedules = new ArrayList<>();
		method.getLeadingAnnotations().forEach((annotation) -> new JavaIsoVisitor<Integer>() {

			@Override
			public J.Annotation visitAnnotation(J.Annotation each, Integer p) {
				if (typeOf(each).equals(SCHEDULED)) {
					schedules.add(each);
				}
				return super.visitAnnotation(each, p);
			}

		}.visit(annotation, 0));
		return !schedules.isEmpty() && schedules.stream().allMatch((schedule) -> {
			List<String> attributes = attributesOf(schedule);
			return (attributes.contains("cron") || attributes.contains("fixedRate")
					|| attributes.contains("fixedRateString")) && !attributes.contains("fixedDelay")
					&& !attributes.contains("fixedDelayString");
		});
	}

	private static List<String> attributesOf(J.Annotation annotation) {
		List<String> names = new ArrayList<>();
		if (annotation.getArguments() != null) {
			for (Expression argument : annotation.getArguments()) {
				if (argument instanceof J.Assignment assignment
						&& assignment.getVariable() instanceof J.Identifier attribute) {
					names.add(attribute.getSimpleName());
				}
			}
		}
		return names;
	}

	private static boolean has(J.MethodDeclaration method, String simpleName) {
		return method.getLeadingAnnotations()
			.stream()
			.anyMatch((annotation) -> annotation.getSimpleName().equals(simpleName));
	}

	@Override
	List<String> notesOfSwitch(Attributes attributes) {
		List<String> notes = new ArrayList<>();
		for (String name : attributes.names()) {
			if (name.startsWith("default")) {
				if (attributes.text(name) == null) {
					notes.add("%s = %s is gone: write its value where a mark says that no lockAtMostFor was found."
						.formatted(name, attributes.source(name)));
				}
			}
			else {
				notes.add(
						"%s = %s of @EnableSchedulerLock is gone: distributed-lock.annotation.order orders the lock, %s"
							.formatted(name, attributes.source(name), "and each call of a bean is locked."));
			}
		}
		return notes;
	}

	@Override
	Editing editing(Seen seen) {
		return new Calls(seen);
	}

	/**
	 * Also replaces what a job calls while it has the lock, and marks providers.
	 */
	private final class Calls extends Editing {

		private final boolean allReplaced;

		Calls(Seen seen) {
			super(seen);
			this.allReplaced = seen.kept.isEmpty() && !seen.programmatic;
		}

		@Override
		public J.MethodInvocation visitMethodInvocation(J.MethodInvocation original, ExecutionContext ctx) {
			J.MethodInvocation call = super.visitMethodInvocation(original, ctx);
			if (ASSERT_LOCKED.matches(call)) {
				return this.allReplaced ? replace(call, "LockContext.current().orElseThrow().assertHeld()")
						: SearchResult.found(call,
								"In a job with @OncePerFireTime or @DistributedLock, write LockContext.current().orElseThrow().assertHeld().");
			}
			if (EXTEND.matches(call)) {
				boolean isStatement = getCursor().getParentTreeCursor().getValue() instanceof J.Block;
				if (!this.allReplaced || !isStatement) {
					return SearchResult.found(call,
							"In a job with @OncePerFireTime or @DistributedLock, write LockContext.current().orElseThrow().extend(…).");
				}
				Expression atLeast = call.getArguments().get(1);
				boolean isZero = atLeast.toString().endsWith("ZERO");
				J.MethodInvocation extend = replace(call,
						"LockContext.current().orElseThrow().extend(#{any(java.time.Duration)})",
						call.getArguments().get(0));
				maybeRemoveImport("java.time.Duration.ZERO");
				return isZero ? extend
						: SearchResult.found(extend, "The second argument, lockAtLeastFor = " + atLeast + ", is gone.");
			}
			return call;
		}

		private J.MethodInvocation replace(J.MethodInvocation call, String code, Object... parameters) {
			maybeAddImport(LockApi.CONTEXT, null, false);
			for (String type : List.of("LockAssert", "LockExtender")) {
				maybeRemoveImport(LIBRARY + ".core." + type);
				maybeRemoveImport(LIBRARY + ".core." + type + "." + call.getSimpleName());
			}
			return LockApi.template(code, List.of(LockApi.CONTEXT))
				.apply(updateCursor(call), call.getCoordinates().replace(), parameters);
		}

		@Override
		public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration original, ExecutionContext ctx) {
			J.MethodDeclaration method = super.visitMethodDeclaration(original, ctx);
			var type = method.getMethodType();
			return (type != null && TypeUtils.isAssignableTo(PROVIDER, type.getReturnType()))
					? SearchResult.found(method, provider(method)) : method;
		}

		private String provider(J.MethodDeclaration method) {
			String gone = this.allReplaced ? "Not needed any more: remove it together with ShedLock. "
					: "Still needed by what is marked elsewhere. ";
			String body = String.valueOf(method.getBody());
			if (body.contains("RedisLockProvider")) {
				return gone
						+ "Instances that still run ShedLock exclude the new ones only on the same key: while both run, set "
						+ "distributed-lock.key-prefix=job-lock:ENVIRONMENT: with the environment of this provider, or default.";
			}
			return gone
					+ "It locks in another store than Redis. Instances that still run ShedLock do not exclude the new ones: "
					+ "stop all of them first, or take both locks for a while.";
		}

	}

}
