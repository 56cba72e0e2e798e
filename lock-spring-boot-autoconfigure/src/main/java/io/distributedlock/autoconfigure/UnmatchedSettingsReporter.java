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

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.annotation.LockFinding;
import io.distributedlock.annotation.LockFinding.Severity;
import io.distributedlock.annotation.LockValidation;
import io.distributedlock.annotation.internal.SettingsInspector;
import io.distributedlock.annotation.internal.SimilarNames;
import io.distributedlock.autoconfigure.DistributedLockProperties.NamedLock;
import io.distributedlock.autoconfigure.internal.LockStartupException;
import io.distributedlock.autoconfigure.internal.SettingOrigin;
import io.distributedlock.internal.DeclaredLock;
import io.distributedlock.internal.DeclaredLocks;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Reports settings of individual locks that match no declared lock, once these are known:
 * with the mistakes of annotations if there are any. They may belong to locks that code
 * acquires without options.
 */
final class UnmatchedSettingsReporter implements ApplicationListener<ContextRefreshedEvent>, SettingsInspector {

	private static final Log logger = LogFactory.getLog(UnmatchedSettingsReporter.class);

	/** More methods may share a name. */
	private static final int MOST_HINTS = 5;

	private static final int MOST_NAMES = 10;

	private final Map<String, NamedLock> configured;

	private final Map<String, String> keys;

	private final boolean strict;

	private final ObjectProvider<DeclaredLocks> declaredLocks;

	private final ApplicationContext context;

	UnmatchedSettingsReporter(DistributedLockProperties properties, ObjectProvider<DeclaredLocks> declaredLocks,
			ApplicationContext context) {
		this.configured = properties.locks();
		this.keys = properties.keys();
		this.strict = properties.validation() == LockValidation.STRICT;
		this.declaredLocks = declaredLocks;
		this.context = context;
	}

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (this.configured.isEmpty() || event.getApplicationContext() != this.context) {
			return;
		}
		List<LockStartupException> refused = new ArrayList<>();
		for (Doubt doubt : find(Set.of(), logger::info)) {
			if (this.strict || doubt.severity() == Severity.ERROR) {
				refused.add(doubt.refused());
			}
			else {
				logger.warn(doubt.problem() + " " + doubt.action() + origin(doubt));
			}
		}
		if (!refused.isEmpty()) {
			throw LockStartupException.ofAll(refused);
		}
	}

	@Override
	public List<LockFinding> inspect(Set<String> mistaken) {
		if (this.configured.isEmpty()) {
			return List.of();
		}
		return find(mistaken, (harmless) -> {
		}).stream().map((doubt) -> doubt.finding(origin(doubt))).toList();
	}

	/**
	 * All settings of a lock mostly stand together.
	 */
	private String origin(Doubt doubt) {
		return doubt.settings()
			.entrySet()
			.stream()
			.filter((setting) -> setting.getValue() != null)
			.findFirst()
			.map((setting) -> SettingOrigin.of(setting.getKey(), this.context.getEnvironment()))
			.orElse("");
	}

	/**
	 * @param others names of locks whose annotations have mistakes
	 * @param harmless takes what is worth knowing, and no doubt
	 */
	private List<Doubt> find(Set<String> others, Consumer<String> harmless) {
		List<Doubt> doubts = new ArrayList<>();
		Set<String> settable = new LinkedHashSet<>(others);
		Map<String, Set<String>> known = new LinkedHashMap<>();
		List<DeclaredLock> locks = this.declaredLocks.stream().flatMap((each) -> each.declared().stream()).toList();
		locks.forEach((lock) -> rejectKeyWithoutEffect(lock, doubts));
		for (DeclaredLock lock : locks) {
			doubtRenewal(lock, doubts);
			settable.add(lock.declaredName());
			for (String name : lock.names()) {
				Stream.of(name, name.replaceFirst("#.*", ""))
					.forEach((each) -> known.computeIfAbsent(each, (key) -> new LinkedHashSet<>())
						.add(lock.declaredName()));
				if (isOwnName(name, lock)) {
					settable.add(name);
				}
			}
		}
		settable.forEach((name) -> known.put(name, Set.of(name)));
		this.configured.keySet().stream().filter((name) -> !settable.contains(name)).sorted().forEach((name) -> {
			String similar = SimilarNames.nearest(name, known.keySet());
			if (similar != null) {
				doubt(name,
						"The settings under distributed-lock.locks[%s] belong to no lock that an annotation declares."
							.formatted(name),
						(settable.contains(similar) ? ""
								: "Locks whose names are expressions have settings by their method. ")
								+ "Did you mean %s?".formatted(Objects.requireNonNull(known.get(similar))
									.stream()
									.map("distributed-lock.locks[%s]"::formatted)
									.limit(MOST_HINTS)
									.collect(Collectors.joining(" or "))),
						doubts);
			}
			else {
				harmless.accept(
						"The settings under distributed-lock.locks[%s] belong to no lock that an annotation declares: they apply where code takes a lock of this name without options, a key also with options. %s"
							.formatted(name, declaredNames(locks)));
			}
		});
		return doubts;
	}

	private static String declaredNames(List<DeclaredLock> locks) {
		List<String> names = locks.stream().map(DeclaredLock::declaredName).distinct().sorted().toList();
		if (names.isEmpty()) {
			return "No annotation declares a lock.";
		}
		return "Annotations declare %s%s.".formatted(
				names.stream().limit(MOST_NAMES).map("'%s'"::formatted).collect(Collectors.joining(", ")),
				(names.size() > MOST_NAMES) ? " and %d more".formatted(names.size() - MOST_NAMES) : "");
	}

	private void doubt(String name, String problem, String action, List<Doubt> doubts) {
		String root = "distributed-lock.locks[" + name + "].";
		Map<String, @Nullable Object> settings = new LinkedHashMap<>();
		Objects.requireNonNull(this.configured.get(name))
			.given()
			.values()
			.forEach((option, value) -> settings.put(root + option.property(), value));
		settings.put(root + "key", this.keys.get(name));
		doubts.add(new Doubt(Severity.WARNING, name, settings, problem, action));
	}

	/**
	 * The other settings are found by the declared name of a lock, but only its own name
	 * has a key. A key without effect would silently fail to exclude another library.
	 */
	private void rejectKeyWithoutEffect(DeclaredLock lock, List<Doubt> doubts) {
		String name = lock.declaredName();
		String key = this.keys.get(name);
		if (key != null && !lock.names().contains(name)) {
			doubts.add(new Doubt(Severity.ERROR, name, Map.of("distributed-lock.locks[" + name + "].key", key),
					"A key belongs to a single lock, and no lock has the name '%s': it stands for the locks of %s, whose name is %s."
						.formatted(name, lock.location(), String.join(", ", lock.names())),
					"Write the actual name of a lock in the brackets, or set distributed-lock.key-prefix to the prefix of the other library's keys."));
		}
	}

	private void doubtRenewal(DeclaredLock lock, List<Doubt> doubts) {
		String name = lock.declaredName();
		NamedLock settings = this.configured.get(name);
		if (!lock.options().autoRenew() && settings != null
				&& (settings.renewInterval() != null || settings.maxHold() != null)) {
			String root = "distributed-lock.locks[" + name + "].";
			doubt(name,
					"%s has no effect, because the lease of the lock on %s is not renewed.".formatted(
							root + ((settings.maxHold() != null) ? "max-hold" : "renew-interval"), lock.location()),
					"Set %sauto-renew=true, or remove it.".formatted(root), doubts);
		}
	}

	/**
	 * A method whose lock is not named has settings by its long name and by its short
	 * one. A name in an annotation is either the declared name or an expression, by which
	 * no setting is found.
	 */
	private static boolean isOwnName(String name, DeclaredLock lock) {
		return lock.location().startsWith(name + "(");
	}

	/**
	 * @param name the lock in the brackets
	 */
	private record Doubt(Severity severity, String name, Map<String, ? extends @Nullable Object> settings,
			String problem, String action) {

		LockStartupException refused() {
			return LockStartupException.ofSettings(this.problem, this.settings, this.action, null);
		}

		LockFinding finding(String origin) {
			return new LockFinding(this.severity, "distributed-lock.locks[" + this.name + "]" + origin, this.problem,
					this.action);
		}

	}

}
