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

package io.distributedlock.documentation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Code on a page of the repository.
 *
 * @param page the path of the page in the repository, with slashes
 * @param line the line in which it begins
 * @param first whether it is the first of its language on the page
 */
record CodeBlock(String page, int line, String language, String text, boolean first) {

	private static final Path ROOT = Path.of("..");

	private static final Pattern BLOCK = Pattern.compile("(?ms)^[ \\t]*``` ?(\\w+)\\n(.*?)^[ \\t]*```[ \\t]*$");

	private static final Set<String> SKIPPED = Set.of(".git", "node_modules", "target");

	/**
	 * Return the paths of all pages of the repository.
	 */
	static List<String> pages() throws IOException {
		try (Stream<Path> files = Files.walk(ROOT)) {
			return files.filter((file) -> file.toString().endsWith(".md"))
				.map(ROOT::relativize)
				.filter((file) -> StreamSupport.stream(file.spliterator(), false)
					.noneMatch((part) -> SKIPPED.contains(part.toString())))
				.map((file) -> file.toString().replace('\\', '/'))
				.sorted()
				.toList();
		}
	}

	static List<CodeBlock> ofAllPages(String language) throws IOException {
		List<CodeBlock> blocks = new ArrayList<>();
		for (String page : pages()) {
			blocks.addAll(of(page, language));
		}
		return blocks;
	}

	static List<CodeBlock> of(String page, String language) throws IOException {
		return in(page, Files.readString(ROOT.resolve(page)), language);
	}

	/**
	 * Find the code in a language, without the indentation of the block.
	 */
	static List<CodeBlock> in(String page, String source, String language) {
		List<CodeBlock> blocks = new ArrayList<>();
		Matcher block = BLOCK.matcher(source);
		while (block.find()) {
			if (block.group(1).equals(language)) {
				int line = 1 + (int) source.substring(0, block.start(2)).lines().count();
				blocks.add(new CodeBlock(page, line, language, block.group(2).stripTrailing().stripIndent() + "\n",
						blocks.isEmpty()));
			}
		}
		return blocks;
	}

	@Override
	public String toString() {
		return this.page + ":" + this.line;
	}

}
