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

package io.distributedlock.sample.stage;

import io.distributedlock.sample.stage.MarkdownPage.Part;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for {@link MarkdownPage}: what it finds, and beside it what it must not find.
 */
class MarkdownPageTests {

	@Test
	void linksAreFoundInAllForms() {
		assertThat(page("""
				A [link](one.md), a [`coded` one](two.md#part "Title"), and
				![a picture](three.png) next to [one whose text
				has two lines](four.md).
				<img src="five.png"> <source media="x" srcset="six.png">

				[seven]: seven.md
				""").links()).containsExactlyInAnyOrder(new Part(1, "one.md"), new Part(1, "two.md#part"),
				new Part(2, "three.png"), new Part(3, "four.md"), new Part(4, "five.png"), new Part(4, "six.png"),
				new Part(6, "seven.md"));
	}

	@Test
	void codeAndCommentsHaveNoLinks() {
		assertThat(page("""
				`[code](one.md)` <!-- [comment](two.md)
				[still](three.md) --> and ``code with ` [in it](four.md)``

				```markdown
				[block](five.md)
				```

				- in a list:
				  ~~~
				  [block](six.md)
				  ~~~
				- [link](seven.md)
				""").links()).containsExactly(new Part(12, "seven.md"));
	}

	@ParameterizedTest
	@CsvSource(delimiterString = " -> ", quoteCharacter = '"', textBlock = """
			Two words -> two-words
			What is guaranteed, and what is not -> what-is-guaranteed-and-what-is-not
			`lock:` & more -> lock--more
			Redis 7.0: a_b -> redis-70-a_b
			At start-up: "`List<String>`" -> at-start-up-liststring
			See [the page](page.md#x) -> see-the-page
			The `<name>` of a lock -> the-name-of-a-lock
			Ünïcode — and 锁 -> ünïcode--and-锁
			""")
	void anchorsAreThoseOfGitHub(String heading, String anchor) {
		assertThat(page("## " + heading + "\n").anchors()).containsExactly(anchor);
	}

	@Test
	void aRepeatedHeadingHasANumber() {
		assertThat(page("## A\n\n### A\n\n# A #\n").anchors()).containsExactlyInAnyOrder("a", "a-1", "a-2");
	}

	@Test
	void anAnchorMayBeAnElement() {
		assertThat(page("<a id=\"here\"></a> and `<a id=\"not-here\">`\n").anchors()).containsExactly("here");
	}

	@Test
	void codeHasNoHeadings() {
		assertThat(page("```shell\n# comment\n```\n\n#no-heading\n").anchors()).isEmpty();
	}

	@Test
	void sentencesAreCounted() {
		assertThat(page("""
				# Not a sentence

				One two three. Four `five.six() Seven` eight
				nine! "Ten", he said.

				1. Eleven twelve
				   thirteen? [Fourteen](one.md). Redis 7.0 is e.g. Fifteen
				- Sixteen, i.e. seventeen...

				| not | this. Nor that |
				|---|---|
				""").sentences()).extracting(Part::line, Part::words)
			.containsExactly(tuple(3, 3), tuple(3, 5), tuple(4, 3), tuple(6, 3), tuple(7, 1), tuple(7, 5), tuple(8, 3));
	}

	@Test
	void cellsAreCounted() {
		assertThat(page("""
				| Head | Two words |
				|---|:--|
				| `a \\| b` | [three short words](page.md#anchor) <!-- and a comment --> |
				| | `x | y` |
				""").cells()).extracting(Part::line, Part::words)
			.containsExactly(tuple(1, 1), tuple(1, 2), tuple(3, 2), tuple(3, 3), tuple(4, 2));
	}

	@Test
	void onlyVisibleWordsAreCounted() {
		assertThat(page("""
				# Two words

				- **Bold** [link](with/target.md) – `code here` <br> & <!-- no comment -->

				| a | b |
				|---|---|

				```java
				int none;
				```
				""").words()).isEqualTo(2 + 4 + 2);
	}

	@Test
	void entriesAreTheFirstLinks() {
		assertThat(page("""
				See [the first](../README.md).

				- [One](one.md): not [two](two.md)
				- no [three](three.md)

				| [Four](four.md#x) | [five](five.md) |
				""").entries()).containsExactly(new Part(3, "one.md"), new Part(6, "four.md"));
	}

	private static MarkdownPage page(String source) {
		return new MarkdownPage("page.md", source);
	}

}
