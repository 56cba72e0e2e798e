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
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link KeyLayout}.
 */
class KeyLayoutTests {

	/** What breaks layouts: braces, the words of the layout itself, and the unusual. */
	private static final List<String> ALPHABET = List.of("{", "}", "{", "}", "{}", ":", "lock:", "{lock:", "a", "b",
			":fence", ":queue", ":waiting", ":record", "}:fence", "}:record", "0", "1", "}1", "é", "\uD83D\uDD12", " ",
			"*", "\n", "\u0000", "\u2028", "\u202E", "\u200B");

	private static final List<String> PREFIXES = List.of("lock:", "l", "app{", "app}", "app:{shop}:", ":fence",
			"}:fence", "}", "a{}", "é");

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			order:1      | {lock:order:1}:fence
			a{           | {lock:a{}:fence
			a{b          | {lock:a{b}:fence
			a{tag}b      | {tag}lock:a{tag}b:fence
			{tag}        | {tag}lock:{tag}:fence
			{tag}x{other}| {tag}lock:{tag}x{other}:fence
			""")
	void companionShowsTheLock(String name, String fence) {
		byte[][] keys = new KeyLayout("lock:").keys(name);
		assertThat(text(keys[0])).isEqualTo("lock:" + name);
		assertThat(text(keys[1])).isEqualTo(fence);
		assertThat(text(keys[2])).isEqualTo(fence.replaceAll(":fence$", ":queue"));
		assertThat(text(keys[3])).isEqualTo(fence.replaceAll(":fence$", ":waiting"));
		byte[][] keysOfRecord = new KeyLayout("lock:").keysOfRecord(name);
		assertThat(keysOfRecord).hasNumberOfRows(2);
		assertThat(text(keysOfRecord[0])).isEqualTo("lock:" + name);
		assertThat(text(keysOfRecord[1])).isEqualTo(fence.replaceAll(":fence$", ":record"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "}", "{}", "a}b", "a{}b{c}", "a}b{c" })
	void nameUnusableAsAHashTagGetsANumberInTheSameSlot(String name) {
		byte[][] keys = new KeyLayout("lock:").keys(name);
		assertThat(text(keys[1])).matches("\\{\\d+}lock:.*:fence").contains(name);
		assertThat(slot(keys[1])).isEqualTo(slot(keys[0]));
	}

	@Test
	void allKeysOfALockAreInOneSlot() {
		Random random = new Random(20260101);
		for (int round = 0; round < 200_000; round++) {
			KeyLayout layout = new KeyLayout(PREFIXES.get(random.nextInt(PREFIXES.size())));
			byte[][] keys = allKeys(layout, name(random));
			int slot = slot(keys[0]);
			for (byte[] key : keys) {
				assertThat(slot(key)).as(() -> text(keys[0]) + " and " + text(key)).isEqualTo(slot);
			}
		}
	}

	@Test
	void onlyTheKeyOfALockItselfHasAName() {
		Random random = new Random(20260102);
		for (int round = 0; round < 20_000; round++) {
			KeyLayout layout = new KeyLayout(PREFIXES.get(random.nextInt(PREFIXES.size())));
			String name = name(random);
			byte[][] keys = allKeys(layout, name);
			assertThat(layout.nameOf(keys[0])).isEqualTo(name.isEmpty() ? null : name);
			for (int companion = 1; companion < keys.length; companion++) {
				assertThat(layout.nameOf(keys[companion])).as(text(keys[companion])).isNull();
			}
		}
		byte[] noText = { 'l', 'o', 'c', 'k', ':', (byte) 0xff };
		assertThat(new KeyLayout("lock:").nameOf(noText)).isNull();
	}

	@Test
	void noTwoLocksShareAKey() {
		for (String prefix : PREFIXES) {
			Random random = new Random(prefix.hashCode());
			KeyLayout layout = new KeyLayout(prefix);
			Map<String, String> owners = new HashMap<>();
			List<String> names = new ArrayList<>();
			for (int round = 0; round < 20_000; round++) {
				names.add(name(random));
			}
			for (String base : List.copyOf(names.subList(0, 2000))) {
				for (byte[] key : allKeys(layout, base)) {
					String text = text(key);
					names.add(text);
					if (text.startsWith(prefix)) {
						names.add(text.substring(prefix.length()));
					}
				}
			}
			for (String name : names) {
				for (byte[] key : allKeys(layout, name)) {
					String previous = owners.put(text(key), name);
					assertThat(previous == null || previous.equals(name))
						.as(() -> "'" + text(key) + "' of '" + name + "' and '" + previous + "'")
						.isTrue();
				}
			}
		}
	}

	@Test
	void keysOfOneLockDiffer() {
		Random random = new Random(7);
		for (int round = 0; round < 10_000; round++) {
			byte[][] keys = allKeys(new KeyLayout("lock:"), name(random));
			assertThat(keys).hasNumberOfRows(5);
			assertThat(Stream.of(keys).map(KeyLayoutTests::text)).doesNotHaveDuplicates();
		}
	}

	@Test
	void everySlotHasANumber() {
		for (int candidate = 0; candidate < 50_000; candidate++) {
			byte[] key = ("key" + candidate).getBytes(StandardCharsets.UTF_8);
			byte[] tagged = ("{" + KeyLayout.SlotTags.of(key) + "}x").getBytes(StandardCharsets.UTF_8);
			assertThat(slot(tagged)).isEqualTo(slot(key));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "{", "{shop}:" })
	void prefixWithCollidingKeysIsRefused(String prefix) {
		assertThatIllegalArgumentException().isThrownBy(() -> new KeyLayout(prefix))
			.withMessageContaining("'" + prefix + "'")
			.withMessageContaining("'lock:'");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			job-lock:prod:report | {job-lock:prod:report}:fence
			{jobs}:report        | {jobs}{jobs}:report:fence
			registry:{a          | {registry:{a}:fence
			lock:report          | {lock:report}:fence
			report               | {report}:fence
			""")
	void anExactKeyIsThatOfTheLock(String key, String fence) {
		KeyLayout layout = new KeyLayout("lock:", Map.of("report", key));
		byte[][] keys = layout.keys("report");
		assertThat(text(layout.main("report"))).isEqualTo(key);
		assertThat(text(keys[0])).isEqualTo(key);
		assertThat(text(keys[1])).isEqualTo(fence);
		byte[][] keysOfRecord = layout.keysOfRecord("report");
		assertThat(text(keysOfRecord[0])).isEqualTo(key);
		assertThat(text(keysOfRecord[1])).isEqualTo(fence.replaceAll(":fence$", ":record"));
		assertThat(layout.nameOf(keysOfRecord[1])).isNull();
		assertThat(layout.nameOf(keys[0])).isEqualTo("report");
		assertThat(layout.nameOf(keys[1])).isNull();
		assertThat(layout.nameOf(utf8("lock:report"))).isEqualTo(key.equals("lock:report") ? "report" : null);
		assertThat(text(layout.main("other"))).isEqualTo("lock:other");
	}

	@Test
	void anExactKeyIsInTheSlotOfItsCompanionsAndSharedWithNoOtherLock() {
		Random random = new Random(20261122);
		int accepted = 0;
		for (int round = 0; round < 5_000; round++) {
			String prefix = PREFIXES.get(random.nextInt(PREFIXES.size()));
			KeyLayout layout;
			try {
				layout = new KeyLayout(prefix, Map.of("one", name(random), "two", name(random)));
			}
			catch (IllegalArgumentException ex) {
				continue;
			}
			accepted++;
			Map<String, String> owners = new HashMap<>();
			List<String> names = new ArrayList<>(List.of("one", "two"));
			for (String exact : List.of("one", "two")) {
				for (byte[] key : allKeys(layout, exact)) {
					assertThat(slot(key)).isEqualTo(slot(layout.main(exact)));
					names.add(text(key));
					if (text(key).startsWith(prefix)) {
						names.add(text(key).substring(prefix.length()));
					}
					if (text(key).startsWith("{" + prefix)) {
						names.add(text(key).substring(prefix.length() + 1)
							.replaceAll("}?:(fence|queue|waiting|record)$", ""));
					}
				}
			}
			for (int other = 0; other < 20; other++) {
				names.add(name(random));
			}
			for (String name : names) {
				for (byte[] key : allKeys(layout, name)) {
					String previous = owners.put(text(key), name);
					assertThat(previous == null || previous.equals(name))
						.as(() -> "'" + text(key) + "' of '" + name + "' and '" + previous + "'")
						.isTrue();
				}
			}
		}
		assertThat(accepted).isGreaterThan(2_500);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			" "                | ' ' of lock 'a' is blank
			lock:b             | 'lock:b' of lock 'a' is that of lock 'b'
			{lock:b}:queue     | '{lock:b}:queue' of lock 'a' begins with a brace and ends like a companion
			{lock:b}:record    | '{lock:b}:record' of lock 'a' begins with a brace and ends like a companion
			shared             | 'shared' of lock 'z' is also that of lock 'a'
			""")
	void aKeyThatTwoLocksCouldShareIsRefused(String key, String problem) {
		Map<String, String> keys = key.equals("shared") ? Map.of("a", key, "z", key) : Map.of("a", key);
		assertThatIllegalArgumentException().isThrownBy(() -> new KeyLayout("lock:", keys))
			.withMessageContaining("The key ")
			.withMessageContaining(problem);
	}

	@Test
	void twoLocksMayChangeTheirKeys() {
		KeyLayout layout = new KeyLayout("lock:", Map.of("a", "lock:b", "b", "lock:a"));
		assertThat(layout.nameOf(utf8("lock:a"))).isEqualTo("b");
		assertThat(layout.nameOf(utf8("lock:b"))).isEqualTo("a");
	}

	@Test
	void inboxIsUnderThePrefix() {
		assertThat(text(new KeyLayout("lock:").inbox("app@host~1"))).isEqualTo("lock:inbox:app@host~1");
	}

	private static byte[][] allKeys(KeyLayout layout, String name) {
		byte[][] keys = layout.keys(name);
		byte[][] all = Arrays.copyOf(keys, keys.length + 1);
		all[keys.length] = layout.keysOfRecord(name)[1];
		return all;
	}

	private static String name(Random random) {
		StringBuilder name = new StringBuilder();
		for (int i = random.nextInt(7); i >= 0; i--) {
			name.append(ALPHABET.get(random.nextInt(ALPHABET.size())));
		}
		return name.toString();
	}

	private static int slot(byte[] key) {
		return ClusterSlotHashUtil.calculateSlot(key);
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

}
