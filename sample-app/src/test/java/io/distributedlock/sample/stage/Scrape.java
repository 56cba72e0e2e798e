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
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an instance tells Prometheus at a moment.
 */
record Scrape(List<Sample> samples) {

	private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_:][\\w:]*)(?:\\{(.*)})? (\\S+)");

	private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\",?");

	static Scrape of(Instance instance) throws IOException, InterruptedException {
		URI uri = URI.create(instance.url() + "/actuator/prometheus");
		String text = HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
			.body();
		return new Scrape(text.lines().filter((line) -> !line.startsWith("#")).map(Scrape::sample).toList());
	}

	private static Sample sample(String line) {
		Matcher matcher = SAMPLE.matcher(line);
		assertThat(matcher.matches()).as(line).isTrue();
		Map<String, String> labels = new HashMap<>();
		if (matcher.group(2) != null) {
			Matcher label = LABEL.matcher(matcher.group(2));
			while (label.find()) {
				labels.put(label.group(1), label.group(2));
			}
		}
		return new Sample(matcher.group(1), labels, Double.parseDouble(matcher.group(3)));
	}

	List<Sample> of(String meter) {
		return this.samples.stream().filter((sample) -> sample.meter().equals(meter)).toList();
	}

	/** The values that a label of a meter has. */
	Set<String> values(String meter, String label) {
		return of(meter).stream()
			.map((sample) -> sample.labels().get(label))
			.filter((value) -> value != null)
			.collect(Collectors.toSet());
	}

	record Sample(String meter, Map<String, String> labels, double value) {
	}

}
