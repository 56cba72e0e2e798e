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

package io.distributedlock.store;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * The information that the store has about a lock that is held.
 *
 * @param holder the text of the token, or what a foreign client wrote; it can be used to
 * release the lock, so it must never be shown
 * @param remaining how long the store keeps it, or {@code null} if without limit
 * @param holders how many hold the lock, this holder included
 * @param limit how many holders this one accepts, itself included: 1 if it is alone,
 * {@link AcquireRequest#NO_LIMIT} for any number
 * @since 0.1.0
 */
public record StoredLock(String holder, @Nullable Duration remaining, int holders, int limit) {

	/** A token of this library: name of the instance, tilde, random part, sequence. */
	private static final Pattern TOKEN = Pattern.compile("([A-Za-z0-9@._-]{1,64})~[A-Za-z0-9_-]{22}:.+");

	private static final int DIGEST_BYTES = 8;

	private static final int SHORT_DIGEST = 8;

	/**
	 * Create the information about a lock with one holder that accepts no others.
	 * @param holder the text of the token, or what a foreign client wrote
	 * @param remaining how long the store keeps it, or {@code null} if without limit
	 */
	public StoredLock(String holder, @Nullable Duration remaining) {
		this(holder, remaining, 1, 1);
	}

	/**
	 * Describe the holder, without the token that releases the lock.
	 * @param name the name of the lock
	 * @param instance the instance part of the tokens of this instance, or {@code null}
	 * if that is unknown
	 * @return the description
	 */
	public LockInfo describe(String name, @Nullable String instance) {
		boolean shared = this.limit == AcquireRequest.NO_LIMIT;
		return describeOne(name, instance).withCompany(this.holders, shared ? LockMode.SHARED : LockMode.EXCLUSIVE,
				shared ? 1 : this.limit);
	}

	private LockInfo describeOne(String name, @Nullable String instance) {
		OperatorHold operator = OperatorHold.of(this.holder);
		if (operator != null) {
			return LockInfo.heldByOperator(name, operator.operator(), operator.reason(), this.remaining);
		}
		String holderName = instanceNameIn(this.holder);
		if (holderName == null) {
			return LockInfo.heldByForeignClient(name, digest().substring(0, SHORT_DIGEST), this.remaining);
		}
		return (instance != null && this.holder.startsWith(instance + ':'))
				? LockInfo.heldHere(name, holderName, null, this.remaining)
				: LockInfo.heldElsewhere(name, holderName, this.remaining);
	}

	/**
	 * Return a digest that distinguishes this hold from the next one of the same lock. It
	 * reveals nothing about the token.
	 * @return sixteen hexadecimal digits
	 */
	public String digest() {
		try {
			byte[] hash = MessageDigest.getInstance("SHA-256").digest(this.holder.getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(hash, 0, DIGEST_BYTES);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("This Java runtime lacks SHA-256, which every Java runtime must provide.",
					ex);
		}
	}

	/** Without the token. */
	@Override
	public String toString() {
		return "StoredLock[hold=" + digest() + ", remaining=" + this.remaining + "]";
	}

	/**
	 * Return the name of the instance to which a token belongs.
	 * @param token the text of a token, or what a foreign client wrote
	 * @return the name, also of the instance that asked for a token
	 * {@linkplain LockToken#ofOperator of an operator}, or {@code null} if it is not a
	 * token of this library
	 */
	public static @Nullable String instanceNameIn(String token) {
		OperatorHold operator = OperatorHold.of(token);
		if (operator != null) {
			return operator.instance();
		}
		Matcher ours = TOKEN.matcher(token);
		return ours.matches() ? ours.group(1) : null;
	}

}
