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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import tools.jackson.databind.JsonNode;

final class IndexScenario implements Scenario {

	private static final int READERS = 6;

	private static final int REBUILDS = 2;

	/** Of different length, so that there is no moment at which nobody reads. */
	private static final int SHORTEST_READING = 250;

	private static final int LONGER_THAN_THE_ONE_BEFORE = 40;

	private static final Duration TIME_TO_READ = Duration.ofMillis(1200);

	@Override
	public String title() {
		return "Many readers, one writer";
	}

	@Override
	public String story() {
		return """
				Six readers on two instances read an index again and again, without a break. They share its
				lock. Meanwhile each instance rebuilds the index once, and must be alone for that.""";
	}

	@Override
	public List<Finding> play(Instances instances) {
		String index = "/indexes/" + Instances.fresh("index");
		instances.first().put(index);
		AtomicBoolean done = new AtomicBoolean();
		AtomicInteger readers = new AtomicInteger();
		CompletableFuture<List<List<Answer>>> reading = CompletableFuture
			.supplyAsync(
					() -> instances.atOnce(READERS,
							(instance) -> read(instance, index + "?millis="
									+ (SHORTEST_READING + readers.getAndIncrement() * LONGER_THAN_THE_ONE_BEFORE),
									done)));
		List<Answer> rebuilds = new ArrayList<>();
		try {
			for (Instance instance : List.of(instances.first(), instances.second())) {
				Pause.of(TIME_TO_READ);
				rebuilds.add(instance.post(index + "/rebuild"));
			}
			Pause.of(TIME_TO_READ);
		}
		finally {
			done.set(true);
		}
		return findings(rebuilds, reading.join().stream().flatMap(List::stream).toList());
	}

	private static List<Answer> read(Instance instance, String path, AtomicBoolean done) {
		List<Answer> answers = new ArrayList<>();
		do {
			answers.add(instance.get(path));
		}
		while (!done.get());
		return answers;
	}

	private static List<Finding> findings(List<Answer> rebuilds, List<Answer> answers) {
		List<JsonNode> readings = answers.stream().filter((answer) -> answer.is(Answer.OK)).map(Answer::body).toList();
		return List.of(
				Finding.number("rebuilds that got their turn among readers that never cease", REBUILDS,
						rebuilds.stream().filter((answer) -> answer.is(Answer.OK)).count()),
				Finding.number("readers who were refused", 0, answers.size() - readings.size()),
				Finding.that("readers read at the same time",
						readings.stream().anyMatch((reading) -> reading.path("readers").asInt() > 1)),
				Finding.number("readers who saw a part of the index before a rebuild and a part after it", 0,
						readings.stream()
							.filter((reading) -> reading.path("atFirst").asInt() != reading.path("atLast").asInt())
							.count()),
				new Finding("versions of the index that were read", List.of(0, 1, 2),
						readings.stream()
							.map((reading) -> reading.path("atLast").asInt())
							.distinct()
							.sorted()
							.toList()),
				Finding.note("readings", readings.size()),
				Finding.note("longest time until the index was rebuilt, in ms",
						rebuilds.stream().mapToLong((answer) -> answer.took().toMillis()).max().orElse(0)));
	}

}
