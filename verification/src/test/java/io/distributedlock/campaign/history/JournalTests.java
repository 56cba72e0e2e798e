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

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.distributedlock.campaign.history.Event.Type;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class JournalTests {

	@TempDir
	private Path directory;

	@Test
	void writtenEventIsRead() {
		Event event = new Event(Type.GRANTED, 3, 17, 1, 2, 3, 4, 5, 6, -1, 8, 9);
		Journal journal = new Journal(this.directory, 3);
		JournalReader reader = new JournalReader(this.directory, 3);
		List<Event> events = new ArrayList<>();
		reader.read(events::add);
		assertThat(events).isEmpty();
		journal.write(event);
		reader.read(events::add);
		reader.read(events::add);
		assertThat(events).containsExactly(event);
	}

	@Test
	void severalThreadsFillSeveralFiles() throws Exception {
		int threads = 4;
		int each = Journal.EVENTS_PER_FILE;
		Journal journal = new Journal(this.directory, 1);
		JournalReader reader = new JournalReader(this.directory, 1);
		List<Thread> writers = IntStream.range(0, threads)
			.mapToObj((thread) -> new Thread(() -> LongStream.range(0, each)
				.forEach((number) -> journal.write(new Event(Type.CHECKED, 1, thread, number, 0, 0, 0, 0, 0, 0, 0)))))
			.toList();
		writers.forEach(Thread::start);
		long[] next = new long[threads];
		while (LongStream.of(next).sum() < (long) threads * each) {
			reader.read((event) -> assertThat(event.attempt()).isEqualTo(next[event.name()]++));
		}
		for (Thread writer : writers) {
			writer.join();
		}
		assertThat(next).containsOnly(each);
		reader.readRest((event) -> assertThat(event).isNull());
		assertThat(this.directory).isEmptyDirectory();
	}

}
