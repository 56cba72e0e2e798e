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

package io.distributedlock.annotation.internal;

import java.util.Collection;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

/**
 * Finds the existing name that is most similar to one that does not exist, and the
 * duration that a text in words means.
 */
public final class SimilarNames {

	private static final int FAR = 3;

	private static final Pattern DURATION = Pattern.compile(
			"(\\d{1,9})\\s*(ms(?:ecs?)?|millis(?:econds?)?|s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?|d(?:ays?)?)\\.?");

	private SimilarNames() {
	}

	/**
	 * Return the candidate that differs only in case and punctuation, or in one or two
	 * letters of a longer word, or {@code null} if none does.
	 */
	public static @Nullable String nearest(String written, Collection<String> candidates) {
		String nearest = null;
		int smallest = Math.min(FAR, written.length());
		for (String candidate : candidates) {
			int distance = distance(normalized(written), normalized(candidate));
			if (distance < smallest) {
				nearest = candidate;
				smallest = distance;
			}
		}
		return nearest;
	}

	/**
	 * Return how to write a duration, as in {@code 2m} for {@code 2 mins}, or
	 * {@code null} if the text means none.
	 */
	public static @Nullable String duration(String written) {
		Matcher words = DURATION.matcher(written.strip().toLowerCase(Locale.ROOT));
		if (!words.matches()) {
			return null;
		}
		String unit = words.group(2);
		return words.group(1) + ((unit.startsWith("ms") || unit.startsWith("millis")) ? "ms" : unit.charAt(0));
	}

	private static String normalized(String name) {
		String letters = name.replaceAll("[^\\p{L}\\p{N}]", "");
		return (letters.isEmpty() ? name : letters).toLowerCase(Locale.ROOT);
	}

	/**
	 * Levenshtein's edit distance.
	 */
	private static int distance(String a, String b) {
		int[] row = IntStream.rangeClosed(0, b.length()).toArray();
		for (int i = 1; i <= a.length(); i++) {
			int diagonal = row[0];
			row[0] = i;
			for (int j = 1; j <= b.length(); j++) {
				int replaced = diagonal + ((a.charAt(i - 1) != b.charAt(j - 1)) ? 1 : 0);
				diagonal = row[j];
				row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
			}
		}
		return row[b.length()];
	}

}
