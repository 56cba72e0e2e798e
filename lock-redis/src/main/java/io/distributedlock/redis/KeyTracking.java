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

package io.distributedlock.redis;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import io.distributedlock.internal.Failures;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.TrackingArgs;
import io.lettuce.core.api.async.RedisServerAsyncCommands;
import io.lettuce.core.api.push.PushMessage;
import io.lettuce.core.protocol.ProtocolVersion;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Has the servers report changes of keys, over the connection of the locks: {@code CLIENT
 * TRACKING} in the mode {@code OPTIN}, in which a server remembers only what the command
 * after {@code CLIENT CACHING} reads, and with {@code NOLOOP}, as our own commands are no
 * news.
 *
 * <p>
 * A report is an addition: each holder also learns of a loss without it, only later. So
 * nothing here waits for an answer, fails a call, or is repeated. The server forgets
 * {@code CLIENT CACHING} with the next command, so no thread may send another one in
 * between. A new socket has to be told again, and the engine asks for all leases anyway
 * when it is there. A server that refuses is not asked again, unless it is only busy.
 */
final class KeyTracking {

	private static final Log logger = LogFactory.getLog(KeyTracking.class);

	private static final String INVALIDATE = "invalidate";

	/** Some proxies close the connection instead of refusing. */
	private static final int MOST_BROKEN = 2;

	private final String servers;

	private final Consumer<byte[]> changed;

	private final Runnable flushed;

	/** By node, the request to report, of the sockets that there are now. */
	private final Map<String, RedisFuture<String>> requests = new ConcurrentHashMap<>();

	private volatile boolean refused;

	private volatile boolean accepted;

	private volatile int broken;

	/** How many sockets there have been. */
	private volatile int sockets;

	/**
	 * Create it.
	 * @param servers for messages
	 * @param changed is told of keys, in the thread of the connection
	 * @param flushed is told that all keys are gone
	 */
	KeyTracking(String servers, Consumer<byte[]> changed, Runnable flushed) {
		this.servers = servers;
		this.changed = changed;
		this.flushed = flushed;
	}

	boolean isRefused() {
		return this.refused;
	}

	/**
	 * Start it on new sockets.
	 * @param configured the protocol, {@code null} for the newest that both sides know
	 */
	void start(NativeConnection connected, @Nullable ProtocolVersion configured) {
		if (configured == ProtocolVersion.RESP2) {
			// The server would accept the request, and report nothing
			refused("RESP2 is configured");
			return;
		}
		this.requests.clear();
		connected.onPush(this::received);
		connected.masters().forEach((node) -> request(connected.server(node), node));
	}

	/**
	 * Have the keys watched that the next command reads. The caller sends both
	 * {@linkplain NativeConnection#sendTogether together}.
	 * @return the command that was sent for that, or {@code null} if none was
	 */
	@Nullable RedisFuture<?> watchNext(NativeConnection connected, byte[] key) {
		String node = connected.nodeOf(key);
		RedisServerAsyncCommands<?, ?> server = connected.server(node);
		request(server, node);
		return (server != null && !this.refused) ? server.clientCaching(true) : null;
	}

	private void request(@Nullable RedisServerAsyncCommands<?, ?> server, String node) {
		if (server == null || this.refused || this.requests.containsKey(node)) {
			return;
		}
		int socket = this.sockets;
		RedisFuture<String> request = server.clientTracking(new TrackingArgs().enabled(true).optin().noloop());
		this.requests.put(node, request);
		if (socket != this.sockets) {
			// It may have been answered on a socket that is gone
			this.requests.remove(node, request);
		}
		request.whenComplete((done, failure) -> {
			if (failure == null) {
				this.accepted = true;
			}
			else if (FailureTranslator.isForNow(failure)) {
				this.requests.remove(node, request);
			}
			else if (Failures.unwrap(failure) instanceof RedisCommandExecutionException refusal) {
				refused(String.valueOf(refusal.getMessage()));
			}
		});
	}

	/** A socket is gone, and its requests with it. */
	void disconnected() {
		this.sockets++;
		boolean unanswered = false;
		for (RedisFuture<String> request : this.requests.values()) {
			// The client would repeat it with each new socket
			unanswered |= request.cancel(true);
		}
		this.requests.clear();
		if (unanswered && !this.accepted && ++this.broken == MOST_BROKEN) {
			refused("the connection broke each time");
		}
	}

	private void refused(String reason) {
		if (!this.refused) {
			this.refused = true;
			logger.info(this.servers + " cannot report that a lock was deleted or evicted (" + reason
					+ "). Locks still work, but their holders learn of that only at the next renewal or at the deadline. Reports need the rights +client|tracking +client|caching, and RESP3.");
		}
	}

	private void received(PushMessage message) {
		if (!INVALIDATE.equals(message.getType())) {
			return;
		}
		List<Object> content = message.getContent();
		if (content.size() > 1 && content.get(1) instanceof List<?> keys) {
			for (Object key : keys) {
				if (key instanceof ByteBuffer buffer) {
					byte[] bytes = new byte[buffer.remaining()];
					buffer.duplicate().get(bytes);
					this.changed.accept(bytes);
				}
			}
		}
		else {
			this.flushed.run();
		}
	}

}
