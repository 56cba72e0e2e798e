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

package io.distributedlock.annotation;

import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.internal.LockAttribute;
import io.distributedlock.internal.LockAttribute.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the annotation, the list of its attributes and the documentation have the
 * same attributes.
 */
class LockAttributesTests {

	@Test
	void listHasEveryAttributeOfTheAnnotation() {
		Set<String> listed = Arrays.stream(LockAttribute.values())
			.flatMap((each) -> Stream.of(each.attribute(), each.textName()))
			.filter(Objects::nonNull)
			.collect(Collectors.toCollection(TreeSet::new));
		listed.add("value");
		assertThat(Arrays.stream(DistributedLock.class.getDeclaredMethods()).map(Method::getName))
			.containsExactlyInAnyOrderElementsOf(listed);
	}

	@ParameterizedTest
	@EnumSource
	void kindOfAnAttributeIsItsType(LockAttribute attribute) throws Exception {
		Class<?> type = DistributedLock.class.getMethod(attribute.attribute()).getReturnType();
		assertThat(attribute.kind()).isEqualTo((type == long.class) ? Kind.DURATION
				: (type == int.class) ? Kind.NUMBER : (type == boolean.class) ? Kind.SWITCH : type.isEnum()
						? Kind.CHOICE : (attribute == LockAttribute.FALLBACK_METHOD) ? Kind.TEXT : Kind.EXPRESSION);
		if (attribute.textName() != null) {
			assertThat(DistributedLock.class.getMethod(attribute.textName()).getReturnType()).isEqualTo(String.class);
		}
	}

	@Test
	void documentationHasEveryAttribute() throws Exception {
		String page = Files.readString(Path.of("..", "docs", "annotation.md"));
		String section = page.substring(page.indexOf("## Attributes"), page.indexOf("## The name"));
		Set<String> rows = Pattern.compile("^\\| `(\\w+)`", Pattern.MULTILINE)
			.matcher(section)
			.results()
			.map((row) -> row.group(1))
			.collect(Collectors.toCollection(TreeSet::new));
		rows.remove("permitsString");
		assertThat(Arrays.stream(LockAttribute.values()).map(LockAttribute::attribute))
			.containsExactlyInAnyOrderElementsOf(rows);
		assertThat(Arrays.stream(LockAttribute.values()).map(LockAttribute::textName).filter(Objects::nonNull))
			.allSatisfy((name) -> assertThat(section).contains("`" + name + "`"));
	}

}
