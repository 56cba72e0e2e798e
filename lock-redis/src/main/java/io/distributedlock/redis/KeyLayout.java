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

package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Defines the Redis keys of a lock. The lock itself is the key {@code prefix + name}, for
 * every name, so that clients in other languages find it. Its companions must hash to the
 * same cluster slot, and must not be the key or companion of another lock:
 *
 * <ul>
 * <li>{@code {lock:a}:fence} for the lock {@code lock:a}: the whole main key is the hash
 * tag.</li>
 * <li>{@code {tag}lock:a{tag}b:fence} for the lock {@code lock:a{tag}b}, which has a hash
 * tag of its own.</li>
 * <li>{@code {1234}lock:a}b:fence} for the lock {@code lock:a}b}, which has no hash tag
 * and cannot be one, as it contains a closing brace: 1234 is a number that hashes to the
 * same slot.</li>
 * </ul>
 *
 * <p>
 * Every companion begins with a brace; so the prefix must not be empty, and must not
 * begin with one. The text after the first closing brace distinguishes the first form
 * from the others, in which it contains the main key.
 *
 * <p>
 * Single locks may have an exact key instead, which another library uses for the same
 * work. Its companions follow from the key in the same way.
 */
final class KeyLayout {

	/** Position of the lock among its {@linkplain #keys(String) keys}. */
	static final int MAIN = 0;

	/** The waiters themselves are of no interest to an attempt that does not wait. */
	private static final int OF_ATTEMPT = 3;

	private static final int ALL = 4;

	/** Position of the record among the companions, which no lock needs. */
	private static final int RECORD = 3;

	private static final List<String> COMPANIONS = List.of(":fence", ":queue", ":waiting", ":record");

	private static final byte[][] SUFFIXES = COMPANIONS.stream().map(KeyLayout::utf8).toArray(byte[][]::new);

	private final String prefix;

	private final byte[] mainPrefix;

	private final String inboxPrefix;

	/** The keys of the locks that have an exact one, by name. */
	private final Map<String, byte[][]> exact;

	/** The names of these locks, by key. */
	private final Map<String, String> exactNames;

	KeyLayout(String prefix) {
		this(prefix, Map.of());
	}

	/** Refuses what would make two locks share a key. */
	KeyLayout(String prefix, Map<String, String> exactKeys) {
		if (prefix.isEmpty() || prefix.startsWith("{")) {
			throw new IllegalArgumentException("The key prefix '" + prefix
					+ "' is empty or begins with a brace. Set one such as 'lock:' or 'lock:{shop}:',"
					+ " so that no lock can have the key of another lock's queue.");
		}
		this.prefix = prefix;
		this.mainPrefix = utf8(prefix);
		this.inboxPrefix = prefix + "inbox:";
		this.exact = new HashMap<>();
		this.exactNames = new HashMap<>();
		new TreeMap<>(exactKeys).forEach((name, key) -> {
			check(name, key, exactKeys);
			this.exact.put(name, withCompanions(utf8(key), ALL));
			this.exactNames.put(key, name);
		});
	}

	private void check(String name, String key, Map<String, String> exactKeys) {
		String what = "The key '" + Printable.of(key) + "' of lock '" + Printable.of(name) + "'";
		if (key.isBlank()) {
			throw new IllegalArgumentException(what + " is blank. Give the whole Redis key.");
		}
		if (key.startsWith("{") && COMPANIONS.stream().anyMatch(key::endsWith)) {
			throw new IllegalArgumentException(what
					+ " begins with a brace and ends like a companion of a lock, so it could be the queue of another lock. Choose a key that ends differently.");
		}
		String other = this.exactNames.get(key);
		if (other != null) {
			throw new IllegalArgumentException(what + " is also that of lock '" + Printable.of(other)
					+ "'. Use one name for both, as they are one lock.");
		}
		String usual = key.startsWith(this.prefix) ? key.substring(this.prefix.length()) : name;
		if (!usual.equals(name) && !exactKeys.containsKey(usual)) {
			throw new IllegalArgumentException(
					what + " is that of lock '" + Printable.of(usual) + "', because it begins with the key prefix '"
							+ this.prefix + "'. Use that name, or another key prefix.");
		}
	}

	/** The exact keys and their companions, as patterns for the rights of a user. */
	List<String> exactPatterns() {
		List<String> patterns = new ArrayList<>();
		new TreeMap<>(this.exactNames).forEach((key, name) -> {
			patterns.add(pattern(key));
			patterns.add(pattern(new String(companionStem(utf8(key)), StandardCharsets.UTF_8)) + ":*");
		});
		return patterns;
	}

	/** The prefix as it begins a pattern. */
	String prefixPattern() {
		return pattern(this.prefix);
	}

	/**
	 * Redis refuses a rule with white space, and a quote would end the quoted rule, so
	 * that any character stands for these.
	 */
	private static String pattern(String key) {
		return key.replaceAll("[\\\\*?\\[\\]]", "\\\\$0").replaceAll("[\\s'\\x00]", "?");
	}

	/** The names of the locks that have an exact key. */
	List<String> exactNames() {
		return this.exact.keySet().stream().sorted().toList();
	}

	boolean isExact(String name) {
		return this.exact.containsKey(name);
	}

	/** The prefix of the keys of all other locks. */
	String prefix() {
		return this.prefix;
	}

	/** The key of the lock itself. */
	byte[] main(String name) {
		byte[][] exact = this.exact.get(name);
		return (exact != null) ? exact[MAIN] : utf8(this.prefix.concat(name));
	}

	/** The name of the lock that has a key, or {@code null} if it is not one. */
	@Nullable String nameOf(byte[] key) {
		if (!this.exactNames.isEmpty()) {
			String name = this.exactNames.get(new String(key, StandardCharsets.UTF_8));
			if (name != null && Arrays.equals(main(name), key)) {
				return name;
			}
		}
		byte[] start = this.mainPrefix;
		if (key.length <= start.length || !Arrays.equals(key, 0, start.length, start, 0, start.length)) {
			return null;
		}
		String name = new String(key, start.length, key.length - start.length, StandardCharsets.UTF_8);
		return Arrays.equals(main(name), key) ? name : null;
	}

	/**
	 * The keys of the lock, its fence, its queue and its waiters, in this order.
	 */
	byte[][] keys(String name) {
		return keys(name, ALL);
	}

	/** Those of an attempt to be alone that does not enter the queue. */
	byte[][] keysOfAttempt(String name) {
		return keys(name, OF_ATTEMPT);
	}

	private byte[][] keys(String name, int count) {
		byte[][] exact = this.exact.get(name);
		if (exact != null) {
			return (count == ALL) ? exact : Arrays.copyOf(exact, count);
		}
		return withCompanions(main(name), count);
	}

	private static byte[][] withCompanions(byte[] main, int count) {
		byte[] stem = companionStem(main);
		byte[][] keys = new byte[count][];
		keys[MAIN] = main;
		for (int i = 1; i < count; i++) {
			keys[i] = concat(stem, SUFFIXES[i - 1]);
		}
		return keys;
	}

	/** The keys of the lock and its record. */
	byte[][] keysOfRecord(String name) {
		byte[] main = main(name);
		return new byte[][] { main, concat(companionStem(main), SUFFIXES[RECORD]) };
	}

	/** The channel of the grants of an instance. */
	byte[] inbox(String instance) {
		return utf8(this.inboxPrefix.concat(instance));
	}

	/** The part of the name of an inbox channel that precedes the instance. */
	String inboxPrefix() {
		return this.inboxPrefix;
	}

	private static byte[] companionStem(byte[] main) {
		int open = indexOf(main, '{', 0);
		int close = (open < 0) ? -1 : indexOf(main, '}', open + 1);
		if (close > open + 1) {
			return tagged(main, open + 1, close - open - 1, main);
		}
		if (indexOf(main, '}', 0) < 0) {
			return tagged(main, 0, main.length, new byte[0]);
		}
		byte[] tag = utf8(Integer.toString(SlotTags.of(main)));
		return tagged(tag, 0, tag.length, main);
	}

	private static byte[] tagged(byte[] tag, int from, int length, byte[] rest) {
		byte[] stem = new byte[length + 2 + rest.length];
		stem[0] = '{';
		System.arraycopy(tag, from, stem, 1, length);
		stem[length + 1] = '}';
		System.arraycopy(rest, 0, stem, length + 2, rest.length);
		return stem;
	}

	private static byte[] concat(byte[] first, byte[] second) {
		byte[] both = new byte[first.length + second.length];
		System.arraycopy(first, 0, both, 0, first.length);
		System.arraycopy(second, 0, both, first.length, second.length);
		return both;
	}

	private static int indexOf(byte[] bytes, char wanted, int from) {
		for (int i = from; i < bytes.length; i++) {
			if (bytes[i] == wanted) {
				return i;
			}
		}
		return -1;
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * The smallest decimal number that hashes to each cluster slot. Computed at the first
	 * use, within milliseconds; few applications ever need it.
	 */
	static final class SlotTags {

		private static final int[] TAGS = compute();

		/**
		 * A number which, as the hash tag of a key, puts it in the slot of the given key.
		 */
		static int of(byte[] key) {
			return TAGS[ClusterSlotHashUtil.calculateSlot(key)];
		}

		private static int[] compute() {
			int[] tags = new int[ClusterSlotHashUtil.SLOT_COUNT];
			Arrays.fill(tags, -1);
			int missing = tags.length;
			for (int candidate = 0; missing > 0; candidate++) {
				int slot = ClusterSlotHashUtil.calculateSlot(utf8(Integer.toString(candidate)));
				if (tags[slot] < 0) {
					tags[slot] = candidate;
					missing--;
				}
			}
			return tags;
		}

	}

}
