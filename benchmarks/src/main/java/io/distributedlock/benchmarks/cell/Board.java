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

package io.distributedlock.benchmarks.cell;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A few numbers that several JVMs see at the same time, in a memory-mapped file: a write
 * is seen by the other JVM within nanoseconds and costs Redis nothing.
 */
final class Board {

	private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

	private static final int CACHE_LINE = 64;

	private static final int SLOTS = 16;

	private final ByteBuffer memory;

	private Board(ByteBuffer memory) {
		this.memory = memory;
	}

	static Board open(String file) {
		try (FileChannel channel = FileChannel.open(Path.of(file), StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE)) {
			return new Board(channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) SLOTS * CACHE_LINE));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	void clear() {
		for (int slot = 0; slot < SLOTS; slot++) {
			set(slot, 0);
		}
	}

	long get(int slot) {
		return (long) LONGS.getVolatile(this.memory, slot * CACHE_LINE);
	}

	void set(int slot, long value) {
		LONGS.setVolatile(this.memory, slot * CACHE_LINE, value);
	}

	/**
	 * Adds, whoever else adds at the same time.
	 * @return the value before
	 */
	long add(int slot, long delta) {
		return (long) LONGS.getAndAdd(this.memory, slot * CACHE_LINE, delta);
	}

}
