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

package io.distributedlock.mutation;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What PIT reports of the classes that decide: each mutant was found by a test of its
 * module, or is explained in {@code survivors.md}.
 */
@Tag("mutation")
class ClassMutationTests {

	/** Those that PIT found, or could not keep from running for ever. */
	private static final Set<String> FOUND = Set.of("KILLED", "TIMED_OUT", "MEMORY_ERROR", "RUN_ERROR");

	@ParameterizedTest
	@ValueSource(strings = { "lock-core", "lock-fencing" })
	void eachMutantIsFoundOrExplained(String module) throws Exception {
		Path report = Path.of("..", module, "target/pit-reports/mutations.xml");
		assumeTrue(Files.exists(report), "PIT did not run");
		Survivors survivors = Survivors.read();
		List<Survivors.Key> survived = new ArrayList<>();
		List<Survivors.Key> all = new ArrayList<>();
		NodeList mutations = DocumentBuilderFactory.newInstance()
			.newDocumentBuilder()
			.parse(report.toFile())
			.getElementsByTagName("mutation");
		for (int i = 0; i < mutations.getLength(); i++) {
			Element mutation = (Element) mutations.item(i);
			Survivors.Key key = key(module, mutation);
			all.add(key);
			if (!FOUND.contains(mutation.getAttribute("status"))) {
				survived.add(key);
			}
		}
		assertThat(all).isNotEmpty();
		assertThat(survived.stream().filter((key) -> !survivors.explains(key)))
			.as("of %d mutants, those that no test finds and no row of survivors.md explains", all.size())
			.isEmpty();
		assertThat(survivors.wrong(survived, all.stream().map(Survivors.Key::file).collect(Collectors.toSet())))
			.as("rows of survivors.md whose mutants are found")
			.isEmpty();
	}

	private static Survivors.Key key(String module, Element mutation) throws Exception {
		String type = text(mutation, "mutatedClass");
		Path source = Path.of("..", module, "src/main/java", type.substring(0, type.lastIndexOf('.')).replace('.', '/'),
				text(mutation, "sourceFile"));
		String line = Files.readAllLines(source).get(Integer.parseInt(text(mutation, "lineNumber")) - 1).strip();
		return new Survivors.Key(text(mutation, "sourceFile"), line, text(mutation, "description"));
	}

	private static String text(Element mutation, String name) {
		return mutation.getElementsByTagName(name).item(0).getTextContent();
	}

}
