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
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Reads the journal of a worker while it is written, and deletes what was read.
 */
public final class JournalReader {

	/** More than there are threads that write at the same time. */
	private static final int MOST_GAPS = 256;

	private final Path directory;

	private final int worker;

	private long next;

	private long fileNumber = -1;

	private @Nullable MappedByteBuffer file;

	public JournalReader(Path directory, int worker) {
		this.directory = directory;
		this.worker = worker;
	}

	/**
	 * Reads the events that are there, up to the first that is still being written.
	 */
	public void read(Consumer<Event> consumer) {
		while (readOne(consumer)) {
			this.next++;
		}
	}

	/**
	 * Reads what is left of a worker that is dead: places that it left empty are skipped.
	 */
	public void readRest(Consumer<Event> consumer) {
		int gaps = 0;
		while (gaps < MOST_GAPS) {
			gaps = readOne(consumer) ? 0 : gaps + 1;
			this.next++;
		}
		this.file = null;
		delete(this.fileNumber);
		delete(this.fileNumber + 1);
	}

	private boolean readOne(Consumer<Event> consumer) {
		long number = this.next / Journal.EVENTS_PER_FILE;
		MappedByteBuffer file = this.file;
		if (file == null || number != this.fileNumber) {
			if (!Files.exists(Journal.file(this.directory, this.worker, number))) {
				return false;
			}
			file = Journal.map(this.directory, this.worker, number);
			if (this.fileNumber >= 0) {
				delete(this.fileNumber);
			}
			this.file = file;
			this.fileNumber = number;
		}
		int place = (int) (this.next % Journal.EVENTS_PER_FILE) * Journal.EVENT_BYTES;
		Event.Type type = Journal.type(file, place);
		if (type == Event.Type.NONE) {
			return false;
		}
		consumer.accept(new Event(type, this.worker, file.getInt(place + 4), file.getLong(place + 8),
				file.getLong(place + 16), file.getLong(place + 24), file.getLong(place + 32), file.getLong(place + 40),
				file.getLong(place + 48), file.getShort(place + 56), file.getInt(place + 60),
				file.getShort(place + 58)));
		return true;
	}

	private void delete(long number) {
		try {
			Files.deleteIfExists(Journal.file(this.directory, this.worker, number));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
