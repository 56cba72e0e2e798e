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

package io.distributedlock.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.LockHandle;
import io.distributedlock.leadership.Leadership;

/**
 * Memory that several JVMs of this machine share, in which each candidate says all the
 * time that it leads, and with which token: once a leader has said so, no earlier one may
 * say that it leads.
 */
final class LeaderWitness {

	private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

	private static final int TOKEN = 0;

	private static final int LEADER = 8;

	private static final int VIOLATIONS = 16;

	private static final int OBSERVATIONS = 24;

	private final ByteBuffer memory;

	private LeaderWitness(ByteBuffer memory) {
		this.memory = memory;
	}

	static LeaderWitness open(Path file) {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE,
				StandardOpenOption.CREATE)) {
			return new LeaderWitness(channel.map(MapMode.READ_WRITE, 0, 32));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Look at a candidate as long as this JVM lives.
	 */
	void watch(Leadership candidate) {
		while (true) {
			observe(candidate);
			LockSupport.parkNanos(Duration.ofNanos(50_000).toNanos());
		}
	}

	private void observe(Leadership candidate) {
		long latest = get(TOKEN);
		LockHandle handle = candidate.handle().orElse(null);
		if (handle == null || !candidate.isLeader()) {
			return;
		}
		LONGS.getAndAdd(this.memory, OBSERVATIONS, 1L);
		long token = handle.fencingToken();
		if (token < latest) {
			LONGS.getAndAdd(this.memory, VIOLATIONS, 1L);
		}
		while (token > latest && !LONGS.compareAndSet(this.memory, TOKEN, latest, token)) {
			latest = get(TOKEN);
		}
		if (token >= latest) {
			LONGS.setVolatile(this.memory, LEADER, ProcessHandle.current().pid());
		}
	}

	private long get(int index) {
		return (long) LONGS.getVolatile(this.memory, index);
	}

	/**
	 * Return the token of the latest leader.
	 */
	long token() {
		return get(TOKEN);
	}

	/**
	 * Return the process that leads, zero until one has said so again.
	 */
	long leader() {
		return get(LEADER);
	}

	void forgetLeader() {
		LONGS.setVolatile(this.memory, LEADER, 0L);
	}

	long violations() {
		return get(VIOLATIONS);
	}

	long observations() {
		return get(OBSERVATIONS);
	}

}
