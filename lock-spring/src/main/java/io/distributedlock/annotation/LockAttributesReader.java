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

import java.lang.reflect.Parameter;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.distributedlock.LockOptions;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.SimilarNames;
import io.distributedlock.internal.GivenOptions;
import io.distributedlock.internal.LockAttribute;
import io.distributedlock.annotation.internal.LockAttributes;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringUtils;
import org.springframework.util.StringValueResolver;

/**
 * Turns the attributes of a merged annotation into a {@link LockAttributes}.
 */
final class LockAttributesReader {

	private static final long NOT_GIVEN = Long.MIN_VALUE;

	private static final int NO_PERMITS_GIVEN = Integer.MIN_VALUE;

	private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+");

	private static final Pattern WITHOUT_UNIT = Pattern.compile("\\+?(0*[1-9]\\d*)");

	private static final Pattern ARGUMENT = Pattern.compile("#(?!(?:this|root)\\b)[\\p{L}_$]");

	private static final Pattern QUOTED = Pattern.compile("'[^']*'");

	private static final String PLACEHOLDER = "${";

	private static final Pattern PLACEHOLDER_NAME = Pattern.compile("\\$\\{#?([\\p{L}_$][\\p{L}\\p{N}_$]*)([^{}:]*)}");

	private final StringValueResolver placeholders;

	private final StringValueResolver placeholdersAndExpressions;

	LockAttributesReader(ConfigurableBeanFactory beanFactory) {
		this.placeholders = beanFactory::resolveEmbeddedValue;
		this.placeholdersAndExpressions = new EmbeddedValueResolver(beanFactory);
	}

	/**
	 * Return the attributes. Those with a mistake count as not given.
	 */
	LockAttributes read(MergedAnnotation<DistributedLock> annotation, AnnotatedMethod method,
			DefinitionMistakes mistakes) {
		Reading reading = new Reading(annotation, method, mistakes);
		LockAttributes attributes = new LockAttributes(reading.names(), reading.options(),
				annotation.getEnum("onContention", OnContention.class), annotation.getString("fallbackMethod"),
				reading.condition(), annotation.getBoolean("fenced"), mistakes.read(reading::permitsExpression, ""),
				reading.once(), reading.written);
		contradictions(method, attributes, mistakes);
		return attributes;
	}

	/**
	 * An option that breaks a rule hides the rules that others break.
	 */
	private static void contradictions(AnnotatedMethod method, LockAttributes attributes, DefinitionMistakes mistakes) {
		GivenOptions rest = withLease(attributes.options(), attributes);
		LockAttribute broken;
		do {
			broken = null;
			try {
				rest.alone();
			}
			catch (IllegalArgumentException ex) {
				mistakes.add(contradiction(method, attributes, ex));
				broken = LockAttribute.ofRule(String.valueOf(ex.getMessage()));
				rest = withLease(rest.without(broken), attributes);
			}
		}
		while (broken != null);
	}

	/**
	 * The others must fit the lease that the report proposes in place of a mistaken one.
	 */
	private static GivenOptions withLease(GivenOptions options, LockAttributes attributes) {
		boolean mistaken = !options.values().containsKey(LockAttribute.TIMEOUT)
				&& Stream.of(LockAttribute.TIMEOUT.attribute(), LockAttribute.TIMEOUT.textName())
					.anyMatch(attributes.written()::containsKey);
		return mistaken ? options.with(LockAttribute.TIMEOUT, LockOptions.defaults().lease()) : options;
	}

	/**
	 * A rule may be broken by an attribute, or by the configuration that applies to it.
	 */
	static InvalidLockDefinitionException contradiction(AnnotatedMethod method, LockAttributes attributes,
			IllegalArgumentException cause) {
		String problem = String.valueOf(cause.getMessage());
		Map<String, String> written = attributes.written();
		LockAttribute ruled = Objects.requireNonNullElse(LockAttribute.ofRule(problem), LockAttribute.TIMEOUT);
		String attribute = Stream.of(ruled, LockAttribute.TIMEOUT)
			.flatMap((each) -> Stream.of(each.attribute(), each.attribute() + "String"))
			.filter(written::containsKey)
			.findFirst()
			.orElse("");
		boolean own = attribute.startsWith(ruled.attribute());
		String fix = own ? ruled.fix(method.attribute(attribute), lease(attribute, attributes))
				: ruled.fix("the configured " + ruled.property()
						+ " (with Spring Boot, distributed-lock.defaults or distributed-lock.locks)");
		if (ruled == LockAttribute.MAX_HOLD) {
			if (method.job()) {
				fix = "Set %s, to at least twice the longest run, and no less than the lease.".formatted(own
						? "maxHold, a day by default"
						: "the configured max-hold (with Spring Boot, in distributed-lock.locks), which replaces that of the annotation");
			}
			else if (!own) {
				fix += " Or give this lock a maxHold of its own.";
			}
			else if (attributes.given(LockAttribute.AUTO_RENEW) == null) {
				fix += " A maximum hold also needs renewal: add autoRenew = true, unless the configuration renews the lease.";
			}
			Duration lease = shorterLease(attributes);
			if (lease != null) {
				fix = "Set %s: a lease that is renewed is no limit on the %s. Or %s".formatted(
						attributes.setting(method, LockAttribute.TIMEOUT, lease), method.job() ? "run" : "work",
						StringUtils.uncapitalize(fix));
			}
		}
		return method.invalid(attribute, written.getOrDefault(attribute, ""), problem, fix, cause);
	}

	/**
	 * Return an example of what can stand there: a number is in the unit of the
	 * annotation.
	 */
	private static String lease(String attribute, LockAttributes attributes) {
		String written = attributes.written().getOrDefault(attribute, "");
		if (attribute.endsWith("String")) {
			return "30s";
		}
		return (written.indexOf(' ') < 0) ? attribute + " = 30" : "timeoutString = \"30s\" in place of " + attribute;
	}

	/**
	 * A lease that is longer than the hold is of no use. Return one that is not and that
	 * breaks no other rule, or {@code null} if the lease is not the mistake.
	 */
	private static @Nullable Duration shorterLease(LockAttributes attributes) {
		if (!(attributes.given(LockAttribute.TIMEOUT) instanceof Duration lease
				&& attributes.given(LockAttribute.MAX_HOLD) instanceof Duration hold && lease.compareTo(hold) > 0)) {
			return null;
		}
		String number = attributes.written()
			.getOrDefault(LockAttribute.TIMEOUT.attribute(),
					attributes.written().get(LockAttribute.TIMEOUT.textName()));
		// The report proposes the number as milliseconds
		boolean milliseconds = number != null && LockAttributes.isProbablyMilliseconds(LockAttribute.TIMEOUT, number)
				&& lease.equals(Duration.ofSeconds(Long.parseLong(number)));
		return (milliseconds ? Stream.of(lease.dividedBy(1000)) : Stream.of(LockOptions.defaults().lease(), hold))
			.filter((shorter) -> isPossible(attributes.options().with(LockAttribute.TIMEOUT, shorter)))
			.findFirst()
			.orElse(null);
	}

	private static boolean isPossible(GivenOptions options) {
		try {
			options.alone();
			return true;
		}
		catch (IllegalArgumentException ex) {
			return false;
		}
	}

	/**
	 * Return whether an annotation is that of a job: one which carries
	 * {@code @OncePerFireTime}, or this one itself.
	 */
	static boolean isJob(MergedAnnotation<DistributedLock> annotation) {
		return once(annotation) != null;
	}

	private static @Nullable MergedAnnotation<?> once(MergedAnnotation<DistributedLock> annotation) {
		MergedAnnotation<?> source = annotation.getMetaSource();
		while (source != null && source.getType() != OncePerFireTime.class) {
			source = source.getMetaSource();
		}
		return source;
	}

	private final class Reading {

		private final MergedAnnotation<DistributedLock> annotation;

		private final AnnotatedMethod method;

		private final TimeUnit unit;

		private final DefinitionMistakes mistakes;

		private final Map<String, String> written = new LinkedHashMap<>();

		Reading(MergedAnnotation<DistributedLock> annotation, AnnotatedMethod method, DefinitionMistakes mistakes) {
			this.annotation = annotation;
			this.method = method;
			this.mistakes = mistakes;
			this.unit = annotation.getEnum("timeUnit", TimeUnit.class);
		}

		List<String> names() {
			return Arrays.stream(this.annotation.getStringArray("name"))
				.map((name) -> this.mistakes.<@Nullable String>read(() -> text("name", name), null))
				.filter(Objects::nonNull)
				.toList();
		}

		String condition() {
			String text = this.annotation.getString("condition");
			this.written.put("condition", text);
			return this.mistakes.read(() -> text("condition", text), "");
		}

		LockAttributes.@Nullable Once once() {
			MergedAnnotation<?> source = LockAttributesReader.once(this.annotation);
			if (source == null) {
				return null;
			}
			String catchUp = source.getString("catchUp");
			String fireTime = source.getString("fireTime");
			return new LockAttributes.Once(
					StringUtils.hasText(catchUp)
							? this.mistakes.<@Nullable Duration>read(() -> parse("catchUp", catchUp), null) : null,
					source.getBoolean("repeat"), this.mistakes.read(() -> text("fireTime", fireTime), ""));
		}

		GivenOptions options() {
			GivenOptions given = new GivenOptions();
			for (LockAttribute option : LockAttribute.OPTIONS) {
				given = given.with(option, this.mistakes.<@Nullable Object>read(() -> value(option), null));
			}
			return given;
		}

		private @Nullable Object value(LockAttribute option) {
			String attribute = option.attribute();
			return switch (option.kind()) {
				case DURATION -> duration(attribute);
				case NUMBER -> number(attribute);
				case SWITCH -> this.annotation.getBoolean(attribute) ? Boolean.TRUE : null;
				case CHOICE -> this.annotation.hasDefaultValue(attribute) ? null
						: this.annotation.getValue(attribute).orElse(null);
				case TEXT, EXPRESSION -> throw new IllegalStateException(attribute + " is no option of a lock");
			};
		}

		/**
		 * Return the text with its placeholders resolved.
		 */
		String text(String attribute, String text) {
			return text.contains(PLACEHOLDER) ? resolve(attribute, text, LockAttributesReader.this.placeholders) : text;
		}

		private @Nullable Duration duration(String attribute) {
			String text = textOf(attribute);
			if (!text.isEmpty()) {
				return parse(attribute + "String", text);
			}
			long number = this.annotation.getLong(attribute);
			if (number == NOT_GIVEN) {
				return null;
			}
			this.written.put(attribute, written(number));
			return convert(attribute, number);
		}

		private @Nullable Integer number(String attribute) {
			if (!permitsExpression().isEmpty()) {
				return LockAttribute.PERMITS_OF_CALL;
			}
			String text = textOf(attribute);
			if (text.isEmpty()) {
				int number = this.annotation.getInt(attribute);
				if (number == NO_PERMITS_GIVEN) {
					return null;
				}
				this.written.put(attribute, String.valueOf(number));
				return number;
			}
			try {
				return Integer.valueOf(text(attribute + "String", text).strip());
			}
			catch (NumberFormatException ex) {
				throw this.method.invalid(attribute + "String", text, "The number is too large.",
						"Use mode = LockMode.SHARED for no limit.", ex);
			}
		}

		/**
		 * Return what the text of the permits is, if it is no number, or an empty text.
		 */
		String permitsExpression() {
			String text = text("permitsString", textOf("permits")).strip();
			return NUMBER.matcher(text).matches() ? "" : text;
		}

		/**
		 * Return the text that is given in place of a number, or an empty text.
		 */
		private String textOf(String attribute) {
			String text = this.annotation.getString(attribute + "String");
			if (!StringUtils.hasText(text)) {
				return "";
			}
			this.written.put(attribute + "String", text);
			if (!this.annotation.hasDefaultValue(attribute)) {
				// What else is wrong with the text is told together with this
				this.mistakes.add(this.method.invalid(attribute + "String", text, "%s = %s is given as well."
					.formatted(attribute, this.annotation.getValue(attribute).orElse("")), "Remove one of the two."));
			}
			return text;
		}

		private String written(long number) {
			return number + ((this.unit != TimeUnit.SECONDS) ? " " + this.unit : "");
		}

		private Duration parse(String attribute, String value) {
			if (ARGUMENT.matcher(QUOTED.matcher(value).replaceAll("")).find()) {
				throw this.method.invalid(attribute, value,
						"A duration is the same for all calls, and cannot depend on their arguments.",
						"Write for example \"30s\", or a property, as in \"${some.property:30s}\". Or lock with LockService, which takes options for each call.");
			}
			String text = ((value.indexOf('{') < 0) ? value
					: resolve(attribute, value, LockAttributesReader.this.placeholdersAndExpressions))
				.strip();
			Matcher bare = WITHOUT_UNIT.matcher(text);
			// The others may be in the unit of the annotation
			boolean ofJob = attribute.equals("catchUp") || !this.method.attribute(attribute).equals(attribute);
			if (ofJob && bare.matches()) {
				throw this.method.invalid(attribute, value, "'" + text + "' has no unit.",
						((bare.group(1).length() < 4) ? "Write %1$sh, %1$sm or %1$ss." : "Write %1$sms or %1$ss.")
							.formatted(bare.group(1)));
			}
			try {
				return DurationFormatterUtils.detectAndParse(text,
						DurationFormat.Unit.fromChronoUnit(this.unit.toChronoUnit()));
			}
			catch (IllegalArgumentException | ArithmeticException ex) {
				String meant = SimilarNames.duration(text);
				throw this.method.invalid(attribute, value, "'" + text + "' is not a duration.",
						(meant != null) ? "Write \"%s\".".formatted(meant)
								: "Write for example \"30s\", \"1m30s\", \"500ms\" or \"PT30S\".",
						ex);
			}
		}

		private Duration convert(String attribute, long number) {
			String value = written(number);
			if (number < 0) {
				throw this.method.invalid(attribute, value, "A duration must not be negative.",
						adviceForNegative(attribute));
			}
			try {
				return Duration.of(number, this.unit.toChronoUnit());
			}
			catch (ArithmeticException ex) {
				throw this.method.invalid(attribute, value, "The duration is too long.", "Use at most 3650 days.", ex);
			}
		}

		/**
		 * Other libraries renew a lease of -1, or wait forever.
		 */
		private static String adviceForNegative(String attribute) {
			return switch (attribute) {
				case "timeout" ->
					"Write autoRenew = true to keep the lock until the method has returned, or leave the attribute out to get the configured lease.";
				case "waitTime" ->
					"Write how long to wait, as in waitTime = 60, or leave the attribute out to get the configured wait. No call waits forever.";
				default -> "Leave the attribute out to get the configured default.";
			};
		}

		private String resolve(String attribute, String value, StringValueResolver resolver) {
			String resolved;
			try {
				resolved = resolver.resolveStringValue(value);
			}
			catch (RuntimeException ex) {
				throw unresolved(attribute, value, String.valueOf(ex.getMessage()), ex);
			}
			if (resolved == null || resolved.contains(PLACEHOLDER)) {
				throw unresolved(attribute, value, "nothing has a value for " + resolved, null);
			}
			if (resolved.isBlank()) {
				throw this.method.invalid(attribute, value, "Its placeholders have an empty value.",
						"Give the property a value, or remove the property and write a default value after a colon, as in ${some.property:value}.");
			}
			return resolved;
		}

		private InvalidLockDefinitionException unresolved(String attribute, String value, String reason,
				@Nullable Throwable cause) {
			return this.method.invalid(attribute, value, "It cannot be resolved: " + reason + ".",
					adviceForUnresolved(value), cause);
		}

		private String adviceForUnresolved(String value) {
			Matcher placeholder = PLACEHOLDER_NAME.matcher(value);
			List<String> parameters = Arrays.stream(this.method.method().getParameters())
				.map(Parameter::getName)
				.toList();
			return placeholder.find() && parameters.contains(placeholder.group(1))
					? "Did you mean #{#" + placeholder.group(1) + placeholder.group(2) + "}?"
					: "Define the property, or give a default value after a colon, as in ${some.property:value}.";
		}

	}

}
