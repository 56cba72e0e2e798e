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

package io.distributedlock.internal;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.Pattern;

import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.OnLost;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of {@code @DistributedLock}. The one list of them: what reads and checks
 * annotations, the configuration of single locks, the report of a mistake and the
 * endpoint go through it, so that none of them can forget an attribute.
 *
 * <p>
 * Those that are options of the lock stand in the order in which the endpoint shows them,
 * with the lease first, which limits others.
 */
public enum LockAttribute {

	NAME(Kind.EXPRESSION),

	TIMEOUT(Kind.DURATION,
			new Option("The lease", LockOptions::lease, (options, value) -> options.withLease((Duration) value),
					"Set %s to a lease from 10ms to 3650d, such as %s.")),

	WAIT_TIME(Kind.DURATION,
			new Option("The wait", LockOptions::waitTime, (options, value) -> options.withWaitTime((Duration) value),
					"Set %s to the longest wait, such as 5s, or to zero for one attempt.")),

	AUTO_RENEW(Kind.SWITCH,
			new Option("The renewal is", LockOptions::autoRenew,
					(options, value) -> Boolean.TRUE.equals(value) ? options.withAutoRenew()
							: options.withoutAutoRenew(),
					"Set %s to true or false.")),

	RENEW_INTERVAL(Kind.DURATION, new Option("The renewal interval", LockOptions::renewInterval,
			(options, value) -> options.withRenewInterval((Duration) value),
			(options) -> options.autoRenew() ? options.effectiveRenewInterval() : null,
			"Set %s to at most half of the lease, or remove it: then the lease is renewed after every third of it.")),

	MIN_HOLD(Kind.DURATION,
			new Option("The minimum hold", LockOptions::minHold,
					(options, value) -> options.withMinHold((Duration) value),
					"Set %s to at most the lease, or make the lease longer.")),

	MAX_HOLD(Kind.DURATION, new Option("The maximum hold", LockOptions::maxHold,
			(options, value) -> options.withMaxHold((Duration) value), "Set %s to at least the lease, or remove it.")),

	ON_LOST(Kind.CHOICE,
			new Option("The reaction", LockOptions::onLost,
					(options, value) -> options.withOnLost(OnLost.valueOf(((Enum<?>) value).name())),
					"Set %s to one of the reactions.")),

	MODE(Kind.CHOICE,
			new Option("The mode", LockOptions::mode,
					(options, value) -> (value == LockMode.SHARED) ? options.withShared() : options, "Remove %s.")),

	PERMITS(Kind.NUMBER,
			new Option("The permits|A shared lock", LockOptions::permits,
					(options, value) -> options.withPermits((Integer) value), LockAttribute::fixedPermits,
					"Remove %s, or set it to 2 or more. Beside a mode, remove one of the two.")),

	TIME_UNIT(Kind.CHOICE),

	ON_CONTENTION(Kind.CHOICE),

	FALLBACK_METHOD(Kind.TEXT),

	CONDITION(Kind.EXPRESSION),

	FENCED(Kind.SWITCH);

	/**
	 * The attributes that are options of a lock, which the configuration can set as well.
	 */
	public static final List<LockAttribute> OPTIONS = Arrays.stream(values())
		.filter((each) -> each.option != null)
		.toList();

	/**
	 * Stands for permits that are evaluated for each call.
	 */
	public static final int PERMITS_OF_CALL = Integer.MAX_VALUE;

	private final Kind kind;

	private final @Nullable Option option;

	LockAttribute(Kind kind) {
		this(kind, null);
	}

	LockAttribute(Kind kind, @Nullable Option option) {
		this.kind = kind;
		this.option = option;
	}

	/**
	 * Return the attribute that a rule of {@link LockOptions} is about.
	 * @param rule the message of the rule
	 */
	public static @Nullable LockAttribute ofRule(String rule) {
		return OPTIONS.stream()
			.filter((each) -> each.option().rules().matcher(rule).lookingAt())
			.findFirst()
			.orElse(null);
	}

	/**
	 * Return whether an attribute has a text between quotation marks.
	 * @param written the attribute as it is written
	 */
	public static boolean isText(String written) {
		return Arrays.stream(values())
			.anyMatch((each) -> written.equals(each.textName())
					|| ((each.kind == Kind.EXPRESSION || each.kind == Kind.TEXT) && written.equals(each.attribute())));
	}

	/**
	 * Return the options as they are shown, by attribute; none that has no value.
	 */
	public static Map<String, Object> describe(LockOptions options) {
		Map<String, Object> shown = new LinkedHashMap<>();
		for (LockAttribute each : OPTIONS) {
			Object value = each.option().shown().apply(options);
			if (value != null) {
				shown.put(each.attribute(), value);
			}
		}
		return shown;
	}

	/**
	 * Return where the options come from that nobody has given and that follow from
	 * others, by attribute.
	 */
	public static Map<String, String> derived(LockOptions options) {
		return (options.autoRenew() && options.renewInterval() == null)
				? Map.of(RENEW_INTERVAL.attribute(), "built in, a third of timeout") : Map.of();
	}

	public Kind kind() {
		return this.kind;
	}

	/**
	 * Return the name in the annotation, as in {@code waitTime}.
	 */
	public String attribute() {
		StringBuilder name = new StringBuilder();
		for (String word : name().toLowerCase(Locale.ROOT).split("_")) {
			name.append(name.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
		}
		return name.toString();
	}

	/**
	 * Return the name of the attribute that takes the same as text, as in
	 * {@code waitTimeString}, or {@code null} if there is none.
	 */
	public @Nullable String textName() {
		return (this.kind == Kind.DURATION || this.kind == Kind.NUMBER) ? attribute() + "String" : null;
	}

	/**
	 * Return the name in the configuration, as in {@code wait-time}.
	 */
	public String property() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * Return how to correct a value that breaks a rule.
	 * @param written the attribute or the property
	 */
	public String fix(String written) {
		return fix(written, "30s");
	}

	/**
	 * Return how to correct a value that breaks a rule.
	 * @param written the attribute or the property
	 * @param lease a lease as it can be written there
	 */
	public String fix(String written, String lease) {
		return option().fix().formatted(written, lease);
	}

	/**
	 * Return the other option that the rules about this one name, or {@code null}.
	 */
	public @Nullable LockAttribute limit() {
		return switch (this) {
			case RENEW_INTERVAL, MIN_HOLD, MAX_HOLD -> TIMEOUT;
			case PERMITS -> MODE;
			default -> null;
		};
	}

	private static @Nullable Integer fixedPermits(LockOptions options) {
		return (options.mode() == LockMode.SHARED || options.permits() == PERMITS_OF_CALL) ? null : options.permits();
	}

	/**
	 * Return its value, also where it is not shown, or {@code null}.
	 */
	public @Nullable Object of(LockOptions options) {
		return option().getter().apply(options);
	}

	LockOptions set(LockOptions options, @Nullable Object value) {
		return option().setter().apply(options, value);
	}

	private Option option() {
		return Objects.requireNonNull(this.option, this::name);
	}

	/**
	 * How an attribute is written.
	 */
	public enum Kind {

		/**
		 * A number in the unit of the annotation, or a text.
		 */
		DURATION,

		/**
		 * A number, or a text that may be an expression.
		 */
		NUMBER,

		/**
		 * True, or left to the configuration.
		 */
		SWITCH,

		/**
		 * A constant; the default is left to the configuration.
		 */
		CHOICE,

		TEXT,

		/**
		 * A text that may be an expression of the arguments.
		 */
		EXPRESSION

	}

	/**
	 * An option of a lock.
	 *
	 * @param rules how the rules of {@link LockOptions} about it begin
	 * @param shown its value for readers, or {@code null}
	 * @param fix how to correct it, with a place for its name
	 */
	private record Option(Pattern rules, Function<LockOptions, @Nullable Object> getter,
			BiFunction<LockOptions, @Nullable Object, LockOptions> setter,
			Function<LockOptions, @Nullable Object> shown, String fix) {

		Option(String rules, Function<LockOptions, @Nullable Object> getter,
				BiFunction<LockOptions, @Nullable Object, LockOptions> setter, String fix) {
			this(rules, getter, setter, getter, fix);
		}

		Option(String rules, Function<LockOptions, @Nullable Object> getter,
				BiFunction<LockOptions, @Nullable Object, LockOptions> setter,
				Function<LockOptions, @Nullable Object> shown, String fix) {
			this(Pattern.compile(rules), getter, setter, shown, fix);
		}

	}

}
