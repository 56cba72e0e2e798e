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

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.distributedlock.annotation.internal.SimilarNames;
import io.distributedlock.autoconfigure.DistributedLockProperties.NamedLeadership;
import io.distributedlock.autoconfigure.DistributedLockProperties.NamedLock;
import io.distributedlock.autoconfigure.internal.LockStartupException;
import io.distributedlock.internal.Printable;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;

/**
 * Rejects properties that the binder would misinterpret or ignore: durations without a
 * unit, and properties of individual locks that lose characters of the name, or name no
 * setting. Warns about other properties that do not exist, and about leases that were
 * probably meant in milliseconds.
 */
final class LockSettingsCheck {

	private static final Log logger = LogFactory.getLog(LockSettingsCheck.class);

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(KnownProperties.PREFIX);

	private static final String LEADERSHIP_GROUP = "leadership";

	private static final Named LEADERSHIP = new Named(ROOT.append(LEADERSHIP_GROUP), "a leadership",
			KnownProperties.ofNamed(NamedLeadership.class));

	private static final List<Named> NAMED = List
		.of(new Named(ROOT.append("locks"), "a lock", KnownProperties.ofNamed(NamedLock.class)), LEADERSHIP);

	private static final Pattern NUMBER = Pattern.compile("[+-]?0*[1-9]\\d*");

	private static final Pattern THOUSANDS = Pattern.compile("\\+?\\d+000");

	private static final Pattern SECONDS = Pattern.compile("(\\d{1,15}000)s", Pattern.CASE_INSENSITIVE);

	private static final Pattern WITH_A_NAME = Pattern
		.compile("(?i)distributed-?_?lock\\.(locks|leadership)\\.([^\\[].*)\\.([^.]+)");

	private static final Pattern LOST = Pattern.compile("[^\\p{Alnum}._-]");

	/**
	 * Names of settings in other libraries, or in the API.
	 */
	private static final Map<String, String> OTHER_WORDS = Map.of("lease", "timeout", "leasetime", "timeout", "ttl",
			"timeout", "expire", "timeout", "lockatmostfor", "timeout", "wait", "wait-time", "acquiretimeout",
			"wait-time", "renew", "auto-renew", "interval", "renew-interval", "lockatleastfor", "min-hold");

	private final Environment environment;

	private final Binder binder;

	private final Map<String, String> found = new LinkedHashMap<>();

	private final Set<ConfigurationPropertyName> leases = new LinkedHashSet<>(Set.of(ROOT.append("defaults.timeout")));

	private final Set<String> problems = new LinkedHashSet<>();

	private final Set<String> actions = new LinkedHashSet<>();

	private LockSettingsCheck(Environment environment) {
		this.environment = environment;
		this.binder = Binder.get(environment);
	}

	/**
	 * Check all properties below {@code distributed-lock}.
	 * @throws LockStartupException if one would mean something else, or nothing
	 */
	static void check(Environment environment) {
		LockSettingsCheck check = new LockSettingsCheck(environment);
		KnownProperties.all().forEach(check::duration);
		check.rawNames().forEach(check::lostCharacters);
		Set<String> unknown = new LinkedHashSet<>();
		check.names().forEach((name) -> {
			Named named = Named.of(name);
			if (named != null) {
				check.ofOne(named, name);
			}
			else if (check.isUnknown(name) && !check.isOfMisspelledGroup(name)) {
				unknown.add(name.toString());
			}
		});
		check.report();
		unknown.forEach(check::warn);
		check.leases.forEach(check::lease);
	}

	private void report() {
		if (!this.problems.isEmpty()) {
			throw LockStartupException.ofSettings(String.join(" ", this.problems), this.found,
					String.join(" ", this.actions), null);
		}
	}

	private void duration(String name, Class<?> type) {
		if (KnownProperties.isDuration(type)) {
			valueOf(ConfigurationPropertyName.of(name)).filter((value) -> NUMBER.matcher(value).matches())
				.ifPresent((value) -> withoutUnit(name, value));
		}
	}

	private void withoutUnit(String name, String value) {
		this.found.put(name, value);
		this.problems.add("A duration has no unit.");
		this.actions.add(THOUSANDS.matcher(value).matches()
				? "Write '%s=%sms' for milliseconds, or another unit such as s, m or h.".formatted(name, value)
				: "Write '%s=%ss' for seconds, or another unit such as ms, m or h.".formatted(name, value));
	}

	/**
	 * A unit that was added to the number of another library may be the wrong one.
	 */
	private void lease(ConfigurationPropertyName name) {
		Matcher seconds = SECONDS.matcher(valueOf(name).orElse(""));
		if (seconds.matches()) {
			Duration lease = Duration.ofSeconds(Long.parseLong(seconds.group(1)));
			if (lease.compareTo(Duration.ofHours(1)) > 0) {
				logger.warn("%s is %s, a lease of %s. If milliseconds are meant, write %sms. If not, write %s."
					.formatted(name, seconds.group(), Printable.of(lease), seconds.group(1), lease));
			}
		}
	}

	/**
	 * The binder drops characters that cannot stand in a property name without brackets:
	 * what remains may be the name of another lock.
	 */
	private void lostCharacters(String name) {
		Matcher property = WITH_A_NAME.matcher(name);
		if (property.matches() && LOST.matcher(property.group(2)).find()) {
			Named named = Objects
				.requireNonNull(Named.of(ROOT.append(property.group(1).toLowerCase(Locale.ROOT) + ".x")));
			this.found.put(name, String.valueOf(this.environment.getProperty(name)));
			this.problems
				.add("The name of %s contains a character that is ignored without brackets.".formatted(named.what()));
			this.actions.add("Write '%s[%s].%s'.".formatted(named.root(), property.group(2), property.group(3)));
		}
	}

	private void ofOne(Named named, ConfigurationPropertyName name) {
		int first = named.root().getNumberOfElements();
		int last = name.getNumberOfElements() - 1;
		boolean complete = last > first;
		String setting = name.getElement(last, Form.ORIGINAL);
		String key = complete ? elements(name, first, last) : setting;
		String known = complete ? known(named, setting) : null;
		String written = named.root() + "." + (complete ? key + "." : "") + setting;
		String intended = "'" + named.root() + "[" + key + "].%s'";
		if (known == null) {
			this.found.put(written, valueOf(name).orElse(""));
			String similar = complete ? similar(named, setting) : null;
			this.problems.add(complete ? "There is no setting '" + setting + "' of " + named.what() + "."
					: "There is no setting after the name of " + named.what() + ".");
			this.actions.add(((similar != null) ? "Did you mean " + intended.formatted(similar) + "? " : "")
					+ "The settings of " + named.what() + " are " + String.join(", ", named.settings().keySet())
					+ (complete ? "." : "; in a properties file, a colon in the name needs a backslash."));
		}
		else if (last > first + 1) {
			this.found.put(written, valueOf(name).orElse(""));
			this.problems.add("The name of %s contains a dot and is not in brackets, so the property has no effect."
				.formatted(named.what()));
			this.actions.add("Write " + intended.formatted(known) + ".");
		}
		else if (KnownProperties.isDuration(named.settings().get(known))) {
			if (known.equals("timeout")) {
				this.leases.add(name);
			}
			valueOf(name).filter((value) -> NUMBER.matcher(value).matches())
				.ifPresent((value) -> withoutUnit(name.toString(), value));
		}
	}

	private static @Nullable String known(Named named, String setting) {
		return named.settings()
			.keySet()
			.stream()
			.filter((each) -> uniform(each).equals(uniform(setting)))
			.findFirst()
			.orElse(null);
	}

	private static @Nullable String similar(Named named, String setting) {
		String other = OTHER_WORDS.get(uniform(setting));
		return (other != null && named.settings().containsKey(other)) ? other
				: SimilarNames.nearest(setting, named.settings().keySet());
	}

	private static String uniform(String name) {
		return name.replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
	}

	private boolean isUnknown(ConfigurationPropertyName name) {
		return ROOT.isAncestorOf(name) && NAMED.stream().noneMatch((named) -> named.root().equals(name))
				&& KnownProperties.all()
					.keySet()
					.stream()
					.map(ConfigurationPropertyName::of)
					.noneMatch((known) -> known.equals(name) || known.isAncestorOf(name));
	}

	/**
	 * A leadership that does not exist is worse than a setting without effect: nobody
	 * leads.
	 */
	private boolean isOfMisspelledGroup(ConfigurationPropertyName name) {
		int group = ROOT.getNumberOfElements();
		int last = name.getNumberOfElements() - 1;
		String written = name.getElement(group, Form.ORIGINAL);
		boolean similar = uniform(written).startsWith("leader")
				|| LEADERSHIP_GROUP.equals(SimilarNames.nearest(written, groups()));
		if (!similar || last <= group + 1) {
			return false;
		}
		this.found.put(name.toString(), valueOf(name).orElse(""));
		this.problems.add("There is no group of properties '%s'.".formatted(name.chop(group + 1)));
		this.actions.add("Did you mean '%s[%s].%s'?".formatted(LEADERSHIP.root(), elements(name, group + 1, last),
				name.getElement(last, Form.ORIGINAL)));
		return true;
	}

	private static Set<String> groups() {
		Set<String> groups = new LinkedHashSet<>(List.of("locks", LEADERSHIP_GROUP));
		KnownProperties.all()
			.keySet()
			.forEach((known) -> groups
				.add(ConfigurationPropertyName.of(known).getElement(ROOT.getNumberOfElements(), Form.ORIGINAL)));
		return groups;
	}

	private void warn(String name) {
		Set<String> known = KnownProperties.all().keySet();
		String last = name.substring(name.lastIndexOf('.') + 1);
		String word = OTHER_WORDS.getOrDefault(uniform(last), last);
		String similar = known.stream()
			.filter((each) -> each.startsWith(KnownProperties.PREFIX + ".defaults.") && each.endsWith("." + word))
			.findFirst()
			.orElseGet(() -> SimilarNames.nearest(name, known));
		logger.warn("There is no property '" + name + "', so it has no effect."
				+ ((similar != null) ? " Did you mean '" + similar + "'?" : " Remove it."));
	}

	private Optional<String> valueOf(ConfigurationPropertyName name) {
		return Optional.ofNullable(this.binder.bind(name, Bindable.of(String.class)).orElse(null)).map(String::strip);
	}

	private static String elements(ConfigurationPropertyName name, int begin, int end) {
		return IntStream.range(begin, end)
			.mapToObj((index) -> name.getElement(index, Form.ORIGINAL))
			.collect(Collectors.joining("."));
	}

	private List<ConfigurationPropertyName> names() {
		List<ConfigurationPropertyName> names = new ArrayList<>();
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
			if (source instanceof IterableConfigurationPropertySource iterable) {
				iterable.stream().filter(ROOT::isAncestorOf).forEach(names::add);
			}
		}
		return names;
	}

	private List<String> rawNames() {
		List<String> names = new ArrayList<>();
		if (this.environment instanceof ConfigurableEnvironment configurable) {
			configurable.getPropertySources().forEach((source) -> {
				if (source instanceof EnumerablePropertySource<?> enumerable) {
					names.addAll(List.of(enumerable.getPropertyNames()));
				}
			});
		}
		return names;
	}

	/**
	 * Properties with a name that the application chooses.
	 *
	 * @param root their common beginning
	 * @param settings the settings after the name, with the types
	 */
	private record Named(ConfigurationPropertyName root, String what, Map<String, Class<?>> settings) {

		static @Nullable Named of(ConfigurationPropertyName name) {
			return NAMED.stream().filter((named) -> named.root().isAncestorOf(name)).findFirst().orElse(null);
		}

	}

}
