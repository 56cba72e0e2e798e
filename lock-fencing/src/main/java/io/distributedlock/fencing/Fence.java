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

package io.distributedlock.fencing;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

import io.distributedlock.LockHandle;

/**
 * A fence that a transaction claims.
 *
 * @param rowName the name in the table, see {@link #rowNameOf}
 */
record Fence(String lockName, String rowName, long token, LockHandle handle) {

	/** The length of the column of the name. */
	static final int MAX_LENGTH = 200;

	private static final int READABLE_LENGTH = 100;

	/** More than any statement takes, and a number that every driver takes. */
	private static final long MAX_WAIT = Duration.ofDays(1).toSeconds();

	private static final Pattern PLAIN = Pattern.compile("[!-~]([ -~]*[!-~])?");

	private static final Pattern HASHED = Pattern.compile(".*#[0-9a-f]{64}", Pattern.DOTALL);

	/** The same order for all transactions, so that they do not block each other. */
	private static final Comparator<Fence> ORDER = Comparator.comparing(Fence::rowName).thenComparing(Fence::token);

	private static Fence of(LockHandle handle) {
		return new Fence(handle.name(), rowNameOf(handle.name()), handle.fencingToken(), handle);
	}

	/**
	 * Return the fences of locks in the order in which they must be claimed.
	 */
	static List<Fence> of(Collection<LockHandle> handles) {
		return handles.stream().flatMap((handle) -> handle.parts().stream()).map(Fence::of).sorted(ORDER).toList();
	}

	/**
	 * Return how many seconds it makes sense to wait for the claim: while the lock is
	 * held. At least 1, because a lock whose lease has ended may have no later holder
	 * yet.
	 */
	int maxWait() {
		Duration remaining = this.handle.remaining();
		long seconds = remaining.toSeconds() + ((remaining.getNano() > 0) ? 1 : 0);
		return (int) Math.max(1, Math.min(seconds, MAX_WAIT));
	}

	/**
	 * Return a name that identifies a lock in every database that distinguishes capital
	 * from small letters, regardless of its collations and key limits: the name of the
	 * lock if it is short, printable ASCII, otherwise its readable part with a hash.
	 */
	static String rowNameOf(String lockName) {
		if (lockName.length() <= MAX_LENGTH && PLAIN.matcher(lockName).matches()
				&& !HASHED.matcher(lockName).matches()) {
			return lockName;
		}
		String readable = lockName.replaceAll("[^!-~]", "?");
		return readable.substring(0, Math.min(readable.length(), READABLE_LENGTH)) + "#" + hash(lockName);
	}

	private static String hash(String text) {
		// Not in UTF-8, in which all halves of surrogate pairs are alike
		ByteBuffer bytes = ByteBuffer.allocate(text.length() * Character.BYTES);
		bytes.asCharBuffer().put(text);
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes.array()));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every JDK has SHA-256", ex);
		}
	}

}
