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

package io.distributedlock.engine;

import io.distributedlock.InvalidLockNameException;
import org.jspecify.annotations.Nullable;

/**
 * What can be the name of a lock: text of at most 512 bytes of UTF-8 that is not blank
 * and contains neither control characters nor halves of surrogate pairs.
 */
final class LockNames {

	static final int LONGEST = 512;

	private static final int SHOWN = 64;

	private LockNames() {
	}

	static void check(@Nullable String name) {
		if (name == null || name.isBlank()) {
			throw new InvalidLockNameException((name != null) ? name : "",
					"The name of a lock is " + ((name != null) ? "blank" : "null")
							+ ". Give a name that says what is locked, for example 'order:42'.");
		}
		int bytes = 0;
		for (int i = 0; i < name.length(); i++) {
			char c = name.charAt(i);
			if (Character.isISOControl(c)) {
				throw refused(name, "contains the control character U+%04X at index %d".formatted((int) c, i));
			}
			if (c < 0x80) {
				bytes++;
			}
			else if (c < 0x800) {
				bytes += 2;
			}
			else if (!Character.isSurrogate(c)) {
				bytes += 3;
			}
			else if (Character.isHighSurrogate(c) && i + 1 < name.length()
					&& Character.isLowSurrogate(name.charAt(i + 1))) {
				bytes += 4;
				i++;
			}
			else {
				throw refused(name, "contains half a surrogate pair (U+%04X) at index %d".formatted((int) c, i));
			}
		}
		if (bytes > LONGEST) {
			throw refused(name, "is %d bytes of UTF-8 long, but may have %d at most; use a digest of long parts"
				.formatted(bytes, LONGEST));
		}
	}

	private static InvalidLockNameException refused(String name, String why) {
		String shown = printable(name);
		return new InvalidLockNameException(shown,
				"'" + shown + "' cannot be the name of a lock: it " + why + ". Change the name.");
	}

	static String printable(String name) {
		String start = (name.length() > SHOWN) ? name.substring(0, SHOWN) + "…" : name;
		StringBuilder text = new StringBuilder();
		start.chars().forEach((c) -> {
			if (Character.isISOControl(c) || Character.isSurrogate((char) c)) {
				text.append("\\u%04X".formatted(c));
			}
			else {
				text.append((char) c);
			}
		});
		return text.toString();
	}

}
