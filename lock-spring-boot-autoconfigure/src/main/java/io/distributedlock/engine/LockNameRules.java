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

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

import io.distributedlock.InvalidLockNameException;
import io.distributedlock.Printable;
import org.jspecify.annotations.Nullable;

/**
 * What can be the name of a lock: any text of at most 4,096 bytes of UTF-8 that is not
 * blank. Halves of surrogate pairs have no UTF-8, so that different names would be one.
 */
final class LockNameRules {

	static final int LONGEST = 4096;

	private static final int SHOWN = 64;

	private LockNameRules() {
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
				throw refused(name, ("contains half a surrogate pair (U+%04X) at index %d, which has no UTF-8. "
						+ "Do not cut texts between the two halves")
					.formatted((int) c, i));
			}
		}
		if (bytes > LONGEST) {
			throw refused(name, "is %d bytes of UTF-8 long, but may have %d at most. Use a digest of long parts"
				.formatted(bytes, LONGEST));
		}
	}

	/**
	 * Check names, and return them in the order in which everybody acquires them.
	 */
	static List<String> sorted(Collection<String> names) {
		if (names.isEmpty()) {
			throw new InvalidLockNameException("",
					"There is no name to lock: the collection of names is empty. Give at least one.");
		}
		for (String name : names) {
			check(name);
		}
		return new ArrayList<>(new TreeSet<>(names));
	}

	private static InvalidLockNameException refused(String name, String why) {
		return new InvalidLockNameException(name,
				"'" + Printable.of(start(name)) + "' cannot be the name of a lock: it " + why + ".");
	}

	private static String start(String name) {
		if (name.length() <= SHOWN) {
			return name;
		}
		return name.substring(0, Character.isHighSurrogate(name.charAt(SHOWN - 1)) ? SHOWN - 1 : SHOWN) + "…";
	}

}
