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

package io.distributedlock.kinds;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import io.distributedlock.LockOptions;

/**
 * The kinds of locks for which each promise is tested. An exclusive caller conflicts with
 * a holder of any kind.
 */
public enum LockKind {

	/** One holder. */
	EXCLUSIVE("exclusive lock") {

		@Override
		public LockOptions of(LockOptions options) {
			return options.withExclusive();
		}

	},

	/** Two holders at the same time. */
	PERMITS("permits") {

		@Override
		public LockOptions of(LockOptions options) {
			return options.withPermits(2);
		}

	},

	/** Any number of holders at the same time. */
	SHARED("shared lock") {

		@Override
		public LockOptions of(LockOptions options) {
			return options.withShared();
		}

	};

	private final String words;

	LockKind(String words) {
		this.words = words;
	}

	/**
	 * Return the options for a lock of this kind.
	 */
	public abstract LockOptions of(LockOptions options);

	/**
	 * Return the name of a lock that a test uses for this kind. Only requests for locks
	 * with such names count as evidence for the kind, as exclusive callers compete for
	 * locks of all kinds.
	 */
	public String named(String name) {
		return name + "." + name().toLowerCase(Locale.ROOT);
	}

	/**
	 * Return whether a row of the documentation is about one kind only: it ends with the
	 * name of the kind in parentheses.
	 */
	static boolean isTheOnlyOneOf(String row) {
		return Stream.of(values()).anyMatch((kind) -> row.endsWith("(" + kind.words + ")"));
	}

	/**
	 * Do something for each kind, and return the results.
	 */
	public static <T> Map<LockKind, T> map(Function<LockKind, T> function) {
		Map<LockKind, T> results = new EnumMap<>(LockKind.class);
		forEach((kind) -> results.put(kind, function.apply(kind)));
		return results;
	}

	/**
	 * Do something for each kind. A failure names the kind.
	 */
	public static void forEach(Consumer<LockKind> action) {
		for (LockKind kind : values()) {
			try {
				action.accept(kind);
			}
			catch (AssertionError | RuntimeException ex) {
				throw new AssertionError(kind.words + ": " + ex, ex);
			}
		}
	}

	@Override
	public String toString() {
		return this.words;
	}

}
