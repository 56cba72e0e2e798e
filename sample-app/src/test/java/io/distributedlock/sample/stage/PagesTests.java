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
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.sample.stage.MarkdownPage.Part;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks all pages of the repository: their links, and how much a reader has to read.
 * Each violation says what to do. Beside each rule stands a page that breaks it.
 */
class PagesTests {

	private static final Path ROOT = Path.of("..");

	private static final String INDEX = "docs/README.md";

	private static final int PAGES = 28;

	private static final int WORDS_OF_A_PAGE = 3850;

	private static final int WORDS_OF_ALL_PAGES = 37_200;

	private static final int LINES_OF_THE_README = 161;

	private static final int WORDS_OF_A_SENTENCE = 40;

	private static final int WORDS_OF_A_SENTENCE_ON_AVERAGE = 20;

	private static final int WORDS_OF_A_CELL = 35;

	private static final Pattern SOURCE = Pattern.compile(".*\\.(?:cfg|java|json|kt|lua|sh|tla|xml|ya?ml)|\\.ci/.*");

	private static final Pattern RULE = Pattern.compile("(?ms)^\\d+\\. .*?(?=^\\d+\\. |\\Z)");

	private static final Pattern LINK_TO_A_PAGE = Pattern.compile("]\\((?=[\\w./-]+\\.md\\b)([^)#]+)");

	/** Text in quotation marks within an expression, or a name that is nothing else. */
	private static final Pattern QUOTED_NAME = Pattern.compile("'[^'\"]*' \\+ #|\"'[^'\"]*'\"");

	private static final Pattern NAMED_PAGE = Pattern.compile("\\bdocs/[\\w/-]+\\.md(?:#[\\w-]+)?");

	private static List<MarkdownPage> pages = List.of();

	@TempDir
	Path directory;

	@BeforeAll
	static void readPages() throws IOException {
		pages = MarkdownPage.readAll(ROOT);
	}

	@Test
	void everyLinkLeadsSomewhere() {
		assertThat(pages).hasSizeGreaterThan(40);
		assertNone(deadLinks(ROOT, pages));
	}

	@Test
	void pagesNamedInSourcesExist() throws IOException {
		assertNone(deadNames(ROOT, pages));
	}

	@Test
	void thereAreFewPages() {
		assertNone(tooManyPages(pages, PAGES));
	}

	@Test
	void theIndexListsEachPageOnce() {
		assertNone(notListedOnce(pages));
	}

	@Test
	void llmsTxtIsWhatTheIndexSays() throws IOException {
		String expected = llmsTxt(Files.readString(ROOT.resolve("README.md")), Files.readString(ROOT.resolve(INDEX)));
		assertThat(Files.readString(ROOT.resolve("llms.txt")))
			.withFailMessage(
					() -> "llms.txt does not fit %s. To update it, let it contain:%n%n%s".formatted(INDEX, expected))
			.isEqualTo(expected);
	}

	@Test
	void eachOfTenRulesLinksToItsPage() throws IOException {
		assertNone(rulesWithoutPage("docs/rules.md", Files.readString(ROOT.resolve("docs/rules.md"))));
	}

	@Test
	void theReadmesAreShort() {
		assertNone(tooManyLines(pages, (name) -> name.matches("README(\\.zh-CN)?\\.md"), LINES_OF_THE_README));
	}

	@Test
	void noPageIsLong() {
		assertNone(tooLong(pages, WORDS_OF_A_PAGE));
	}

	@Test
	void allPagesTogetherAreShort() {
		assertNone(tooLongTogether(pages, WORDS_OF_ALL_PAGES));
	}

	@Test
	void theGuaranteesAreEasyToRead() {
		assertNone(hardToRead(page(pages, "docs/guarantees.md")));
		assertNone(hardToRead(page(pages, "docs/faults.md")));
	}

	@Test
	void namesAreWrittenInOneStyle() throws IOException {
		assertNone(quotedNames(ROOT));
	}

	@Test
	void aDeadLinkIsFoundAndALiveLinkIsNot() throws IOException {
		write("docs/one.md", """
				# One

				[page](two.md) [part](two.md#part-2) [here](#one) [up](../README.md) [source](../src/A.java)
				[directory](../src) [web](https://example.com/no.md) [mail](mailto:a@b) `[code](no.md)`
				""");
		write("docs/two.md", "# Part\n\n## Part 2\n");
		write("README.md", "[all](docs)\n");
		write("src/A.java", "");
		assertThat(deadLinks(this.directory, MarkdownPage.readAll(this.directory))).isEmpty();
		write("docs/three.md", """
				[page](no.md)
				[part](two.md#part-3)

				[here](#three) ![picture](no.png)
				[outside](../../etc) [case](TWO.md)
				""");
		assertThat(deadLinks(this.directory, MarkdownPage.readAll(this.directory))).hasSize(6)
			.satisfiesExactly((one) -> assertThat(one).startsWith("docs/three.md:1: no.md is not there: "),
					(two) -> assertThat(two).startsWith("docs/three.md:2: docs/two.md has no heading #part-3: "),
					(three) -> assertThat(three).startsWith("docs/three.md:4: docs/three.md has no heading #three: "),
					(four) -> assertThat(four).startsWith("docs/three.md:4: no.png is not there: "),
					(five) -> assertThat(five).startsWith("docs/three.md:5: ../../etc is not there: "),
					(six) -> assertThat(six).startsWith("docs/three.md:5: TWO.md is not there: "));
	}

	@Test
	void aDeadNameIsFoundAndALiveNameIsNot() throws IOException {
		write("docs/one.md", "# One\n");
		write("src/A.java", "\n// See docs/one.md, docs/one.md#one.\n");
		write("target/B.java", "// docs/none.md");
		assertThat(deadNames(this.directory, MarkdownPage.readAll(this.directory))).isEmpty();
		write("src/A.java", "\n// See docs/two.md and ../docs/one.md#two\n");
		assertThat(deadNames(this.directory, MarkdownPage.readAll(this.directory))).satisfiesExactly(
				(one) -> assertThat(one).startsWith("src/A.java:2: docs/two.md is not there: "),
				(two) -> assertThat(two).startsWith("src/A.java:2: docs/one.md has no heading #two: "));
	}

	@Test
	void thePagesAreCounted() {
		List<MarkdownPage> some = List.of(new MarkdownPage("README.md", ""), new MarkdownPage(INDEX, ""),
				new MarkdownPage("docs/adr/0001-one.md", ""), new MarkdownPage("docs/model/README.md", ""),
				new MarkdownPage("docs/one.md", ""), new MarkdownPage("docs/two/README.md", ""));
		assertThat(tooManyPages(some, 2)).isEmpty();
		assertThat(tooManyPages(some, 1)).singleElement()
			.asString()
			.startsWith("docs: 2 pages, at most 1: merge ")
			.endsWith("docs/one.md, docs/two/README.md");
	}

	@Test
	void pageNotListedOnceIsFound() {
		MarkdownPage one = new MarkdownPage("docs/one.md", "");
		MarkdownPage two = new MarkdownPage("docs/two.md", "");
		String index = "Begin with [one](one.md).\n\n- [One](one.md)\n- [Two](two.md#part)\n- [Sample](../sample-app/README.md)\n";
		assertThat(notListedOnce(List.of(one, two, new MarkdownPage(INDEX, index)))).isEmpty();
		assertThat(notListedOnce(List.of(one, two,
				new MarkdownPage(INDEX, "- [One](one.md)\n\n- [Again](./one.md): see [two](two.md)\n"))))
			.satisfiesExactlyInAnyOrder(
					(first) -> assertThat(first).startsWith("docs/README.md:3: docs/one.md is listed again: "),
					(second) -> assertThat(second).startsWith("docs/README.md:1: docs/two.md is not listed: "));
	}

	@Test
	void llmsTxtHasTheListsOfTheIndexWithPathsFromTheRoot() {
		String readme = "# Name\n\nEnglish\n\n**What it does.** More.\n\n**Not this.**\n";
		String index = """
				# Documentation

				## Which page?

				| To | Read |
				|---|---|
				| lock | [One](one.md) |

				## Guide

				- [One](one.md): see [two](adr/two.md)

				## Other

				- [Three](../three.md): all
				""";
		assertThat(llmsTxt(readme, index)).isEqualTo("""
				# Name

				> What it does. More.

				## Guide

				- [One](docs/one.md): see [two](docs/adr/two.md)

				## Other

				- [Three](three.md): all
				""");
	}

	@Test
	void aRuleWithoutPageAndAnotherNumberOfRulesAreFound() {
		StringBuilder rules = new StringBuilder("# Rules\n\n");
		for (int i = 1; i <= 10; i++) {
			rules.append(i).append(". **One.**\n   [Page](one.md#part)\n");
		}
		assertThat(rulesWithoutPage("docs/rules.md", rules.toString())).isEmpty();
		assertThat(rulesWithoutPage("docs/rules.md", "1. **One.** [Page](one.md)\n2. **Two.** [Web](https://a.b/c)\n"))
			.satisfiesExactly((two) -> assertThat(two).startsWith("docs/rules.md: no page shows \"2. **Two.**"),
					(number) -> assertThat(number).startsWith("docs/rules.md: 2 rules, not 10"));
	}

	@Test
	void tooLongPageIsFound() {
		List<MarkdownPage> some = List.of(new MarkdownPage("docs/one.md", "one two\nthree\n\n```\ncode\n```\n"),
				new MarkdownPage("docs/adr/0001-one.md", "one two three"), new MarkdownPage("README.md", "one"));
		assertThat(tooLong(some, 3)).isEmpty();
		assertThat(tooLong(some, 2)).satisfiesExactly(
				(one) -> assertThat(one).startsWith("docs/one.md:1: 3 words, at most 2: "),
				(two) -> assertThat(two).startsWith("docs/adr/0001-one.md:1: 3 words, at most 2: "));
		assertThat(tooLongTogether(some, 3)).isEmpty();
		assertThat(tooLongTogether(some, 2)).singleElement().asString().startsWith("docs: 3 words, at most 2: ");
		assertThat(tooManyLines(some, "README.md"::equals, 1)).isEmpty();
		assertThat(tooManyLines(some, "docs/one.md"::equals, 5)).singleElement()
			.asString()
			.startsWith("docs/one.md:6: 6 lines, at most 5: ");
	}

	@Test
	void longSentenceAndLongCellAreFound() {
		assertThat(hardToRead(new MarkdownPage("one.md",
				"A" + " word".repeat(36) + ". It is short.\n\n| A" + " word".repeat(34) + " |\n")))
			.as("37 words, 3 words and a cell of 35")
			.isEmpty();
		assertThat(hardToRead(new MarkdownPage("one.md",
				"A short one.\nA" + " word".repeat(40) + ".\n\n|" + " word".repeat(36) + " |\n")))
			.satisfiesExactly((one) -> assertThat(one).startsWith("one.md:2: a sentence of 41 words, at most 40: "),
					(two) -> assertThat(two).startsWith("one.md:4: a cell of 36 words, at most 35: "),
					(three) -> assertThat(three)
						.startsWith("one.md:1: 22.0 words in a sentence on average, at most 20: "));
	}

	@Test
	void aQuotedNameIsFoundAndATemplateIsNot() throws IOException {
		write("docs/annotation.md", "`'order:' + #id` is explained here.\n");
		write("docs/one.md", "`order:#{#id}`, `\"export\"`\n");
		write("sample-app/src/main/java/A.java", "@DistributedLock(name = \"order:#{#id}\")\n");
		assertThat(quotedNames(this.directory)).isEmpty();
		write("docs/one.md", "one\n`'order:' + #id`\n`\"'export'\"`\n");
		write("sample-app/src/main/java/A.java", "@DistributedLock(name = \"'order:' + #id\")\n");
		assertThat(quotedNames(this.directory)).satisfiesExactlyInAnyOrder(
				(one) -> assertThat(one).startsWith("docs/one.md:2: 'order:' + # is "),
				(two) -> assertThat(two).startsWith("docs/one.md:3: \"'export'\" is "),
				(three) -> assertThat(three).startsWith("sample-app/src/main/java/A.java:1: 'order:' + # is "));
	}

	private static List<String> deadLinks(Path root, List<MarkdownPage> pages) {
		List<String> violations = new ArrayList<>();
		for (MarkdownPage page : pages) {
			Path parent = Path.of("/").resolve(page.name()).getParent();
			for (Part link : page.links()) {
				if (!link.text().matches("[a-z]+:.*")) {
					String[] target = link.text().split("#", 2);
					String file = target[0].isEmpty() ? page.name() : name(parent.resolve(decoded(target[0])));
					check(root, pages, new Reference(page.name(), link.line(), link.text()), file,
							(target.length > 1) ? target[1] : "", violations);
				}
			}
		}
		return violations;
	}

	private static List<String> deadNames(Path root, List<MarkdownPage> pages) throws IOException {
		List<String> sources = new ArrayList<>();
		MarkdownPage.visit(root, (file) -> {
			if (SOURCE.matcher(file).matches() && !file.endsWith("/PagesTests.java")) {
				sources.add(file);
			}
		});
		List<String> violations = new ArrayList<>();
		for (String source : sources) {
			List<String> lines = Files.readAllLines(root.resolve(source));
			for (int i = 0; i < lines.size(); i++) {
				Matcher matcher = NAMED_PAGE.matcher(lines.get(i));
				while (matcher.find()) {
					String[] target = matcher.group().split("#", 2);
					check(root, pages, new Reference(source, i + 1, target[0]), target[0],
							(target.length > 1) ? target[1] : "", violations);
				}
			}
		}
		return violations;
	}

	/**
	 * Find names that are expressions. One page explains them, all others have literals
	 * and templates.
	 */
	private static List<String> quotedNames(Path root) throws IOException {
		List<String> files = new ArrayList<>();
		MarkdownPage.visit(root, (file) -> {
			if (file.endsWith(".md") && !file.equals("docs/annotation.md")
					|| file.startsWith("sample-app/src/main/java/")) {
				files.add(file);
			}
		});
		List<String> violations = new ArrayList<>();
		for (String file : files) {
			List<String> lines = Files.readAllLines(root.resolve(file));
			for (int i = 0; i < lines.size(); i++) {
				Matcher matcher = QUOTED_NAME.matcher(lines.get(i));
				while (matcher.find()) {
					violations.add("%s:%d: %s is an expression: write a literal as it is, and variable parts as #{…}"
						.formatted(file, i + 1, matcher.group()));
				}
			}
		}
		return violations;
	}

	private static void check(Path root, List<MarkdownPage> pages, Reference reference, String file, String anchor,
			List<String> violations) {
		if (file.startsWith("..") || !existsAs(root, file)) {
			violations.add("%s:%d: %s is not there: name what is, or remove the link".formatted(reference.file(),
					reference.line(), reference.target()));
		}
		else if (!anchor.isEmpty() && file.endsWith(".md") && !page(pages, file).anchors().contains(decoded(anchor))) {
			violations.add("%s:%d: %s has no heading #%s: name one that it has, or link to the page"
				.formatted(reference.file(), reference.line(), file, anchor));
		}
	}

	private static List<String> tooManyPages(List<MarkdownPage> pages, int limit) {
		List<String> counted = pages.stream().map(MarkdownPage::name).filter(PagesTests::isListed).sorted().toList();
		return (counted.size() <= limit) ? List.of() : List.of("docs: %d pages, at most %d: merge some of %s"
			.formatted(counted.size(), limit, String.join(", ", counted)));
	}

	private static List<String> notListedOnce(List<MarkdownPage> pages) {
		List<String> violations = new ArrayList<>();
		List<String> listed = new ArrayList<>();
		for (Part entry : page(pages, INDEX).entries()) {
			String target = name(Path.of("/docs").resolve(entry.text()));
			if (listed.contains(target)) {
				violations
					.add("%s:%d: %s is listed again: keep one of its entries".formatted(INDEX, entry.line(), target));
			}
			listed.add(target);
		}
		pages.stream()
			.map(MarkdownPage::name)
			.filter((name) -> isListed(name) && !listed.contains(name))
			.map((name) -> "%s:1: %s is not listed: begin an item of a list with a link to it".formatted(INDEX, name))
			.forEach(violations::add);
		return violations;
	}

	/**
	 * Make llms.txt, as of llmstxt.org: what the README says first, and the lists of the
	 * index, with paths from the root.
	 */
	private static String llmsTxt(String readme, String index) {
		StringBuilder text = new StringBuilder();
		readme.lines().filter((line) -> line.startsWith("# ")).findFirst().ifPresent(text::append);
		readme.lines()
			.filter((line) -> line.startsWith("**"))
			.findFirst()
			.ifPresent((line) -> text.append("\n\n> ").append(line.replace("**", "")).append('\n'));
		String heading = "";
		for (String line : index.lines().toList()) {
			if (line.startsWith("## ")) {
				heading = "\n" + line + "\n\n";
			}
			else if (line.startsWith("- ")) {
				text.append(heading)
					.append(LINK_TO_A_PAGE.matcher(line)
						.replaceAll((link) -> "](" + name(Path.of("/docs").resolve(link.group(1)))))
					.append('\n');
				heading = "";
			}
		}
		return text.toString();
	}

	private static List<String> rulesWithoutPage(String name, String source) {
		List<String> rules = RULE.matcher(source).results().map(MatchResult::group).toList();
		List<String> violations = new ArrayList<>();
		rules.stream()
			.filter((rule) -> !LINK_TO_A_PAGE.matcher(rule).find())
			.map((rule) -> "%s: no page shows \"%s\": link to the one that does".formatted(name, rule.strip()))
			.forEach(violations::add);
		if (rules.size() != 10) {
			violations.add("%s: %d rules, not 10: merge some, or split one".formatted(name, rules.size()));
		}
		return violations;
	}

	private static List<String> tooManyLines(List<MarkdownPage> pages, Predicate<String> names, int limit) {
		return pages.stream()
			.filter((page) -> names.test(page.name()) && page.lines() > limit)
			.map((page) -> "%s:%d: %d lines, at most %d: move what not every reader needs to a page"
				.formatted(page.name(), limit + 1, page.lines(), limit))
			.toList();
	}

	private static List<String> tooLong(List<MarkdownPage> pages, int limit) {
		return pages.stream()
			.filter((page) -> !page.name().equals("CHANGELOG.md") && !isModel(page) && page.words() > limit)
			.map((page) -> "%s:1: %d words, at most %d: leave out what stands elsewhere, and what no reader acts on"
				.formatted(page.name(), page.words(), limit))
			.toList();
	}

	/**
	 * What stands beside the model is for those who change it.
	 */
	private static boolean isModel(MarkdownPage page) {
		return page.name().startsWith("docs/model/");
	}

	private static List<String> tooLongTogether(List<MarkdownPage> pages, int limit) {
		List<MarkdownPage> counted = pages.stream()
			.filter((page) -> page.name().startsWith("docs/") && !page.name().startsWith("docs/adr/") && !isModel(page))
			.sorted(Comparator.comparing(MarkdownPage::words).reversed())
			.toList();
		int words = counted.stream().mapToInt(MarkdownPage::words).sum();
		return (words <= limit) ? List.of()
				: List.of("docs: %d words, at most %d: shorten the longest pages:%s".formatted(words, limit,
						counted.stream()
							.limit(10)
							.map((page) -> " %s (%d)".formatted(page.name(), page.words()))
							.reduce("", String::concat)));
	}

	private static List<String> hardToRead(MarkdownPage page) {
		List<String> violations = new ArrayList<>();
		page.sentences()
			.stream()
			.filter((sentence) -> sentence.words() > WORDS_OF_A_SENTENCE)
			.map((sentence) -> "%s:%d: a sentence of %d words, at most %d: split \"%s\"".formatted(page.name(),
					sentence.line(), sentence.words(), WORDS_OF_A_SENTENCE, beginning(sentence)))
			.forEach(violations::add);
		page.cells()
			.stream()
			.filter((cell) -> cell.words() > WORDS_OF_A_CELL)
			.map((cell) -> "%s:%d: a cell of %d words, at most %d: move details below the table from \"%s\""
				.formatted(page.name(), cell.line(), cell.words(), WORDS_OF_A_CELL, beginning(cell)))
			.forEach(violations::add);
		double average = page.sentences().stream().mapToInt(Part::words).average().orElse(0);
		if (average > WORDS_OF_A_SENTENCE_ON_AVERAGE) {
			violations.add(String.format(Locale.ROOT,
					"%s:1: %.1f words in a sentence on average, at most %d: split those of more than %2$.0f words",
					page.name(), average, WORDS_OF_A_SENTENCE_ON_AVERAGE));
		}
		return violations;
	}

	private static boolean isListed(String name) {
		return name.startsWith("docs/") && !name.equals(INDEX) && !name.startsWith("docs/adr/")
				&& !name.startsWith("docs/model/") && !name.startsWith("docs/site/");
	}

	/**
	 * Whether a file is there with exactly this name, whatever the file system thinks.
	 */
	private static boolean existsAs(Path root, String name) {
		try {
			Path file = root.resolve(name);
			return Files.exists(file) && file.toRealPath().endsWith(Path.of(name));
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static MarkdownPage page(List<MarkdownPage> pages, String name) {
		return pages.stream().filter((page) -> page.name().equals(name)).findFirst().orElseThrow();
	}

	/**
	 * Name a file by its path in the repository. What would be outside starts with "..".
	 */
	private static String name(Path path) {
		return Path.of("/").relativize(path.normalize()).toString().replace('\\', '/');
	}

	private static String decoded(String link) {
		return URLDecoder.decode(link.replace("+", "%2B"), StandardCharsets.UTF_8);
	}

	private static String beginning(Part part) {
		String text = part.text().replaceAll("\\s+", " ");
		return (text.length() <= 60) ? text : text.substring(0, 60) + "…";
	}

	private static void assertNone(List<String> violations) {
		assertThat(violations).withFailMessage(() -> "%n%s".formatted(String.join("\n", violations))).isEmpty();
	}

	private void write(String name, String text) throws IOException {
		Path file = this.directory.resolve(name);
		Files.createDirectories(file.getParent());
		Files.writeString(file, text);
	}

	/**
	 * A place that names another.
	 */
	private record Reference(String file, int line, String target) {
	}

}
