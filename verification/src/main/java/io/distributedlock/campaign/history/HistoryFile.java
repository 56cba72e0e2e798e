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

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntFunction;

import org.jspecify.annotations.Nullable;

/**
 * The history of a phase for checkers other than this one: a JSON object a line, in the
 * order in which it was read, which for each worker is that of its steps. The README of
 * this module describes the fields.
 */
public final class HistoryFile implements AutoCloseable {

	private final @Nullable BufferedWriter writer;

	private final IntFunction<String> workloads;

	private HistoryFile(@Nullable BufferedWriter writer, IntFunction<String> workloads) {
		this.writer = writer;
		this.workloads = workloads;
	}

	/**
	 * Returns a history that nobody wants.
	 */
	public static HistoryFile none() {
		return new HistoryFile(null, Integer::toString);
	}

	/**
	 * Creates a file.
	 * @param workloads the labels of the workloads by their numbers
	 */
	public static HistoryFile create(Path file, IntFunction<String> workloads) {
		try {
			return new HistoryFile(Files.newBufferedWriter(file), workloads);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	void event(Event event) {
		if (this.writer != null) {
			write(("{\"type\":\"%s\",\"at\":%d,\"worker\":%d,\"workload\":\"%s\",\"lock\":%d,\"attempt\":%d,\"hold\":%d,"
					+ "\"token\":%d,\"until\":%d,\"amount\":%d,\"detail\":%d,\"limit\":%d}")
				.formatted(event.type(), event.at(), event.worker(), escaped(this.workloads.apply(event.kind())),
						event.name(), event.attempt(), event.hold(), event.token(), event.until(), event.amount(),
						event.detail(), event.limit()));
		}
	}

	void fault(long at, String text) {
		write("{\"type\":\"FAULT\",\"at\":%d,\"text\":\"%s\"}".formatted(at, escaped(text)));
	}

	void dataLost(DataLoss loss) {
		write("{\"type\":\"DATA_LOST\",\"at\":%d,\"until\":%d,\"token\":%d,\"extent\":\"%s\"}"
			.formatted(loss.span().from(), loss.span().to(), loss.wallMicros(), loss.extent()));
	}

	private static String escaped(String text) {
		return text.replace("\\", "\\\\").replace("\"", "\\\"").replace('\n', ' ');
	}

	private void write(String line) {
		if (this.writer != null) {
			try {
				this.writer.write(line);
				this.writer.newLine();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	@Override
	public void close() {
		if (this.writer != null) {
			try {
				this.writer.close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

}
