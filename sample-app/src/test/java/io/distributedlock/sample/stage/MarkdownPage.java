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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page in Markdown, as far as pages are checked. Code in blocks and comments are not
 * part of its text.
 */
final class MarkdownPage {

	private static final Pattern BLOCK_OF_CODE = Pattern
		.compile("(?ms)^[ \\t>]*(`{3,}|~{3,})[^\\n]*\\n(?:.*?^[ \\t>]*\\1[`~]*[ \\t]*$|.*\\z)");

	private static final Pattern COMMENT = Pattern.compile("(?s)<!--.*?-->");

	private static final Pattern CODE = Pattern.compile("(?<!`)(`+)(?!`)[^\\n]*?(?:\\n[^\\n]+?)?(?<!`)\\1(?!`)");

	private static final Pattern LINK = Pattern.compile("]\\(\\s*<?([^)\\s>]*)[^)]*\\)");

	private static final Pattern DEFINITION = Pattern.compile("(?m)^ {0,3}\\[[^]]+]:\\s+(\\S+).*$");

	private static final Pattern ATTRIBUTE = Pattern.compile("\\s(?:href|src|srcset)=\"([^\"]*)\"");

	private static final Pattern TAG = Pattern.compile("</?[a-zA-Z][^>]*>");

	private static final Pattern NAMED = Pattern.compile("<\\w+[^>]*\\s(?:id|name)=\"([^\"]+)\"");

	private static final Pattern HEADING = Pattern.compile("(?m)^ {0,3}#{1,6} +(.*?)(?: +#+)? *$");

	private static final Pattern ENTRY = Pattern.compile("(?m)^[-*|] *\\[[^\\n]*?]\\(([^)#\\s]+)");

	private static final Pattern TABLE_ROW = Pattern.compile("\\s*\\|.*");

	private static final Pattern DELIMITER_ROW = Pattern.compile("[\\s|:-]*");

	private static final Pattern LIST_MARKER = Pattern.compile("^\\s*(?:[-*+]|\\d+[.)])(?=\\s)");

	private static final Pattern SENTENCE_END = Pattern
		.compile("(?<!\\b(?:e\\.g|i\\.e|etc|vs|cf))[.!?][\"')\\]*_]*(?=\\s+[\"'(\\[*_`@]*[\\p{Lu}\\d`@])");

	private static final Pattern WORD = Pattern.compile("\\S*[\\p{L}\\p{N}]\\S*");

	private final String name;

	private final String source;

	private final String text;

	private final String prose;

	/**
	 * Create the page.
	 * @param name its path in the repository, with slashes
	 */
	MarkdownPage(String name, String source) {
		this.name = name;
		this.source = source;
		this.text = blank(COMMENT, blank(BLOCK_OF_CODE, source));
		this.prose = blank(TAG, blank(DEFINITION, LINK.matcher(withoutPunctuationInCode(this.text))
			.replaceAll((link) -> "]" + blank(link.group().substring(1)))));
	}

	static MarkdownPage read(Path root, String name) throws IOException {
		return new MarkdownPage(name, Files.readString(root.resolve(name)));
	}

	/**
	 * Read all pages below a directory, except for what a build has put there.
	 */
	static List<MarkdownPage> readAll(Path root) throws IOException {
		List<MarkdownPage> pages = new ArrayList<>();
		visit(root, (file) -> {
			if (file.endsWith(".md")) {
				pages.add(readUnchecked(root, file));
			}
		});
		return pages;
	}

	/**
	 * Pass the paths of all files below a directory, except for what a build has put
	 * there, with slashes.
	 */
	static void visit(Path root, Consumer<String> visitor) throws IOException {
		Set<String> skipped = Set.of(".git", "node_modules", "target");
		Files.walkFileTree(root, new SimpleFileVisitor<>() {

			@Override
			public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
				return skipped.contains(directory.getFileName().toString()) ? FileVisitResult.SKIP_SUBTREE
						: FileVisitResult.CONTINUE;
			}

			@Override
			public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
				visitor.accept(root.relativize(file).toString().replace('\\', '/'));
				return FileVisitResult.CONTINUE;
			}

		});
	}

	String name() {
		return this.name;
	}

	int lines() {
		return (int) this.source.lines().count();
	}

	int words() {
		return count(this.prose);
	}

	/**
	 * What the page links to: pages, files, pictures, URLs and anchors.
	 */
	List<Part> links() {
		String withoutCode = blank(CODE, this.text);
		List<Part> links = new ArrayList<>();
		for (Pattern pattern : List.of(LINK, DEFINITION, ATTRIBUTE)) {
			parts(pattern, withoutCode).forEach(links::add);
		}
		return links;
	}

	/**
	 * The first link of each item of a list, and of each row of a table, that begins with
	 * one.
	 */
	List<Part> entries() {
		return parts(ENTRY, this.text);
	}

	/**
	 * What a link to a place on the page may end in, as GitHub names it.
	 */
	Set<String> anchors() {
		Set<String> anchors = new HashSet<>();
		Map<String, Integer> repetitions = new HashMap<>();
		for (MatchResult heading : HEADING.matcher(this.text).results().toList()) {
			String slug = slug(heading.group(1));
			int repetition = repetitions.merge(slug, 1, Integer::sum) - 1;
			anchors.add((repetition == 0) ? slug : slug + "-" + repetition);
		}
		NAMED.matcher(blank(CODE, this.text)).results().forEach((element) -> anchors.add(element.group(1)));
		return anchors;
	}

	/**
	 * The sentences of paragraphs and lists. What ends without a full stop is one as
	 * well.
	 */
	List<Part> sentences() {
		List<Part> sentences = new ArrayList<>();
		StringBuilder block = new StringBuilder();
		int number = 0;
		for (String line : this.prose.split("\n", -1)) {
			number++;
			boolean apart = line.isBlank() || HEADING.matcher(line).matches() || TABLE_ROW.matcher(line).matches();
			if (apart || LIST_MARKER.matcher(line).find()) {
				addSentences(block, number, sentences);
			}
			if (!apart) {
				block.append(blank(LIST_MARKER, line)).append('\n');
			}
		}
		addSentences(block, number + 1, sentences);
		return sentences;
	}

	List<Part> cells() {
		List<Part> cells = new ArrayList<>();
		int number = 0;
		for (String line : this.prose.split("\n", -1)) {
			number++;
			if (TABLE_ROW.matcher(line).matches() && !DELIMITER_ROW.matcher(line).matches()) {
				for (String cell : line.split("(?<!\\\\)\\|")) {
					if (!cell.isBlank()) {
						cells.add(new Part(number, cell.strip()));
					}
				}
			}
		}
		return cells;
	}

	@Override
	public String toString() {
		return this.name;
	}

	private static MarkdownPage readUnchecked(Path root, String name) {
		try {
			return read(root, name);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String slug(String heading) {
		return shown(heading).strip()
			.toLowerCase(Locale.ROOT)
			.replaceAll("[^\\p{L}\\p{M}\\p{N}\\p{Pc}\\- ]", "")
			.replace(' ', '-');
	}

	private static String shown(String heading) {
		return heading.replaceAll("!?\\[([^]]*)]\\([^)]*\\)", "$1").replaceAll("</?[a-z]+[^>`]*>(?![^`]*`)", "");
	}

	/**
	 * Add the sentences of a block, and empty it.
	 * @param end the line after the block
	 */
	private static void addSentences(StringBuilder block, int end, List<Part> sentences) {
		String text = block.toString();
		block.setLength(0);
		int first = end - (int) text.chars().filter((character) -> character == '\n').count();
		int start = 0;
		Matcher matcher = SENTENCE_END.matcher(text);
		while (start < text.length()) {
			int next = matcher.find() ? matcher.end() : text.length();
			String sentence = text.substring(start, next);
			if (count(sentence) > 0) {
				int skipped = sentence.length() - sentence.stripLeading().length();
				sentences.add(new Part(first + lineBreaks(text, start + skipped), sentence.strip()));
			}
			start = next;
		}
	}

	private static List<Part> parts(Pattern pattern, String text) {
		return pattern.matcher(text)
			.results()
			.map((found) -> new Part(1 + lineBreaks(text, found.start(1)), found.group(1)))
			.toList();
	}

	private static int lineBreaks(String text, int end) {
		return (int) text.chars().limit(end).filter((character) -> character == '\n').count();
	}

	private static int count(String text) {
		return (int) WORD.matcher(text).results().count();
	}

	/**
	 * Code within a line counts as words, but neither ends a sentence nor a cell, and is
	 * no tag.
	 */
	private static String withoutPunctuationInCode(String text) {
		return CODE.matcher(text)
			.replaceAll((code) -> Matcher.quoteReplacement(code.group().replaceAll("[.!?|<>\\\\\\[\\]]", "_")));
	}

	/**
	 * Replace what is found with spaces, so that everything else stays in its line.
	 */
	private static String blank(Pattern pattern, String text) {
		return pattern.matcher(text).replaceAll((found) -> blank(found.group()));
	}

	private static String blank(String text) {
		return text.replaceAll("[^\\n]", " ");
	}

	/**
	 * A part of a page.
	 *
	 * @param line the number of its line, from 1 on
	 */
	record Part(int line, String text) {

		int words() {
			return count(this.text);
		}

	}

}
