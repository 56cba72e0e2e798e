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
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The history of one worker, in files that are mapped into its memory: what was written
 * survives a {@code kill -9}, and an event costs no system call.
 * <p>
 * Each event takes 64 bytes. Its first four say what happened and are written last, so
 * that a reader in another process sees it whole or not at all. A thread that dies
 * between taking its place and writing the event leaves an empty place behind.
 */
public final class Journal {

	static final int EVENT_BYTES = 64;

	static final int EVENTS_PER_FILE = 1 << 16;

	static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

	private static final Event.Type[] TYPES = Event.Type.values();

	private final Path directory;

	private final int worker;

	private final AtomicLong next = new AtomicLong();

	private final ConcurrentHashMap<Long, MappedByteBuffer> files = new ConcurrentHashMap<>();

	public Journal(Path directory, int worker) {
		this.directory = directory;
		this.worker = worker;
	}

	public void write(Event event) {
		long index = this.next.getAndIncrement();
		long number = index / EVENTS_PER_FILE;
		MappedByteBuffer file = this.files.get(number);
		if (file == null) {
			file = this.files.computeIfAbsent(number, this::mapUninterruptibly);
			// Other threads may still write to the one before, but to none before that
			this.files.remove(number - 2);
		}
		int place = (int) (index % EVENTS_PER_FILE) * EVENT_BYTES;
		file.putInt(place + 4, event.name());
		file.putLong(place + 8, event.attempt());
		file.putLong(place + 16, event.hold());
		file.putLong(place + 24, event.at());
		file.putLong(place + 32, event.token());
		file.putLong(place + 40, event.until());
		file.putLong(place + 48, event.amount());
		file.putShort(place + 56, (short) event.kind());
		file.putShort(place + 58, (short) event.limit());
		file.putInt(place + 60, event.detail());
		INT.setRelease(file, place, event.type().ordinal());
	}

	/** A channel that a thread is interrupted at is closed. */
	private MappedByteBuffer mapUninterruptibly(long number) {
		boolean interrupted = false;
		try {
			while (true) {
				interrupted |= Thread.interrupted();
				try {
					return map(this.directory, this.worker, number);
				}
				catch (UncheckedIOException ex) {
					if (!(ex.getCause() instanceof ClosedByInterruptException)) {
						throw ex;
					}
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	static Event.Type type(MappedByteBuffer file, int place) {
		return TYPES[(int) INT.getAcquire(file, place)];
	}

	static Path file(Path directory, int worker, long number) {
		return directory.resolve("journal-%d-%d".formatted(worker, number));
	}

	static MappedByteBuffer map(Path directory, int worker, long number) {
		try (FileChannel channel = FileChannel.open(file(directory, worker, number), StandardOpenOption.CREATE,
				StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			MappedByteBuffer file = channel.map(FileChannel.MapMode.READ_WRITE, 0, EVENTS_PER_FILE * EVENT_BYTES);
			file.order(ByteOrder.nativeOrder());
			return file;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot map the journal of worker " + worker, ex);
		}
	}

}
