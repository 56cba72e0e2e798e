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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.SubscriptionListener;

import io.distributedlock.store.Grant;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LockToken;

/**
 * Reads the grants that arrive in the inbox of this instance: {@code token fence
 * leaseMillis name}, where only the name may contain spaces. Anybody may publish
 * anything; what is not a grant is ignored.
 */
final class InboxListener implements MessageListener, SubscriptionListener {

	private static final Log logger = LogFactory.getLog(InboxListener.class);

	private static final int PARTS = 4;

	private static final int MOST_PRINTED = 200;

	private final GrantListener listener;

	InboxListener(GrantListener listener) {
		this.listener = listener;
	}

	@Override
	public void onMessage(Message message, byte @Nullable [] pattern) {
		Grant grant = parse(message.getBody());
		if (grant != null) {
			guard(() -> this.listener.granted(grant));
		}
	}

	@Override
	public void onChannelSubscribed(byte[] channel, long count) {
		guard(this.listener::subscribed);
	}

	static @Nullable Grant parse(byte[] body) {
		String text = new String(body, StandardCharsets.UTF_8);
		try {
			String[] parts = text.split(" ", PARTS);
			if (parts.length == PARTS) {
				return new Grant(parts[3], LockToken.parse(parts[0]), Long.parseLong(parts[1]),
						Duration.ofMillis(Long.parseLong(parts[2])));
			}
		}
		catch (IllegalArgumentException ex) {
			logger.trace("A number or a token was expected.", ex);
		}
		logger.debug("Ignoring a message that is not a grant: " + printable(text));
		return null;
	}

	/** What anybody may have written, without what could forge a line or hide. */
	private static String printable(String text) {
		StringBuilder printable = new StringBuilder();
		text.codePoints().limit(MOST_PRINTED).forEach((character) -> {
			switch (Character.getType(character)) {
				case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
						Character.SURROGATE, Character.UNASSIGNED ->
					printable.append("\\u{").append(Integer.toHexString(character)).append('}');
				default -> printable.appendCodePoint(character);
			}
		});
		return printable.toString();
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
