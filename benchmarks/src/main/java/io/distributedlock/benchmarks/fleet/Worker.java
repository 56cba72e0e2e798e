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

/**
 * The main class of a forked JVM: does one task after the other until the run closes the
 * connection or dies.
 */
final class Worker {

	private final Channel channel;

	private final Bench bench;

	private Worker(Channel channel, Bench bench) {
		this.channel = channel;
		this.bench = bench;
	}

	public static void main(String[] args) throws Exception {
		Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
		try (Channel channel = new Channel(socket)) {
			new Worker(channel, new Bench(args[1])).work();
		}
		catch (EOFException | SocketException ex) {
			// The run ended: so does this JVM, whatever a library still does in it.
		}
		Runtime.getRuntime().halt(0);
	}

	private void work() throws Exception {
		while (true) {
			Task<?> task = (Task<?>) this.channel.receive();
			this.channel.send(answer(task));
		}
	}

	private Answer answer(Task<?> task) {
		try {
			return new Answer.Done(task.run(this.bench));
		}
		catch (Exception | Error ex) {
			return Answer.Failed.with(ex);
		}
	}

}
