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

package io.distributedlock.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Picks ports outside the range from which the system serves outgoing connections, so
 * that a stopped server gets its port back. A port belongs to this JVM as long as that
 * lives: it locks a byte of a file for each, which all JVMs of this user obey.
 */
final class FreePorts {

	private static final int FIRST = 10_000;

	private static final int LAST = 22_000;

	/** Distance of the bus port of a cluster node, which must be free as well. */
	private static final int CLUSTER_BUS_OFFSET = 10_000;

	private static final FileChannel OWNERS = openOwners();

	private FreePorts() {
	}

	static int next() {
		for (int attempt = 0; attempt < 1000; attempt++) {
			int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
			if (isFree(port) && isFree(port + CLUSTER_BUS_OFFSET) && own(port) && own(port + CLUSTER_BUS_OFFSET)) {
				return port;
			}
		}
		throw new IllegalStateException("There is no free port between %d and %d".formatted(FIRST, LAST));
	}

	private static boolean own(int port) {
		try {
			return OWNERS.tryLock(port, 1, false) != null;
		}
		catch (OverlappingFileLockException ex) {
			return false;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot lock port " + port, ex);
		}
	}

	private static FileChannel openOwners() {
		Path file = Path.of(System.getProperty("java.io.tmpdir"),
				"lock-test-support-ports-" + System.getProperty("user.name"));
		try {
			return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot open " + file, ex);
		}
	}

	private static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
			return socket.isBound();
		}
		catch (IOException ex) {
			return false;
		}
	}

}
