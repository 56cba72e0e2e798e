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

package io.distributedlock.campaign.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.campaign.history.DataLoss.Extent;
import io.distributedlock.campaign.history.Event.Type;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The file of a campaign tells another checker as much as this one.
 */
class HistoryFileTests {

	private static final int LOCK = 7;

	@TempDir
	private Path directory;

	private HistoryFile file;

	private Checker checker;

	@BeforeEach
	void create() {
		this.file = HistoryFile.create(this.directory.resolve("history.jsonl"), (kind) -> "\"quoted\"");
		this.checker = new Checker(Duration.ofSeconds(2), (kind) -> "test", this.file);
	}

	@Test
	void anEventAndAFaultAreALineEach() throws IOException {
		this.checker.accept(new Event(Type.GRANTED, 1, LOCK, 2, 3, 100, 4, 5, 6, 0, 0));
		this.checker.note(101, "FLUSHALL");
		assertThat(lines()).containsExactly(
				"{\"type\":\"GRANTED\",\"at\":100,\"worker\":1,\"workload\":\"\\\"quoted\\\"\",\"lock\":7,\"attempt\":2,"
						+ "\"hold\":3,\"token\":4,\"until\":5,\"amount\":6,\"detail\":0,\"limit\":1}",
				"{\"type\":\"FAULT\",\"at\":101,\"text\":\"FLUSHALL\"}");
	}

	@Test
	void anotherCheckerFindsAnOverlap() throws IOException {
		hold(1, 100, 250);
		hold(2, 200, 300);
		assertThat(OverlapChecker.check(lines().stream())).containsExactly("Lock 7: 1/1 and 2/1 overlap by 50 µs");
	}

	@Test
	void anotherCheckerFindsNothingWhereThereIsNothing() throws IOException {
		hold(1, 100, 200);
		hold(2, 201, 300);
		assertThat(OverlapChecker.check(lines().stream())).isEmpty();
	}

	@Test
	void anotherCheckerLearnsOfLossesOfData() throws IOException {
		hold(1, 100, 250);
		DataLoss open = new DataLoss(new Span(micros(150), Long.MAX_VALUE / 2), Long.MAX_VALUE / 2, Extent.ALL, true);
		this.checker.dataLost(open);
		this.checker.dataLossOver(open);
		this.checker.dataLost(new DataLoss(new Span(micros(150), micros(160)), 1, Extent.ALL, true));
		hold(2, 200, 300);
		assertThat(OverlapChecker.check(lines().stream())).isEmpty();
	}

	@Test
	void theLastLineOfALossCounts() {
		List<String> lines = List.of("{\"type\":\"DATA_LOST\",\"at\":150,\"until\":999,\"token\":1,\"extent\":\"ALL\"}",
				"{\"type\":\"DATA_LOST\",\"at\":150,\"until\":160,\"token\":1,\"extent\":\"ALL\"}");
		Stream<String> afterwards = Stream.of(granted(1), checked(1, 170), checked(1, 250), granted(2), checked(2, 200),
				checked(2, 300));
		assertThat(OverlapChecker.check(Stream.concat(lines.stream(), afterwards))).hasSize(1);
	}

	private static String granted(int worker) {
		return "{\"type\":\"GRANTED\",\"at\":1,\"worker\":%d,\"lock\":7,\"hold\":1,\"limit\":1}".formatted(worker);
	}

	private static String checked(int worker, long at) {
		return "{\"type\":\"CHECKED\",\"at\":%d,\"worker\":%d,\"lock\":7,\"hold\":1,\"until\":999}".formatted(at,
				worker);
	}

	private void hold(int worker, long from, long to) {
		this.checker.accept(new Event(Type.ASKED, worker, LOCK, 1, 0, micros(from - 1), 0, 0, 0, 0, 0));
		this.checker.accept(
				new Event(Type.GRANTED, worker, LOCK, 1, 1, micros(from - 1), worker, micros(to), micros(1000), 0, 0));
		this.checker.accept(new Event(Type.CHECKED, worker, LOCK, 1, 1, micros(from), 0, micros(to), 0, 0, 0));
		this.checker.accept(new Event(Type.CHECKED, worker, LOCK, 1, 1, micros(to), 0, micros(to), 0, 0, 0));
		this.checker.accept(new Event(Type.RELEASING, worker, LOCK, 1, 1, micros(to), 0, 0, 0, 0, 0));
	}

	private static long micros(long micros) {
		return micros * 1000;
	}

	private List<String> lines() throws IOException {
		this.file.close();
		return Files.readAllLines(this.directory.resolve("history.jsonl"));
	}

}
