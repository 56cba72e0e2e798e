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
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.testsupport.RespFrames.Frame;

/**
 * Sends commands in plain text and shows the frames that come back.
 */
final class Resp3Client implements AutoCloseable {

	private final Socket socket;

	private final RespFrames frames;

	Resp3Client(String host, int port) throws IOException {
		this.socket = new Socket(host, port);
		this.socket.setSoTimeout(5000);
		this.frames = new RespFrames(this.socket.getInputStream());
	}

	void send(String... commands) throws IOException {
		for (String command : commands) {
			this.socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
		}
	}

	List<Frame> receive(int count) throws IOException {
		List<Frame> received = new ArrayList<>();
		while (received.size() < count) {
			received.add(this.frames.next());
		}
		return received;
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
