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

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import io.distributedlock.annotation.internal.SimilarNames;
import io.distributedlock.autoconfigure.DistributedLockProperties.Defaults;
import io.distributedlock.autoconfigure.DistributedLockProperties.NamedLock;
import io.distributedlock.autoconfigure.DistributedLockProperties.Renewal;
import io.distributedlock.autoconfigure.internal.LockStartupException;
import io.distributedlock.autoconfigure.internal.LockSwitch;
import io.distributedlock.autoconfigure.internal.SettingOrigin;
import io.distributedlock.internal.GivenOptions;
import io.distributedlock.internal.LockAttribute;
import io.distributedlock.internal.Printable;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.ClassUtils;

/**
 * Rejects properties that the binder would misinterpret or ignore: durations without a
 * unit, and properties of individual locks that lose characters of the name, or name no
 * setting. Rejects values that the binder could not use as well, so that all mistakes are
 * told together. Warns about other properties that do not exist, and about leases that
 * were probably meant in milliseconds; if the validation is strict, they are mistakes.
 */
final class LockSettingsCheck {

	private static final Log logger = LogFactory.getLog(LockSettingsCheck.class);

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(KnownProperties.PREFIX);

	private static final Named LOCKS = new Named(ROOT.append("locks"), "a lock",
			KnownProperties.of("", NamedLock.class));

	private static final String DEFAULTS = KnownProperties.PREFIX + ".defaults.";

	private static final String ONE_LOCK = KnownProperties.PREFIX + ".lock";

	private static final Named LEADERSHIPS = new Named(OptionalSettings.LEADERSHIP.root(), "a leadership",
			OptionalSettings.LEADERSHIP.settings());

	private static final Pattern INDEX = Pattern.compile("\\d+");

	private static final Pattern NUMBER = Pattern.compile("[+-]?0*[1-9]\\d*");

	private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([^:{}]+)(?::[^{}]*)?}");

	private static final Pattern THOUSANDS = Pattern.compile("\\+?\\d+000");

	/** Nobody waits for minutes for a command. */
	private static final Pattern TIMEOUT_IN_MILLISECONDS = Pattern.compile(".*\\.redis\\.\\w+-timeout=\\+?\\d{3,}");

	/** Of several words. */
	private static final Pattern LONG_NAME = Pattern.compile(letters(KnownProperties.PREFIX) + "(\\.\\w+){4,}");

	private static final Pattern SECONDS = Pattern.compile("(\\d{1,15}000)s", Pattern.CASE_INSENSITIVE);

	private static final Pattern WITH_A_NAME = Pattern
		.compile("(?i)distributed-?_?lock\\.(locks|leadership)\\.([^\\[].*)\\.([^.]+)");

	/** They are those of the application, which has the connection. */
	private static final Pattern SERVER = Pattern.compile(Pattern.quote(KnownProperties.PREFIX)
			+ "(?:\\.redis)?\\.(host|port|database|username|password|url|(?:ssl|sentinel|cluster|lettuce|jedis)(?:\\..*)?)");

	/** Kubernetes describes a service called distributed-lock by variables like these. */
	private static final Pattern SERVICE = Pattern.compile(".*\\.service\\.(host|port).*|.*\\.port(\\[\\d+].*)?");

	/** Of a property that belongs elsewhere. */
	private static final Pattern SECRET = Pattern.compile("(?i)password|secret|token|\\.ur[il]$");

	private static final Pattern LOST = Pattern.compile("[^\\p{Alnum}._-]");

	private final ConfigurableEnvironment environment;

	private final Binder binder;

	private final Map<String, Class<?>> known = KnownProperties.all();

	private final Set<ConfigurationPropertyName> leases = new LinkedHashSet<>(Set.of(ROOT.append("defaults.timeout")));

	private final Set<ConfigurationPropertyName> locks = new LinkedHashSet<>();

	private final Set<Mistake> mistakes = new LinkedHashSet<>();

	/** Those that the application can start with. */
	private final Set<Mistake> doubts = new LinkedHashSet<>();

	LockSettingsCheck(ConfigurableEnvironment environment) {
		this.environment = environment;
		this.binder = Binder.get(environment);
	}

	/**
	 * Return what to throw if a property cannot be bound that is needed before all are
	 * checked.
	 * @throws LockStartupException if the check finds a mistake
	 */
	static BindException explained(BindException failure, Environment environment) {
		if (environment instanceof ConfigurableEnvironment configurable) {
			new LockSettingsCheck(configurable).check();
		}
		return failure;
	}

	/**
	 * Check all properties below {@code distributed-lock}.
	 * @throws LockStartupException if one would mean something else, or nothing
	 */
	void check() {
		this.known.forEach((name, type) -> checkValue(ConfigurationPropertyName.of(name), type));
		this.environment.getPropertySources().forEach((source) -> {
			if (source instanceof EnumerablePropertySource<?> enumerable) {
				Stream.of(enumerable.getPropertyNames()).forEach(this::checkLostCharacters);
			}
		});
		Set<ConfigurationPropertyName> unknown = new LinkedHashSet<>();
		checkEmptyPlaceholders(ROOT.append("key-prefix"));
		names().forEach((name) -> {
			boolean group = isGroup(name);
			if (group && valueOf(name).isEmpty()) {
				return;
			}
			Named named = Stream.of(LOCKS, LEADERSHIPS)
				.filter((each) -> each.root().isAncestorOf(name))
				.findFirst()
				.orElse(null);
			OptionalSettings missing = OptionalSettings.missingFor(name);
			if (missing != null) {
				rejectWithoutModule(name, missing);
			}
			else if (named != null) {
				checkSetting(named, name);
			}
			else if (group) {
				rejectValueOfGroup(name);
			}
			else if (isUnknown(name)) {
				if (!isOfMisspelledGroup(name)) {
					unknown.add(name);
				}
			}
			else {
				checkPlaceholders(name);
			}
		});
		unknown.forEach(this::doubtUnknown);
		sources().forEach(this::doubtOtherRoots);
		this.leases.forEach(this::doubtMilliseconds);
		if (isStrict()) {
			this.mistakes.addAll(this.doubts);
		}
		List<LockStartupException> refused = new ArrayList<>(this.mistakes.stream().map(Mistake::refused).toList());
		BindHandler others = withoutMistakes();
		addContradictions(groups(others, refused), others, refused);
		if (!refused.isEmpty()) {
			// Otherwise the next start would tell them
			this.doubts.stream()
				.filter((doubt) -> !this.mistakes.contains(doubt))
				.forEach((doubt) -> refused.add(doubt.refused()));
			throw LockStartupException.ofAll(refused);
		}
		this.doubts.forEach((doubt) -> logger.warn("%s %s%s".formatted(doubt.problem(), doubt.action(),
				SettingOrigin.of(doubt.property(), this.environment))));
	}

	private boolean isStrict() {
		return "strict".equalsIgnoreCase(valueOf(ROOT.append("validation")));
	}

	private void reject(String property, String value, String problem, String action) {
		this.mistakes.add(new Mistake(property, value, problem, action));
	}

	private void doubt(String property, String value, String problem, String action) {
		this.doubts.add(new Mistake(property, value, problem, action));
	}

	/**
	 * A value with a mistake counts as not given, so that it does not hide those of
	 * others.
	 */
	private BindHandler withoutMistakes() {
		Set<ConfigurationPropertyName> mistaken = this.mistakes.stream()
			.map(Mistake::property)
			.filter(ConfigurationPropertyName::isValid)
			.map(ConfigurationPropertyName::of)
			.collect(Collectors.toSet());
		return new BindHandler() {

			@Override
			public <T> @Nullable Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target,
					BindContext context) {
				return mistaken.contains(name) ? null : target;
			}

		};
	}

	/**
	 * The groups of properties check themselves when they are bound.
	 * @return those that could be bound, by their types
	 */
	private Map<Class<?>, Object> groups(BindHandler others, List<LockStartupException> refused) {
		Map<Class<?>, Object> groups = new HashMap<>();
		for (RecordComponent group : DistributedLockProperties.class.getRecordComponents()) {
			if (group.getType().isRecord()) {
				Object bound = bind(ROOT.append(DataObjectPropertyName.toDashedForm(group.getName())), group.getType(),
						others, refused);
				if (bound != null) {
					groups.put(group.getType(), bound);
				}
			}
		}
		return groups;
	}

	/**
	 * Options are checked when locks are created, and other rules between groups when all
	 * are bound: too late to be told together with other mistakes.
	 */
	private void addContradictions(Map<Class<?>, Object> groups, BindHandler others,
			List<LockStartupException> refused) {
		bind(ROOT, DistributedLockProperties.class, BindHandler.DEFAULT, refused);
		Map<String, NamedLock> locks = new TreeMap<>();
		this.locks.forEach((name) -> {
			NamedLock lock = bind(name, NamedLock.class, others, refused);
			if (lock != null) {
				locks.put(name.getLastElement(Form.ORIGINAL), lock);
			}
		});
		GivenOptions given = (groups.get(Defaults.class) instanceof Defaults defaults) ? defaults.given()
				: new GivenOptions();
		if (groups.get(Renewal.class) instanceof Renewal renewal) {
			given = given.with(LockAttribute.RENEW_INTERVAL, renewal.interval());
		}
		ConfiguredLockOptions.contradictions(given, locks).forEach((contradiction) -> add(contradiction, refused));
	}

	private <T> @Nullable T bind(ConfigurationPropertyName name, Class<T> type, BindHandler handler,
			List<LockStartupException> refused) {
		try {
			return this.binder.bindOrCreate(name, Bindable.of(type), handler);
		}
		catch (BindException ex) {
			if (NestedExceptionUtils.getMostSpecificCause(ex) instanceof LockStartupException outOfRange) {
				add(outOfRange, refused);
			}
			return null;
		}
	}

	private void add(LockStartupException mistake, List<LockStartupException> refused) {
		if (this.mistakes.stream().noneMatch((known) -> known.isNamedBy(mistake)) && refused.stream()
			.noneMatch((known) -> String.valueOf(known.getMessage()).equals(mistake.getMessage()))) {
			refused.add(mistake);
		}
	}

	private void checkValue(ConfigurationPropertyName name, @Nullable Class<?> type) {
		if (checkPlaceholders(name)) {
			return;
		}
		if (type == Boolean.class || type == boolean.class) {
			String problem = LockSwitch.problemWith(name.toString(), this.binder);
			if (problem != null) {
				reject(name.toString(), valueOf(name), problem, LockSwitch.ACTION);
			}
		}
		else if (type == Duration.class) {
			checkDuration(name, valueOf(name));
		}
		else if (type != null && (type.isEnum() || ClassUtils.isPrimitiveOrWrapper(type))) {
			checkConvertible(name, type);
		}
	}

	private void checkConvertible(ConfigurationPropertyName name, Class<?> type) {
		try {
			this.binder.bind(name, Bindable.of(type));
		}
		catch (BindException ex) {
			String value = valueOf(name);
			String printable = "'" + Printable.of(value) + "'";
			if (type.isEnum()) {
				String values = Stream.of(type.getEnumConstants())
					.map((each) -> DataObjectPropertyName.toDashedForm(each.toString().toLowerCase(Locale.ROOT)))
					.collect(Collectors.joining(", "));
				reject(name.toString(), value, printable + " is not one of the values: " + values + ".",
						"Write one of them, or remove the property.");
			}
			else {
				reject(name.toString(), value, printable + " is not a whole number, or too large.",
						"Write a number, or remove the property.");
			}
		}
	}

	/**
	 * The binder takes a placeholder that nothing has a value for as text: applications
	 * that should be apart would share the locks below one literal prefix.
	 */
	private boolean checkPlaceholders(ConfigurationPropertyName name) {
		String value = valueOf(name);
		if (!value.contains("${")) {
			return false;
		}
		Matcher placeholder = PLACEHOLDER.matcher(value);
		if (placeholder.find()) {
			reject(name.toString(), value, "There is no value for " + placeholder.group() + ".",
					"Define the property '%1$s', or write a default after a colon, as in ${%1$s:orders}."
						.formatted(placeholder.group(1)));
		}
		else {
			reject(name.toString(), value, "A placeholder has no name, or no end.", "Write it as in ${some.property}.");
		}
		return true;
	}

	/**
	 * Applications without a name would share the locks of each other.
	 */
	private void checkEmptyPlaceholders(ConfigurationPropertyName name) {
		ConfigurationProperty property = SettingOrigin.property(name.toString(), this.environment);
		String written = (property != null) ? String.valueOf(property.getValue()) : "";
		Matcher placeholder = PLACEHOLDER.matcher(written);
		while (placeholder.find()) {
			if (this.environment.resolvePlaceholders(placeholder.group()).isBlank()) {
				reject(name.toString(), written,
						placeholder.group() + " has an empty value: applications would share their locks by mistake.",
						"Give the property '%s' a value, or write the prefix without it."
							.formatted(placeholder.group(1)));
			}
		}
	}

	private void checkDuration(ConfigurationPropertyName name, String value) {
		if (NUMBER.matcher(value).matches()) {
			String written = SettingOrigin.nameOf(name.toString(), this.environment);
			reject(name.toString(), value, "A duration has no unit.",
					THOUSANDS.matcher(value).matches() || TIMEOUT_IN_MILLISECONDS.matcher(name + "=" + value).matches()
							? "Write '%s=%sms' for milliseconds, or another unit such as s, m or h.".formatted(written,
									value)
							: "Write '%s=%ss' for seconds, or another unit such as ms, m or h.".formatted(written,
									value));
			return;
		}
		try {
			this.binder.bind(name, Bindable.of(Duration.class));
		}
		catch (BindException ex) {
			String meant = SimilarNames.duration(value);
			reject(name.toString(), value, "'" + Printable.of(value) + "' is not a duration.", (meant != null)
					? "Write '%s=%s'.".formatted(SettingOrigin.nameOf(name.toString(), this.environment), meant)
					: "Write a whole number and a unit, as in 500ms, 30s, 5m or 2h, or an ISO 8601 duration, as in PT1M30S.");
		}
	}

	/**
	 * A unit that was added to the number of another library may be the wrong one.
	 */
	private void doubtMilliseconds(ConfigurationPropertyName name) {
		Matcher seconds = SECONDS.matcher(valueOf(name));
		if (seconds.matches()) {
			Duration lease = Duration.ofSeconds(Long.parseLong(seconds.group(1)));
			if (lease.compareTo(Duration.ofHours(1)) > 0) {
				doubt(name.toString(), seconds.group(),
						"%s is %s, a lease of %s.".formatted(name, seconds.group(), Printable.of(lease)),
						"If milliseconds are meant, write %sms. If not, write %s.".formatted(seconds.group(1), lease));
			}
		}
	}

	/**
	 * The binder drops characters that cannot stand in a property name without brackets:
	 * what remains may be the name of another lock.
	 */
	private void checkLostCharacters(String name) {
		Matcher property = WITH_A_NAME.matcher(name);
		if (property.matches() && LOST.matcher(property.group(2)).find()) {
			Named named = property.group(1).equalsIgnoreCase("locks") ? LOCKS : LEADERSHIPS;
			reject(name, String.valueOf(this.environment.getProperty(name)),
					"The name of %s contains a character that is ignored without brackets.".formatted(named.what()),
					"Write " + named.property(property.group(2), property.group(3)) + ".");
		}
	}

	private void checkSetting(Named named, ConfigurationPropertyName name) {
		int first = named.root().getNumberOfElements();
		int last = name.getNumberOfElements() - 1;
		String setting = name.getElement(last, Form.ORIGINAL);
		String settings = "The settings of " + named.what() + " are " + String.join(", ", named.settings().keySet());
		if (last == first) {
			reject(named.root() + "." + setting, valueOf(name),
					"There is no setting after the name of " + named.what() + ".",
					"Write one, as in " + named.property(setting, "timeout") + ". " + settings
							+ "; in a properties file, a colon in the name needs a backslash.");
			return;
		}
		String key = elements(name, first, last);
		String written = named.root() + "." + key + "." + setting;
		String known = named.known(setting);
		if (known == null) {
			reject(written, valueOf(name), "There is no setting '" + setting + "' of " + named.what() + ".",
					(setting.equals("name") && INDEX.matcher(key).matches())
							? "Write the name in place of the number, without a list: as in %s.".formatted(
									named.property(valueOf(name), "timeout"))
							: instead(named, key, setting, settings));
		}
		else if (key.startsWith("[") && key.endsWith("]")) {
			String inner = key.substring(1, key.length() - 1);
			reject(written, valueOf(name),
					"The name of %s is in brackets twice, as YAML takes [%s] without quotes for a list, so the property has no effect."
						.formatted(named.what(), inner),
					"Put the brackets in quotes, as in \"[%s]\".".formatted(inner));
		}
		else if (last > first + 1) {
			reject(written, valueOf(name),
					"The name of %s contains a dot and is not in brackets, so the property has no effect."
						.formatted(named.what()),
					"Write " + named.property(key, known) + ".");
		}
		else {
			checkValue(name, named.settings().get(known));
			if (named == LOCKS) {
				this.locks.add(name.getParent());
			}
			if (known.equals("timeout")) {
				this.leases.add(name);
			}
		}
	}

	private static String instead(Named named, String key, String setting, String settings) {
		if (named == LOCKS && Stream.of(LockAttribute.values())
			.anyMatch((each) -> uniform(each.attribute()).equals(uniform(setting)))) {
			return "Remove it, and write it in the annotation. " + settings + ".";
		}
		if (uniform(setting).equals("catchup")) {
			return "Remove it. To configure catchUp, write a placeholder in the annotation, as in catchUp = \"${report.catch-up}\".";
		}
		String similar = SimilarNames.nearest(meant(setting), named.settings().keySet());
		return ((similar != null) ? "Did you mean " + named.property(key, similar) + "? " : "") + settings + ".";
	}

	/**
	 * What is set for a feature that is not there would have no effect.
	 */
	private void rejectWithoutModule(ConfigurationPropertyName name, OptionalSettings group) {
		reject(name.toString(), valueOf(name),
				"The properties '%s.*' belong to the module %s, which is not on the class path.".formatted(group.root(),
						group.module().artifact()),
				group.module().action());
	}

	private static String uniform(String name) {
		return name.replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
	}

	private boolean isUnknown(ConfigurationPropertyName name) {
		return this.known.entrySet().stream().noneMatch((known) -> {
			ConfigurationPropertyName property = ConfigurationPropertyName.of(known.getKey());
			return property.equals(name)
					|| (Collection.class.isAssignableFrom(known.getValue()) && property.isAncestorOf(name));
		});
	}

	private boolean isGroup(ConfigurationPropertyName name) {
		return name.equals(LOCKS.root()) || OptionalSettings.isRoot(name) || propertiesOf(name).findAny().isPresent();
	}

	private Stream<String> propertiesOf(ConfigurationPropertyName group) {
		return this.known.keySet().stream().filter((each) -> group.isAncestorOf(ConfigurationPropertyName.of(each)));
	}

	/**
	 * The binder would not say what to write.
	 */
	private void rejectValueOfGroup(ConfigurationPropertyName name) {
		String value = valueOf(name);
		reject(name.toString(), value, "'" + name + "' is a group of properties, and has no value of its own.",
				Stream.of(LOCKS, LEADERSHIPS)
					.filter((named) -> named.root().equals(name))
					.map((named) -> "Write a setting of %s, as in %s.".formatted(named.what(),
							named.property("order", "timeout")))
					.findFirst()
					.orElseGet(() -> name.equals(ROOT)
							? "Write one of its properties, as in distributed-lock.validation=strict."
							: "Write one of its properties: %s."
								.formatted(propertiesOf(name).collect(Collectors.joining(", ")))));
	}

	/**
	 * A missing leadership is worse than a setting without effect: no instance leads.
	 */
	private boolean isOfMisspelledGroup(ConfigurationPropertyName name) {
		int group = ROOT.getNumberOfElements();
		int last = name.getNumberOfElements() - 1;
		String written = name.getElement(group, Form.ORIGINAL);
		List<String> groups = Stream
			.concat(Stream.of(LOCKS.root(), LEADERSHIPS.root()),
					this.known.keySet().stream().map(ConfigurationPropertyName::of))
			.map((known) -> known.getElement(group, Form.ORIGINAL))
			.toList();
		boolean similar = uniform(written).startsWith("leader")
				|| "leadership".equals(SimilarNames.nearest(written, groups));
		if (!similar || last <= group + 1) {
			return false;
		}
		reject(name.toString(), valueOf(name), "There is no group of properties '%s'.".formatted(name.chop(group + 1)),
				"Did you mean %s?".formatted(
						LEADERSHIPS.property(elements(name, group + 1, last), name.getElement(last, Form.ORIGINAL))));
		return true;
	}

	/**
	 * The environment variable {@code DISTRIBUTED_LOCK_ENABLED} is called
	 * {@code distributed.lock.enabled} as well, and has its effect.
	 */
	private void doubtOtherRoots(IterableConfigurationPropertySource source) {
		boolean variables = source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
		LockSettingsConfiguration.OTHER_ROOTS
			.forEach((root) -> source.stream().filter(root::isAncestorOf).forEach((name) -> {
				String meant = ROOT.append(name.subName(root.getNumberOfElements())).toString();
				String known = this.known.keySet()
					.stream()
					.filter((each) -> letters(each).equals(letters(meant)))
					.findFirst()
					.orElse(null);
				if (!variables || root.getElement(0, Form.UNIFORM).equals("spring")) {
					doubtUnknown(name, (known != null) ? known : meant);
				}
				else if (known == null && !SERVICE.matcher(meant).matches()) {
					doubtVariable(name, isVariableOfASetting(meant) ? variableOfASetting(meant) : similarTo(meant));
				}
			}));
	}

	/**
	 * The binder looks for names that the application chooses below the prefix without
	 * its hyphen only.
	 */
	private boolean isVariableOfASetting(String name) {
		return Stream.of(LOCKS, LEADERSHIPS)
			.anyMatch((named) -> letters(name).startsWith(letters(named.root().toString()))
					&& named.settings().keySet().stream().anyMatch((each) -> letters(name).endsWith(letters(each))));
	}

	/**
	 * Return it with the words of the setting in one, as in {@code MAXHOLD}.
	 */
	private static String variableOfASetting(String name) {
		String rest = name;
		String setting = "";
		for (String each : Stream.of(LOCKS, LEADERSHIPS)
			.flatMap((named) -> named.settings().keySet().stream())
			.toList()) {
			String words = "." + each.replace('-', '.');
			if (each.length() > setting.length() && name.endsWith(words)) {
				setting = each;
				rest = name.substring(0, name.length() - words.length());
			}
		}
		return letters(KnownProperties.PREFIX) + rest.substring(KnownProperties.PREFIX.length())
				+ (setting.isEmpty() ? "" : "." + letters(setting));
	}

	/**
	 * It may belong to something else, so only one that resembles a property counts, and
	 * its value is not shown.
	 */
	private void doubtVariable(ConfigurationPropertyName name, @Nullable String similar) {
		String variable = variable(name.toString());
		if (similar != null && !isPlaceholder(variable)) {
			doubt(variable, "******", "The environment variable " + variable + " sets no property of locks.", LONG_NAME
				.matcher(similar)
				.matches()
						? "Write the property in a file: a variable cannot name a lock that has dots, dashes or capital letters."
						: "Did you mean " + variable(similar) + "?");
		}
	}

	private boolean isPlaceholder(String variable) {
		Pattern use = Pattern.compile("\\$\\{" + Pattern.quote(variable) + "[:}]");
		return this.environment.getPropertySources()
			.stream()
			.filter(EnumerablePropertySource.class::isInstance)
			.map(EnumerablePropertySource.class::cast)
			.anyMatch((source) -> Stream.of(source.getPropertyNames())
				.anyMatch((property) -> use.matcher(String.valueOf(source.getProperty(property))).find()));
	}

	private static String variable(String property) {
		return property.replace("]", "").replaceAll("[.\\[-]", "_").toUpperCase(Locale.ROOT);
	}

	private static String letters(String name) {
		return uniform(name).replace(".", "");
	}

	/** Others call the lease by its name. */
	private static String meant(String setting) {
		return uniform(setting).startsWith("lease") ? "timeout" : setting;
	}

	private void doubtUnknown(ConfigurationPropertyName unknown) {
		String name = unknown.toString();
		if (name.startsWith(ONE_LOCK + "[") || name.startsWith(ONE_LOCK + ".")) {
			doubtUnknown(unknown, ONE_LOCK + "s" + name.substring(ONE_LOCK.length()));
			return;
		}
		doubtUnknown(unknown,
				this.known.keySet()
					.stream()
					.filter((each) -> ConfigurationPropertyName.of(each).isAncestorOf(unknown))
					.findFirst()
					.orElseGet(() -> similarTo(name)));
	}

	private @Nullable String similarTo(String name) {
		Matcher server = SERVER.matcher(name);
		if (server.matches()) {
			return "spring.data.redis." + server.group(1);
		}
		String last = meant(name.substring(name.lastIndexOf('.') + 1));
		if (uniform(last).equals("renewinterval")) {
			return KnownProperties.PREFIX + ".renewal.interval";
		}
		String rest = letters(name.substring(KnownProperties.PREFIX.length()));
		return this.known.keySet()
			.stream()
			.filter((each) -> each.startsWith(DEFAULTS)
					&& (each.endsWith("." + last) || letters(each.substring(DEFAULTS.length())).equals(rest)))
			.findFirst()
			.or(() -> Optional.ofNullable(SimilarNames.nearest(name, this.known.keySet())))
			.or(() -> this.known.keySet().stream().filter((each) -> each.endsWith("-" + last)).findFirst())
			.orElse(null);
	}

	private void doubtUnknown(ConfigurationPropertyName name, @Nullable String meant) {
		doubt(name.toString(), valueOf(name), "There is no property '" + name + "', so it has no effect.",
				(meant != null) ? "Did you mean '" + meant + "'?" : "Remove it.");
	}

	private String valueOf(ConfigurationPropertyName name) {
		return this.binder.bind(name, Bindable.of(String.class)).orElse("").strip();
	}

	private static String elements(ConfigurationPropertyName name, int begin, int end) {
		return IntStream.range(begin, end)
			.mapToObj((index) -> name.getElement(index, Form.ORIGINAL))
			.collect(Collectors.joining("."));
	}

	private List<ConfigurationPropertyName> names() {
		return sources().flatMap(IterableConfigurationPropertySource::stream)
			.filter((name) -> ROOT.equals(name) || ROOT.isAncestorOf(name))
			.toList();
	}

	private Stream<IterableConfigurationPropertySource> sources() {
		return StreamSupport.stream(ConfigurationPropertySources.get(this.environment).spliterator(), false)
			.filter(IterableConfigurationPropertySource.class::isInstance)
			.map(IterableConfigurationPropertySource.class::cast);
	}

	private record Mistake(String property, String value, String problem, String action) {

		LockStartupException refused() {
			return LockStartupException.ofSettings(this.problem,
					Map.of(this.property, SECRET.matcher(this.property).find() ? "******" : this.value), this.action,
					null);
		}

		boolean isNamedBy(LockStartupException other) {
			return String.valueOf(other.getMessage()).contains(" " + this.property + " = ");
		}

	}

	/**
	 * Properties with a name that the application chooses.
	 *
	 * @param root their common beginning
	 * @param settings the settings after the name, with the types
	 */
	private record Named(ConfigurationPropertyName root, String what, Map<String, Class<?>> settings) {

		String property(String name, String setting) {
			return "'%s[%s].%s'".formatted(this.root, name, setting);
		}

		@Nullable String known(String written) {
			return this.settings.keySet()
				.stream()
				.filter((each) -> uniform(each).equals(uniform(written)))
				.findFirst()
				.orElse(null);
		}

	}

}
