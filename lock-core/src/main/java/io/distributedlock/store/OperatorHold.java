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

package io.distributedlock.store;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.internal.RandomIdentity;
import org.jspecify.annotations.Nullable;

/**
 * A hold that an operator took through the endpoint, and not an instance for its work.
 * The token says who took it and why, so that whoever is refused learns both with the
 * refusal. Its random part is longer than that of any instance.
 *
 * @param instance the name of the instance that asks for the lock
 * @param operator the name of the operator
 * @param reason why the lock is held
 */
record OperatorHold(String instance, String operator, String reason) {

	private static final Pattern TOKEN = Pattern.compile("operator~[A-Za-z0-9_-]{22}([A-Za-z0-9_-]{3,443}):[01]");

	private static final int NAME_BYTES = 332;

	private static final String SEPARATOR = "\n";

	LockToken newToken() {
		byte[] names = String.join(SEPARATOR, this.instance, this.operator.replace(SEPARATOR, " "), this.reason)
			.getBytes(StandardCharsets.UTF_8);
		if (names.length > NAME_BYTES) {
			throw new IllegalArgumentException(
					"The names of an operator's hold have %d bytes, but may have %d. Shorten the reason."
						.formatted(names.length, NAME_BYTES));
		}
		return new LockToken(
				"operator~" + RandomIdentity.next() + Base64.getUrlEncoder().withoutPadding().encodeToString(names), 0);
	}

	/**
	 * Return the hold to which a token belongs, or {@code null} if it is no token of an
	 * operator.
	 */
	static @Nullable OperatorHold of(String token) {
		Matcher matcher = TOKEN.matcher(token);
		if (!matcher.matches()) {
			return null;
		}
		try {
			String who = new String(Base64.getUrlDecoder().decode(matcher.group(1)), StandardCharsets.UTF_8);
			String[] parts = who.split(SEPARATOR, 3);
			return (parts.length < 3) ? null : new OperatorHold(parts[0], parts[1], parts[2]);
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

}
