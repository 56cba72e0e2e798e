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

package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.LockMode;
import io.distributedlock.OnLost;
import io.distributedlock.autoconfigure.DistributedLockProperties.NamedLock;
import io.distributedlock.autoconfigure.leadership.LeadershipProperties.NamedLeadership;
import io.distributedlock.internal.LockAttribute;
import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the generated metadata of the properties, and for their documentation.
 */
class ConfigurationMetadataTests {

	private static final String LOCKS = "distributed-lock.locks";

	private static final String LEADERSHIP = "distributed-lock.leadership";

	@Test
	void everyPropertyIsDescribedInASentence() throws IOException {
		assertThat(properties()).hasSizeGreaterThan(20)
			.allSatisfy((name, property) -> assertThat((String) property.get("description")).as(name)
				.matches("(?s)[A-Z].*\\."));
	}

	@Test
	void everyValueOfAnEnumerationIsDescribedInASentence() throws IOException {
		Map<String, Map<String, Object>> hints = metadata("hints");
		Map<String, Class<?>> enumerations = new TreeMap<>();
		properties().forEach((name, property) -> {
			Class<?> type = ClassUtils.resolveClassName(((String) property.get("type")).replaceFirst("<.*", ""), null);
			if (type.isEnum()) {
				enumerations.put(name, type);
			}
		});
		assertThat(enumerations).hasSizeGreaterThan(5)
			.allSatisfy(
					(name, type) -> assertThat(hints).as(name)
						.hasEntrySatisfying(name, (hint) -> assertThat(descriptions(hint))
							.containsOnlyKeys(Arrays.stream(type.getEnumConstants())
								.map((constant) -> constant.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
								.toList())
							.allSatisfy((value, description) -> assertThat(description).matches("[A-Z].*\\."))));
	}

	@SuppressWarnings("unchecked")
	private static Map<String, String> descriptions(Map<String, Object> hint) {
		Map<String, String> descriptions = new TreeMap<>();
		((List<Map<String, String>>) hint.getOrDefault("values", List.of()))
			.forEach((value) -> descriptions.put(value.get("value"), value.get("description")));
		return descriptions;
	}

	@Test
	void everyPropertyIsDocumentedWithItsDefault() throws IOException {
		String documentation = documentation();
		assertThat(properties()).allSatisfy((name, property) -> {
			if (!name.equals(LOCKS) && !name.equals(LEADERSHIP)) {
				Object defaultValue = property.get("defaultValue");
				String row = (defaultValue != null) ? "| `%s` | `%s` |".formatted(name, defaultValue)
						: "| `%s` |".formatted(name);
				assertThat(documentation).contains(row);
			}
		});
	}

	@Test
	void everySettingOfASingleLockOrLeadershipIsDocumented() throws IOException {
		String documentation = documentation();
		assertThat(settingsOf(LOCKS, NamedLock.class)).hasSize(10)
			.allSatisfy((name) -> assertThat(documentation).contains("| `" + name + "` |"));
		assertThat(settingsOf(LEADERSHIP, NamedLeadership.class)).hasSize(4)
			.allSatisfy((name) -> assertThat(documentation).contains("| `" + name + "` |"));
	}

	@Test
	void everyOptionOfALockIsASettingOfASingleLock() {
		assertThat(Arrays.stream(NamedLock.class.getRecordComponents())
			.map((component) -> DataObjectPropertyName.toDashedForm(component.getName()))
			.filter((name) -> !name.equals("key")))
			.containsExactlyInAnyOrderElementsOf(LockAttribute.OPTIONS.stream().map(LockAttribute::property).toList());
		Duration any = Duration.ofSeconds(1);
		assertThat(new NamedLock(any, any, true, any, any, any, OnLost.LOG, 1, LockMode.SHARED, "key").given().values())
			.containsOnlyKeys(LockAttribute.OPTIONS);
	}

	@Test
	void allDocumentedPropertiesExist() throws IOException {
		Matcher matcher = Pattern.compile("^\\| `(distributed-lock\\.[^`]+)`", Pattern.MULTILINE)
			.matcher(documentation());
		TreeSet<String> documented = new TreeSet<>();
		while (matcher.find()) {
			documented.add(matcher.group(1));
		}
		documented.removeAll(properties().keySet());
		documented.removeAll(settingsOf(LOCKS, NamedLock.class));
		documented.removeAll(settingsOf(LEADERSHIP, NamedLeadership.class));
		assertThat(documented).isEmpty();
	}

	private static List<String> settingsOf(String root, Class<?> type) {
		return Arrays.stream(type.getRecordComponents())
			.map((component) -> root + "[name]." + DataObjectPropertyName.toDashedForm(component.getName()))
			.toList();
	}

	private static String documentation() throws IOException {
		return Files.readString(Path.of("..", "docs", "configuration.md"));
	}

	private static Map<String, Map<String, Object>> properties() throws IOException {
		return metadata("properties");
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Map<String, Object>> metadata(String kind) throws IOException {
		Map<String, Map<String, Object>> properties = new TreeMap<>();
		for (URL url : Collections.list(ConfigurationMetadataTests.class.getClassLoader()
			.getResources("META-INF/spring-configuration-metadata.json"))) {
			String json = new String(url.openStream().readAllBytes(), StandardCharsets.UTF_8);
			List<Object> found = (List<Object>) JsonParserFactory.getJsonParser()
				.parseMap(json)
				.getOrDefault(kind, List.of());
			for (Object property : found) {
				Map<String, Object> attributes = (Map<String, Object>) property;
				if (((String) attributes.get("name")).startsWith("distributed-lock.")) {
					properties.put((String) attributes.get("name"), attributes);
				}
			}
		}
		return properties;
	}

}
