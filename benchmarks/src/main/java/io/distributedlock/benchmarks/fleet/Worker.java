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

package io.distributedlock.benchmarks.fleet;

import java.io.EOFException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.benchmarks.contestant.Contestant;

/**
 * The main class of a forked JVM: does one task after the other until the run closes the
 * connection or dies.
 */
final class Worker {

	private static final Logger logger = LoggerFactory.getLogger(Worker.class);

	private Worker() {
	}

	public static void main(String[] args) throws Exception {
		Bench bench = new Bench(Contestant.valueOf(args[1]), URI.create(args[2]), args[3]);
		Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
		try (Channel channel = new Channel(socket)) {
			while (true) {
				channel.send(answer((Task<?>) channel.receive(), bench));
			}
		}
		catch (EOFException | SocketException ex) {
			// The run ended: so does this JVM, whatever a library still does in it
			Runtime.getRuntime().halt(0);
		}
	}

	private static Object answer(Task<?> task, Bench bench) {
		try {
			return task.run(bench);
		}
		catch (Exception | Error ex) {
			logger.warn("{} failed", task, ex);
			return TaskFailedException.in(bench.instance(), ex);
		}
	}

}
