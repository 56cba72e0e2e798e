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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Function;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.SubscriptionListener;
import org.springframework.util.Assert;

import io.distributedlock.internal.Printable;
import io.distributedlock.store.Grant;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LockToken;

/**
 * Reads the messages in the inbox of this instance: grants, which are
 * {@code token fence block leaseMillis nonce name}, and news of locks that were taken
 * away, which are {@code ! token name}, where only the name may contain spaces. Any
 * client may publish anything; all other messages are ignored.
 */
final class InboxListener implements MessageListener, SubscriptionListener {

	private static final Log logger = LogFactory.getLog(InboxListener.class);

	private static final int PARTS = 6;

	private static final String REVOKED = "! ";

	private static final int PARTS_OF_REVOKED = 3;

	/** Beyond it, Lua cannot count by one. */
	private static final long LARGEST_FENCE = 1L << 53;

	private static final int MOST_PRINTED = 200;

	private final GrantListener listener;

	private final Duration maxGrantLease;

	private final Function<byte[], @Nullable String> names;

	/**
	 * Create a listener.
	 * @param names the names of locks from their keys
	 */
	InboxListener(GrantListener listener, Duration maxGrantLease, Function<byte[], @Nullable String> names) {
		this.listener = listener;
		this.maxGrantLease = maxGrantLease;
		this.names = names;
	}

	@Override
	public void onMessage(Message message, byte @Nullable [] pattern) {
		String text = new String(message.getBody(), StandardCharsets.UTF_8);
		try {
			if (text.startsWith(REVOKED)) {
				String[] parts = split(text, PARTS_OF_REVOKED);
				LockToken token = LockToken.parse(parts[1]);
				guard(() -> this.listener.revoked(parts[2], token));
			}
			else {
				Grant grant = parse(text);
				guard(() -> this.listener.granted(grant));
			}
		}
		catch (IllegalArgumentException ex) {
			logger.debug("Ignoring a message that this library did not send: "
					+ Printable.of(text.substring(0, Math.min(text.length(), MOST_PRINTED))));
		}
	}

	@Override
	public void onChannelSubscribed(byte[] channel, long count) {
		guard(this.listener::subscribed);
	}

	void interrupted() {
		guard(this.listener::interrupted);
	}

	void changed(byte[] key) {
		String name = this.names.apply(key);
		if (name != null) {
			guard(() -> this.listener.changed(name));
		}
	}

	/** Fails with an {@link IllegalArgumentException} if it is no grant. */
	private Grant parse(String text) {
		String[] parts = split(text, PARTS);
		Grant grant = new Grant(parts[5], LockToken.parse(parts[0]), Long.parseLong(parts[1]),
				Integer.parseInt(parts[2]), Duration.ofMillis(Long.parseLong(parts[3])), Long.parseLong(parts[4]));
		Assert.isTrue(isPossible(grant), "No store grants this");
		return grant;
	}

	private static String[] split(String text, int count) {
		String[] parts = text.split(" ", count);
		Assert.isTrue(parts.length == count, "Parts are missing");
		return parts;
	}

	private boolean isPossible(Grant grant) {
		return grant.fencingToken() > 0 && grant.fencingToken() < LARGEST_FENCE && grant.fenceBlock() > 0
				&& !grant.lease().isZero() && !grant.lease().isNegative()
				&& grant.lease().compareTo(this.maxGrantLease) <= 0;
	}

	private static void guard(Runnable call) {
		try {
			call.run();
		}
		catch (RuntimeException ex) {
			logger.warn("A listener to lock grants failed.", ex);
		}
	}

}
