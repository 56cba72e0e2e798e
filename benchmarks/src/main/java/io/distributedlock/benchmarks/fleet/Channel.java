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

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.Socket;

/**
 * Objects over a loopback socket.
 */
final class Channel implements AutoCloseable {

	private final Socket socket;

	private final ObjectOutputStream out;

	private final ObjectInputStream in;

	Channel(Socket socket) throws IOException {
		this.socket = socket;
		this.socket.setTcpNoDelay(true);
		this.out = new ObjectOutputStream(socket.getOutputStream());
		this.out.flush();
		this.in = new ObjectInputStream(socket.getInputStream());
	}

	void send(Object object) throws IOException {
		this.out.writeObject(object);
		this.out.reset();
		this.out.flush();
	}

	Object receive() throws IOException, ClassNotFoundException {
		return this.in.readObject();
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
