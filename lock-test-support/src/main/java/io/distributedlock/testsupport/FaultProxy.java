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
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.testsupport.LinkConditions.Traffic;
import org.jspecify.annotations.Nullable;

/**
 * A network between a client and Redis that breaks on demand.
 * <p>
 * Conditions ({@link #delay(Duration) delay}, {@link #stall() stall}, {@link #blackHole()
 * blackHole}, {@link #cutOneWay(Direction) cutOneWay}, {@link #refuseConnections()
 * refuseConnections}) hold for all connections until {@link #heal()}. Faults
 * ({@link #dropNextReply(String) dropNextReply} and the like) wait for one command whose
 * text contains the given one, and strike once; the text is the command and its arguments
 * as sent, separated by spaces. A fault also counts as struck if the connection ends
 * before the answer is delivered, since the client then gets none. Arm a fault several
 * times to strike several commands.
 * <p>
 * The proxy understands RESP2 and RESP3, pipelining, subscriptions and blocking commands,
 * but neither TLS nor MONITOR.
 */
public final class FaultProxy implements AutoCloseable {

	private static final int CONNECT_TIMEOUT_MILLIS = 5000;

	private volatile InetSocketAddress target;

	private final @Nullable String password;

	private final LinkConditions conditions = new LinkConditions();

	private final Set<ProxyConnection> connections = ConcurrentHashMap.newKeySet();

	private final ProxyListener listener;

	private FaultProxy(InetSocketAddress target, @Nullable String password) {
		this.target = target;
		this.password = password;
		this.listener = new ProxyListener(this::serve);
	}

	/**
	 * Opens a healthy proxy in front of a server.
	 */
	public static FaultProxy to(RedisServer server) {
		return new FaultProxy(new InetSocketAddress(server.host(), server.port()), server.password());
	}

	/**
	 * Opens a healthy proxy in front of an address.
	 */
	public static FaultProxy to(String host, int port) {
		return new FaultProxy(new InetSocketAddress(host, port), null);
	}

	/**
	 * Returns the host to connect to.
	 */
	public String host() {
		return ProxyListener.HOST;
	}

	/**
	 * Returns the port to connect to.
	 */
	public int port() {
		return this.listener.port();
	}

	/**
	 * Returns the address as property assignments of a Spring Boot application.
	 */
	public String[] springProperties() {
		return RedisServer.springProperties(host(), port(), this.password);
	}

	/**
	 * Returns how many connections are open.
	 */
	public int openConnections() {
		return this.connections.size();
	}

	/**
	 * Loses one command on its way to Redis, and resets its connection.
	 */
	public Fault dropNextRequest(String text) {
		return this.conditions.arm(new Fault(Fault.Kind.DROP_REQUEST, text, ""));
	}

	/**
	 * Lets Redis execute one command, loses its reply, and resets its connection.
	 */
	public Fault dropNextReply(String text) {
		return this.conditions.arm(new Fault(Fault.Kind.DROP_REPLY, text, ""));
	}

	/**
	 * Lets Redis execute one command, delivers half of its reply, and ends its
	 * connection.
	 */
	public Fault cutNextReply(String text) {
		return this.conditions.arm(new Fault(Fault.Kind.CUT_REPLY, text, ""));
	}

	/**
	 * Lets Redis execute one command, and answers it with an error all the same.
	 */
	public Fault rewriteNextReply(String text, String error) {
		return this.conditions.arm(new Fault(Fault.Kind.REWRITE_REPLY, text, error));
	}

	/**
	 * Answers one command with an error, without asking Redis. This is what a replica, a
	 * loading, full or moved node does.
	 */
	public Fault answerNext(String text, String error) {
		return this.conditions.arm(new Fault(Fault.Kind.ANSWER, text, error));
	}

	/**
	 * Loses one message of a subscription, as Redis itself does when the subscriber has
	 * just been disconnected. The connection stays.
	 */
	public Fault loseNextMessage(String text) {
		return this.conditions.arm(new Fault(Fault.Kind.LOSE_MESSAGE, text, ""));
	}

	/**
	 * Delivers one message of a subscription twice.
	 */
	public Fault repeatNextMessage(String text) {
		return this.conditions.arm(new Fault(Fault.Kind.REPEAT_MESSAGE, text, ""));
	}

	/**
	 * Lets the server refuse PUBLISH inside scripts, as some rented ones do, until
	 * {@link #heal()}. It must not know the scripts already. Each script asks for a
	 * command with a name of the same length that no server allows there.
	 */
	public void refusePublishInScripts() {
		this.conditions
			.rewrite((command) -> new String(command, StandardCharsets.ISO_8859_1).replace("'PUBLISH'", "'MONITOR'")
				.getBytes(StandardCharsets.ISO_8859_1));
	}

	/**
	 * Delays every reply.
	 */
	public void delay(Duration delay) {
		delay(Direction.TO_CLIENT, delay);
	}

	/**
	 * Delays everything that goes one way. What is already under way keeps its time.
	 */
	public void delay(Direction direction, Duration delay) {
		this.conditions.set(direction, delay);
	}

	/**
	 * Holds everything back, and delivers it late at {@link #heal()}, as a network does
	 * that comes back in time. Connecting still works.
	 */
	public void stall() {
		this.conditions.set(Direction.TO_SERVER, Traffic.HELD);
		this.conditions.set(Direction.TO_CLIENT, Traffic.HELD);
	}

	/**
	 * Swallows everything, the end of a connection included. Connecting still works, and
	 * nobody sees a reset before {@link #heal()}.
	 */
	public void blackHole() {
		cutOneWay(Direction.TO_SERVER);
		cutOneWay(Direction.TO_CLIENT);
	}

	/**
	 * Swallows everything that goes one way.
	 */
	public void cutOneWay(Direction direction) {
		this.conditions.set(direction, Traffic.LOST);
	}

	/**
	 * Tells the clients that nothing more will come, while still taking what they send.
	 */
	public void halfClose() {
		this.connections.forEach(ProxyConnection::halfClose);
	}

	/**
	 * Connects new connections to another server. Those that are open stay.
	 */
	public void leadTo(RedisServer server) {
		this.target = new InetSocketAddress(server.host(), server.port());
	}

	/**
	 * Resets all open connections. New ones are served.
	 */
	public void resetConnections() {
		this.connections.forEach(ProxyConnection::reset);
	}

	/**
	 * Refuses new connections. Open ones stay, see {@link #resetConnections()}.
	 */
	public synchronized void refuseConnections() {
		this.listener.stop();
	}

	/**
	 * Ends all conditions, and forgets the faults that have not struck. Connections that
	 * lost something are reset, for their streams have holes.
	 */
	public synchronized void heal() {
		this.conditions.clear();
		this.connections.forEach(ProxyConnection::resetIfLossy);
		this.listener.restart();
	}

	/**
	 * Closes the proxy and its connections.
	 */
	@Override
	public synchronized void close() {
		this.listener.stop();
		resetConnections();
	}

	private void serve(Socket client) throws IOException {
		Socket server = new Socket();
		try {
			client.setTcpNoDelay(true);
			server.setTcpNoDelay(true);
			server.connect(this.target, CONNECT_TIMEOUT_MILLIS);
		}
		catch (IOException ex) {
			client.setSoLinger(true, 0);
			client.close();
			server.close();
			return;
		}
		ProxyConnection connection = new ProxyConnection(client, server, this.conditions, this.connections::remove);
		this.connections.add(connection);
		connection.start();
	}

}
