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

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

/**
 * Replaces {@code @Lock4j}. The name is {@code NAME#KEYS}, as in the key of Lock4j, so
 * that both exclude each other with {@code distributed-lock.key-prefix=lock4j:}.
 *
 * @since 0.1.0
 */
public class Lock4jAnnotations extends LockAnnotationRecipe {

	private static final String LIBRARY = "com.baomidou.lock";

	private static final Set<String> ATTRIBUTES = Set.of("name", "keys", "expire", "acquireTimeout", "autoRelease");

	@Override
	public String getDisplayName() {
		return "Replace the annotations of Lock4j";
	}

	@Override
	public String getDescription() {
		return "Turns `@Lock4j` into `@DistributedLock`, and marks what has no equivalent.";
	}

	@Override
	String library() {
		return LIBRARY;
	}

	@Override
	Set<String> locks() {
		return Set.of(LIBRARY + ".annotation.Lock4j");
	}

	@Override
	Translation translate(Lock lock, Seen seen) {
		Attributes attributes = lock.attributes();
		if (!ATTRIBUTES.containsAll(attributes.names())) {
			return new Translation.Kept(
					"Its executor, failStrategy or keyBuilderStrategy is code: use a fallbackMethod, or a name such as \"pay:#{@keys.of(#order)}\".");
		}
		if (attributes.has("autoRelease") && !attributes.isTrue("autoRelease")) {
			return new Translation.Kept(
					"autoRelease = false keeps the lock for the whole lease, also after an exception. minHold is the equivalent for calls that succeed.");
		}
		String name = name(lock);
		if (name == null) {
			return new Translation.Kept("Its name or a key is not written as a literal.");
		}
		return times(attributes, new Translation.Replaced("DistributedLock").with("name", Attributes.quoted(name)));
	}

	private static Translation.Replaced times(Attributes attributes, Translation.Replaced replaced) {
		Long expire = attributes.number("expire");
		Long wait = attributes.number("acquireTimeout");
		boolean expires = attributes.has("expire") && (expire == null || expire > 0);
		boolean waits = attributes.has("acquireTimeout") && (wait == null || wait >= 0);
		if (expires && waits && expire != null && expire % 1000 == 0 && wait != null && wait % 1000 == 0) {
			return replaced.with("timeout", String.valueOf(expire / 1000))
				.with("waitTime", String.valueOf(wait / 1000));
		}
		if (expires) {
			replaced.with("timeout", attributes.source("expire"));
		}
		else {
			// Renewed if the executor can do that
			replaced.with("timeoutString", "\"${lock4j.expire:30000}\"").with("autoRenew", "true");
		}
		if (waits) {
			replaced.with("waitTime", attributes.source("acquireTimeout"));
		}
		else {
			replaced.with("waitTimeString", "\"${lock4j.acquire-timeout:3000}\"");
		}
		return replaced.with("timeUnit", "TimeUnit.MILLISECONDS");
	}

	private static @Nullable String name(Lock lock) {
		Attributes attributes = lock.attributes();
		String name = "";
		if (attributes.has("name")) {
			String text = attributes.text("name");
			if (text == null) {
				return null;
			}
			name = text;
		}
		if (name.isBlank()) {
			var type = lock.method().getMethodType();
			if (type == null) {
				return null;
			}
			name = type.getDeclaringType().getFullyQualifiedName() + type.getName();
		}
		List<String> keys = new ArrayList<>();
		for (Expression key : elements(attributes.get("keys"))) {
			String text = Attributes.textOf(key);
			if (text == null) {
				return null;
			}
			if (!text.isBlank()) {
				keys.add(LockNames.ofExpression(text));
			}
		}
		return LockNames.ofLiteral(name) + "#" + String.join(".", keys);
	}

	private static List<Expression> elements(@Nullable Expression value) {
		if (value instanceof J.NewArray array) {
			return (array.getInitializer() != null) ? array.getInitializer() : List.of();
		}
		return (value != null) ? List.of(value) : List.of();
	}

}
