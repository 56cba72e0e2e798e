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

package io.distributedlock.engine;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.LockInfo;
import io.distributedlock.store.LockToken;
import org.jspecify.annotations.Nullable;

/**
 * The identity of this instance in the store: makes the tokens of its locks, and says who
 * holds a lock, without what would allow to release it.
 */
final class Instance {

	/**
	 * A token of this library: see {@link EngineSettings#newInstanceId()}.
	 */
	private static final Pattern TOKEN = Pattern.compile("([A-Za-z0-9@._-]{1,64})~[A-Za-z0-9_-]{22}:.+");

	private static final int DIGEST_BYTES = 4;

	private final String id;

	private final String name;

	private final AtomicLong sequence = new AtomicLong();

	Instance(String id, String name) {
		this.id = id;
		this.name = name;
	}

	String id() {
		return this.id;
	}

	LockToken newToken() {
		return new LockToken(this.id, this.sequence.incrementAndGet());
	}

	LockToken token(long sequence) {
		return new LockToken(this.id, sequence);
	}

	/**
	 * Return what others are told of a holder in this JVM.
	 */
	LockInfo describe(Hold hold, long now) {
		return LockInfo.heldHere(hold.lease.gate.name, this.name, hold.ownerName(),
				Duration.ofNanos(Math.max(0, hold.lease.endsAt() - now)));
	}

	/**
	 * Return who holds a lock with the given token.
	 * @param name the name of the lock
	 * @param token the value in the store
	 * @param remaining how long the store keeps it, or {@code null} if without limit
	 */
	LockInfo describe(String name, String token, @Nullable Duration remaining) {
		if (token.startsWith(this.id + ":")) {
			return LockInfo.heldHere(name, this.name, null, remaining);
		}
		Matcher ours = TOKEN.matcher(token);
		return ours.matches() ? LockInfo.heldElsewhere(name, ours.group(1), remaining)
				: LockInfo.heldByForeignClient(name, digest(token), remaining);
	}

	private static String digest(String value) {
		try {
			byte[] hash = MessageDigest.getInstance("SHA-256").digest(value.getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(hash, 0, DIGEST_BYTES);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("This Java runtime lacks SHA-256, which every one has to have.", ex);
		}
	}

}
