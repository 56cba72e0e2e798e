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
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import io.distributedlock.testsupport.RespFrames.Frame;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection through a {@link FaultProxy}.
 * <p>
 * Two threads cut the streams into frames, two deliver them. A reply belongs to the
 * oldest command that has none yet; pushed messages belong to none. Commands that the
 * proxy answers itself queue among the others, so that replies stay in order.
 */
final class ProxyConnection {

	private final Socket client;

	private final Socket server;

	private final LinkConditions conditions;

	private final Consumer<ProxyConnection> onClose;

	private final ProxyLink toServer;

	private final ProxyLink toClient;

	private final List<Thread> threads;

	/** Faults that have their command, which has no answer yet. */
	private final Set<Fault> striking = ConcurrentHashMap.newKeySet();

	private volatile boolean closed;

	/** Guarded by itself. */
	private final Queue<Expected> expected = new ArrayDeque<>();

	/** Guarded by the same lock. */
	private boolean subscribed;

	ProxyConnection(Socket client, Socket server, LinkConditions conditions, Consumer<ProxyConnection> onClose) {
		this.client = client;
		this.server = server;
		this.conditions = conditions;
		this.onClose = onClose;
		this.toServer = new ProxyLink(Direction.TO_SERVER, server, conditions);
		this.toClient = new ProxyLink(Direction.TO_CLIENT, client, conditions);
		this.threads = List.of(thread("requests", () -> pump(this.client, this::onRequest, this.toServer)),
				thread("replies", () -> pump(this.server, this::onReply, this.toClient)),
				thread("to-server", this.toServer::run), thread("to-client", this.toClient::run));
	}

	void start() {
		this.threads.forEach(Thread::start);
	}

	/** Closes both ends abruptly: their peers see a reset. */
	void reset() {
		for (Socket socket : List.of(this.client, this.server)) {
			try {
				socket.setSoLinger(true, 0);
			}
			catch (IOException ex) {
				// Already closed, as wanted
			}
		}
		close();
	}

	private void close() {
		for (Socket socket : List.of(this.client, this.server)) {
			try {
				socket.close();
			}
			catch (IOException ex) {
				// Already closed, as wanted
			}
		}
		this.threads.forEach(Thread::interrupt);
		this.closed = true;
		this.striking.forEach(this::struck);
		this.onClose.accept(this);
	}

	void resetIfLossy() {
		if (this.toServer.isLossy() || this.toClient.isLossy()) {
			reset();
		}
	}

	void halfClose() {
		this.toClient.finish();
	}

	private void onRequest(Frame frame) {
		Fault fault = this.conditions.take(frame.text());
		Fault.@Nullable Kind kind = (fault != null) ? fault.kind() : null;
		if (fault != null) {
			this.striking.add(fault);
			if (this.closed) {
				struck(fault);
			}
		}
		if (fault != null && kind == Fault.Kind.DROP_REQUEST) {
			this.toServer.deliver(() -> strike(fault));
			return;
		}
		synchronized (this.expected) {
			this.subscribed |= frame.isSubscription();
			this.expected.add(new Expected(frame.isSubscription(), fault));
			if (kind == Fault.Kind.ANSWER) {
				answerThoseThatAreNext();
			}
			else {
				this.toServer.send(this.conditions.rewritten(frame.bytes()));
			}
		}
	}

	private void onReply(Frame frame) {
		synchronized (this.expected) {
			if (frame.isMessage(this.subscribed)) {
				onMessage(frame);
				return;
			}
			Fault fault = isReply(frame) ? take() : null;
			if (fault == null) {
				this.toClient.send(frame.bytes());
			}
			else if (fault.kind() == Fault.Kind.DROP_REPLY) {
				this.toClient.deliver(() -> strike(fault));
			}
			else if (fault.kind() == Fault.Kind.CUT_REPLY) {
				cut(frame, fault);
			}
			else {
				answer(fault);
			}
			answerThoseThatAreNext();
		}
	}

	private void onMessage(Frame frame) {
		Fault fault = this.conditions.takeForMessage(frame.text());
		if (fault == null) {
			this.toClient.send(frame.bytes());
			return;
		}
		if (fault.kind() == Fault.Kind.REPEAT_MESSAGE) {
			this.toClient.send(frame.bytes());
			this.toClient.send(frame.bytes());
		}
		this.toClient.deliver(() -> fault.strike(frame.words()));
	}

	/** A subscription to several channels is confirmed several times: only one counts. */
	private boolean isReply(Frame frame) {
		if (frame.isConfirmation(this.subscribed)) {
			Expected next = this.expected.peek();
			return next != null && next.subscription();
		}
		return !frame.isMessage(this.subscribed);
	}

	private @Nullable Fault take() {
		Expected next = this.expected.poll();
		return (next != null) ? next.fault() : null;
	}

	private void answerThoseThatAreNext() {
		Expected next;
		while ((next = this.expected.peek()) != null && next.fault() != null
				&& next.fault().kind() == Fault.Kind.ANSWER) {
			this.expected.remove();
			answer(next.fault());
		}
	}

	private void answer(Fault fault) {
		this.toClient.send(Frame.error(fault.reply()).bytes());
		this.toClient.deliver(() -> struck(fault));
	}

	/** Not by a reset, after which the client might not read the first half. */
	private void cut(Frame frame, Fault fault) {
		byte[] reply = frame.bytes();
		this.toClient.send(Arrays.copyOf(reply, reply.length / 2));
		this.toClient.finish();
		this.toClient.deliver(() -> {
			close();
			struck(fault);
		});
	}

	private void strike(Fault fault) {
		reset();
		struck(fault);
	}

	private void struck(Fault fault) {
		this.striking.remove(fault);
		fault.strike();
	}

	private void pump(Socket source, Consumer<Frame> onFrame, ProxyLink link) throws IOException {
		RespFrames frames = new RespFrames(source.getInputStream());
		Frame frame;
		while ((frame = frames.next()) != null) {
			onFrame.accept(frame);
		}
		link.finish();
		if (link == this.toClient) {
			link.deliver(this::close);
		}
	}

	private Thread thread(String name, Task task) {
		Thread thread = new Thread(() -> {
			try {
				task.run();
			}
			catch (IOException | InterruptedException | RuntimeException ex) {
				reset();
			}
		}, "fault-proxy-" + name);
		thread.setDaemon(true);
		return thread;
	}

	private record Expected(boolean subscription, @Nullable Fault fault) {
	}

	@FunctionalInterface
	private interface Task {

		void run() throws IOException, InterruptedException;

	}

}
