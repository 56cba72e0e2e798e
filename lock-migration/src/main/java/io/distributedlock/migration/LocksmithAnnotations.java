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

/**
 * Replaces {@code @DistributedLock} of Locksmith.
 *
 * @since 0.1.0
 */
public class LocksmithAnnotations extends LockAnnotationRecipe {

	private static final String LIBRARY = "in.riido.locksmith";

	private static final Set<String> ATTRIBUTES = Set.of("key", "mode", "type", "leaseTime", "waitTime", "autoRenew",
			"onSkip", "skipHandler", "onLeaseExpired");

	@Override
	public String getDisplayName() {
		return "Replace the annotations of Locksmith";
	}

	@Override
	public String getDescription() {
		return "Turns Locksmith's `@DistributedLock` into ours, and marks what has no equivalent.";
	}

	@Override
	String library() {
		return LIBRARY;
	}

	@Override
	Set<String> locks() {
		return Set.of(LIBRARY + ".DistributedLock");
	}

	@Override
	Translation translate(Lock lock, Seen seen) {
		Attributes attributes = lock.attributes();
		if (!ATTRIBUTES.containsAll(attributes.names())) {
			return new Translation.Kept(
					"It has attributes that the recipe does not know: write @DistributedLock by hand.");
		}
		Boolean skips = skips(attributes);
		if (skips == null) {
			return new Translation.Kept("Its skipHandler is code: use a fallbackMethod.");
		}
		Translation.Replaced replaced = new Translation.Replaced("DistributedLock").with("name",
				attributes.source("key"));
		String key = attributes.text("key");
		if (key == null || (!key.contains("#{") && LockNames.isExpression(key))) {
			replaced.note(
					"The key is an expression here if it has a #variable, an @bean, or quotation marks. Write an expression as \"#{…}\".");
		}
		if (attributes.isTrue("autoRenew")) {
			replaced.with("autoRenew", "true");
		}
		replaced.with("timeoutString",
				given(attributes, "leaseTime") ? attributes.source("leaseTime") : "\"${locksmith.lease-time:10m}\"");
		if (attributes.names("mode", "WAIT_AND_SKIP")) {
			replaced.with("waitTimeString",
					given(attributes, "waitTime") ? attributes.source("waitTime") : "\"${locksmith.wait-time:60s}\"");
		}
		if (skips) {
			replaced.with("onContention", "OnContention.SKIP");
		}
		if (attributes.names("type", "READ")) {
			replaced.with("mode", "LockMode.SHARED");
		}
		if (attributes.names("onLeaseExpired", "THROW_EXCEPTION")) {
			replaced.with("onLost", "LossReaction.THROW");
		}
		return replaced;
	}

	private static boolean given(Attributes attributes, String name) {
		return attributes.has(name) && !attributes.source(name).equals("\"\"");
	}

	/**
	 * Return {@code null} if code decides what a skipped call returns.
	 */
	private static @Nullable Boolean skips(Attributes attributes) {
		if (attributes.has("skipHandler")) {
			String handler = attributes.source("skipHandler");
			if (handler.matches("(.*[.])?(Lock)?ReturnDefaultHandler[.]class")) {
				return true;
			}
			return handler.matches("(.*[.])?(Lock)?ThrowExceptionHandler[.]class") ? false : null;
		}
		return attributes.names("onSkip", "RETURN_DEFAULT");
	}

}
