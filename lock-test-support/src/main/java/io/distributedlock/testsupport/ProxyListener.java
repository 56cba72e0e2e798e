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
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

import org.jspecify.annotations.Nullable;

/**
 * The port of a {@link FaultProxy}: accepts connections, and can stop that and start
 * again on the same port.
 */
final class ProxyListener {

	static final String HOST = "127.0.0.1";

	private final Server server;

	private volatile ServerSocket socket;

	private @Nullable Thread acceptor;

	ProxyListener(Server server) {
		this.server = server;
		this.socket = listenOnFreePort();
	}

	int port() {
		return this.socket.getLocalPort();
	}

	/**
	 * Accepts connections again if they are refused.
	 */
	synchronized void restart() {
		if (this.socket.isClosed()) {
			this.socket = listen(this.socket.getLocalPort());
		}
	}

	/**
	 * Refuses connections from now on. A thread that still accepts keeps the port open,
	 * so the end of it is awaited.
	 */
	synchronized void stop() {
		try {
			this.socket.close();
			Thread acceptor = this.acceptor;
			if (acceptor != null) {
				acceptor.join();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * A port of the system's choice would go to somebody else while connections are
	 * refused.
	 */
	private ServerSocket listenOnFreePort() {
		int attempts = 3;
		while (true) {
			try {
				return listen(FreePorts.next());
			}
			catch (UncheckedIOException ex) {
				attempts--;
				if (attempts == 0) {
					throw ex;
				}
			}
		}
	}

	private ServerSocket listen(int port) {
		try {
			ServerSocket listener = new ServerSocket();
			listener.setReuseAddress(true);
			listener.bind(new InetSocketAddress(InetAddress.getByName(HOST), port));
			Thread acceptor = new Thread(() -> accept(listener), "fault-proxy-acceptor");
			acceptor.setDaemon(true);
			acceptor.start();
			this.acceptor = acceptor;
			return listener;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void accept(ServerSocket listener) {
		while (!listener.isClosed()) {
			try {
				this.server.serve(listener.accept());
			}
			catch (IOException ex) {
				// The listener was closed, or the client has gone again
			}
		}
	}

	/**
	 * What is done with a new connection.
	 */
	@FunctionalInterface
	interface Server {

		void serve(Socket client) throws IOException;

	}

}
