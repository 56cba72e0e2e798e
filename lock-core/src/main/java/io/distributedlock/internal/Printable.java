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

package io.distributedlock.internal;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.function.IntPredicate;

/**
 * Formats values for messages, logs and the endpoint.
 */
public final class Printable {

	/**
	 * Letters and marks that are not visible when displayed.
	 */
	private static final IntPredicate INVISIBLE = (c) -> c == 0x034F || c == 0x115F || c == 0x1160 || c == 0x17B4
			|| c == 0x17B5 || (c >= 0x180B && c <= 0x180F) || c == 0x2800 || c == 0x3164 || (c >= 0xFE00 && c <= 0xFE0F)
			|| c == 0xFFA0 || (c >= 0xE0100 && c <= 0xE01EF);

	private static final long SECONDS_PER_DAY = 86_400;

	private static final long[] UNIT_NANOS = { 3_600_000_000_000L, 60_000_000_000L, 1_000_000_000L, 1_000_000L, 1_000L,
			1L };

	private static final String[] UNITS = { "h", "m", "s", "ms", "us", "ns" };

	private Printable() {
	}

	/**
	 * Return a text without characters that could forge a log line or hide text. Replaces
	 * control characters, line and paragraph separators, spaces other than the usual one,
	 * marks that are invisible or change the direction of writing, unassigned and
	 * private-use characters, and unpaired surrogates by <code>&#92;uXXXX</code>. Leaves
	 * other text, and the result of an earlier call, unchanged.
	 */
	public static String of(String text) {
		return text.codePoints().anyMatch(Printable::isHidden) ? escape(text) : text;
	}

	/**
	 * Return two texts as one. If the first one does not end like a sentence, it ends
	 * with a command to copy, and comes last.
	 */
	public static String joined(String text, String next) {
		return text.endsWith(".") ? text + ' ' + next : next + ' ' + text;
	}

	/**
	 * Return a duration as it is written in annotations and properties: {@code 30s},
	 * {@code 1m30s}, {@code 500ms}.
	 */
	public static String of(Duration duration) {
		// The shortest duration of all has no opposite, but its days and its rest do
		boolean negative = duration.isNegative();
		long seconds = duration.getSeconds() + ((negative && duration.getNano() > 0) ? 1 : 0);
		long rest = Math.abs(duration.minusSeconds(seconds - seconds % SECONDS_PER_DAY).toNanos());
		long days = Math.abs(seconds / SECONDS_PER_DAY);
		StringBuilder text = new StringBuilder((days > 0) ? days + "d" : "");
		for (int i = 0; i < UNITS.length; i++) {
			long count = rest / UNIT_NANOS[i];
			rest -= count * UNIT_NANOS[i];
			if (count > 0) {
				text.append(count).append(UNITS[i]);
			}
		}
		return text.isEmpty() ? "0s" : (negative ? "-" : "") + text;
	}

	/**
	 * Return a duration that was measured, without what is shorter than a millisecond.
	 */
	public static String elapsed(Duration duration) {
		return of(duration.truncatedTo(ChronoUnit.MILLIS));
	}

	private static String escape(String text) {
		StringBuilder result = new StringBuilder();
		text.codePoints().forEach((c) -> {
			if (isHidden(c)) {
				for (char unit : Character.toChars(c)) {
					result.append("\\u%04X".formatted((int) unit));
				}
			}
			else {
				result.appendCodePoint(c);
			}
		});
		return result.toString();
	}

	private static boolean isHidden(int c) {
		if (c >= ' ' && c < 0x7F) {
			return false;
		}
		return switch (Character.getType(c)) {
			case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
					Character.SPACE_SEPARATOR, Character.SURROGATE, Character.UNASSIGNED, Character.PRIVATE_USE ->
				true;
			default -> INVISIBLE.test(c);
		};
	}

}
