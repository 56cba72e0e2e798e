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
import java.security.SecureRandom;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * A hold that an operator took through the endpoint, and not an instance for its work.
 * The token says who took it and why, so that whoever is refused learns both with the
 * refusal. Its random part is longer than that of any instance.
 *
 * @param operator the name of the operator
 * @param reason why the lock is held
 */
record OperatorHold(String operator, String reason) {

	private static final Pattern TOKEN = Pattern.compile("operator~[A-Za-z0-9_-]{22}([A-Za-z0-9_-]{2,4096}):0");

	private static final int RANDOM_BYTES = 16;

	private static final char SEPARATOR = '\n';

	LockToken newToken() {
		byte[] random = new byte[RANDOM_BYTES];
		new SecureRandom().nextBytes(random);
		Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
		String who = this.operator.replace(SEPARATOR, ' ') + SEPARATOR + this.reason;
		return new LockToken("operator~" + encoder.encodeToString(random)
				+ encoder.encodeToString(who.getBytes(StandardCharsets.UTF_8)), 0);
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
			int end = who.indexOf(SEPARATOR);
			return (end < 0) ? null : new OperatorHold(who.substring(0, end), who.substring(end + 1));
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

}
