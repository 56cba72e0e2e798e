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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.LockInfo;
import org.jspecify.annotations.Nullable;

/**
 * Says who holds a lock, without what would allow to release it.
 */
final class Holders {

	/**
	 * A token of this library: see {@link EngineSettings#newInstanceId()}.
	 */
	private static final Pattern TOKEN = Pattern.compile("([A-Za-z0-9@._-]{1,64})~[A-Za-z0-9_-]{22}:.+");

	private static final int DIGEST_BYTES = 4;

	private final Core core;

	Holders(Core core) {
		this.core = core;
	}

	/**
	 * Return what others are told of a holder in this JVM.
	 */
	LockInfo describe(Hold hold) {
		return LockInfo.heldHere(hold.lease.gate.name, this.core.settings().instanceName(), hold.ownerName(),
				Duration.ofNanos(Math.max(0, hold.lease.endsAt() - this.core.now())));
	}

	/**
	 * Return who holds a lock with the given token.
	 * @param name the name of the lock
	 * @param token the value in the store
	 * @param remaining how long the store keeps it, or {@code null} if without limit
	 */
	LockInfo describe(String name, String token, @Nullable Duration remaining) {
		if (token.startsWith(this.core.instance() + ":")) {
			return LockInfo.heldHere(name, this.core.settings().instanceName(), null, remaining);
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
