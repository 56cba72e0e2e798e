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

import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.J;

/**
 * Replaces {@code @RedisLocked} and {@code @RedisMultiLocked} of the library
 * {@code distributed-lock} by Alen Turković.
 *
 * @since 0.1.0
 */
public class AlturkovicAnnotations extends LockAnnotationRecipe {

	private static final String LIBRARY = "com.github.alturkovic.lock";

	private static final String SINGLE = LIBRARY + ".redis.alias.RedisLocked";

	private static final String MULTI = LIBRARY + ".redis.alias.RedisMultiLocked";

	private static final Set<String> ATTRIBUTES = Set.of("prefix", "expression", "expiration", "timeout", "retry",
			"refresh", "storeId", "manuallyReleased");

	@Override
	public String getDisplayName() {
		return "Replace the annotations of alturkovic's distributed-lock";
	}

	@Override
	public String getDescription() {
		return "Turns `@RedisLocked` and `@RedisMultiLocked` into `@DistributedLock`, and marks what has no equivalent.";
	}

	@Override
	String library() {
		return LIBRARY;
	}

	@Override
	Set<String> locks() {
		return Set.of(SINGLE, MULTI, LIBRARY + ".Locked", LIBRARY + ".jdbc.alias.JdbcLocked",
				LIBRARY + ".mongo.alias.MongoLocked");
	}

	@Override
	Set<String> switches() {
		return Set.of(LIBRARY + ".redis.configuration.EnableRedisDistributedLock");
	}

	@Override
	Translation translate(Lock lock, Seen seen) {
		Attributes attributes = lock.attributes();
		String type = typeOf(lock.annotation());
		if (!type.equals(SINGLE) && !type.equals(MULTI)) {
			return new Translation.Kept(
					"Its lock is not in Redis, or its type is not known. Instances with the old and the new lock would not exclude each other.");
		}
		if (!ATTRIBUTES.containsAll(attributes.names())) {
			return new Translation.Kept("It has attributes that the recipe does not know.");
		}
		if (attributes.has("manuallyReleased") && !attributes.source("manuallyReleased").equals("false")) {
			return new Translation.Kept("It is released by hand. Use LockService.acquire, and close the handle.");
		}
		Translation.Replaced replaced = new Translation.Replaced("DistributedLock");
		if (!name(attributes, type.equals(MULTI), replaced)) {
			return new Translation.Kept(
					"Its expression reads fields or methods of the bean, a constant, or several keys with a prefix. Write the name by hand.");
		}
		time(attributes, "expiration", "10s", "timeoutString", replaced);
		time(attributes, "timeout", "1s", "waitTimeString", replaced);
		String refresh = value(attributes, "refresh");
		if (refresh != null && !refresh.equals("0") && !refresh.startsWith("-")) {
			replaced.with("autoRenew", "true");
			time(attributes, "refresh", "", "renewIntervalString", replaced);
		}
		if (attributes.has("storeId")) {
			replaced.note("storeId = %s is gone: the key is now distributed-lock.key-prefix and the name."
				.formatted(attributes.source("storeId")));
		}
		return replaced;
	}

	private static boolean name(Attributes attributes, boolean multi, Translation.Replaced replaced) {
		String prefix = attributes.has("prefix") ? attributes.text("prefix") : "";
		if (prefix == null) {
			return false;
		}
		if (!attributes.has("expression")) {
			// Class and method are the default here, too
			return prefix.isEmpty();
		}
		String expression = attributes.text("expression");
		if (expression == null || expression.contains("#executionPath")
				|| !expression.strip().matches("(?s)(#|T\\(|@|'|\\{).*") || (multi && !prefix.isEmpty())) {
			return false;
		}
		// A template cannot be a list of names
		boolean list = multi && !expression.strip().matches("'[^']*'");
		String name = list ? expression : LockNames.ofExpression(expression);
		if (!prefix.isEmpty()) {
			name = LockNames.ofLiteral(prefix) + name;
		}
		if (list && !LockNames.isExpression(expression)) {
			return false;
		}
		replaced.with("name", Attributes.quoted(name));
		return true;
	}

	/**
	 * The unit of an interval was seconds until version 1.2, and is milliseconds since.
	 */
	private static void time(Attributes attributes, String name, String defaultText, String newName,
			Translation.Replaced replaced) {
		if (!attributes.has(name)) {
			replaced.with(newName, Attributes.quoted(defaultText));
			return;
		}
		String value = value(attributes, name);
		Attributes interval = interval(attributes, name);
		String unit = interval.has("unit") ? interval.source("unit").replaceFirst(".*[.]", "") : "MILLISECONDS";
		String suffix = switch (unit) {
			case "NANOSECONDS" -> "ns";
			case "MICROSECONDS" -> "us";
			case "MILLISECONDS" -> "ms";
			case "SECONDS" -> "s";
			case "MINUTES" -> "m";
			case "HOURS" -> "h";
			case "DAYS" -> "d";
			default -> "";
		};
		if (value == null || suffix.isEmpty()) {
			replaced
				.note("Set %s: %s = %s is not written as a literal.".formatted(newName, name, attributes.source(name)));
			return;
		}
		// A placeholder for a number, too
		replaced.with(newName, Attributes.quoted(value + suffix));
		if (!interval.has("unit")) {
			replaced.note(
					"%s has no unit: milliseconds, as in the last versions of that library. The first ones meant seconds."
						.formatted(name));
		}
	}

	private static @Nullable String value(Attributes attributes, String name) {
		return attributes.has(name) ? interval(attributes, name).text("value") : null;
	}

	private static Attributes interval(Attributes attributes, String name) {
		return (attributes.get(name) instanceof J.Annotation interval) ? attributes.of(interval) : attributes;
	}

}
