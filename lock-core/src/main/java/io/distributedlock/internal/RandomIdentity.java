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
package io.distributedlock.internal;

import java.security.SecureRandom;
import java.util.Base64;

/**
 * The part of an identity that nobody can guess, and that no two have in common.
 */
public final class RandomIdentity {

	private static final int BYTES = 16;

	private RandomIdentity() {
	}

	/**
	 * Return 128 random bits.
	 * @return 22 characters: letters, digits, hyphens and underscores
	 */
	public static String next() {
		byte[] bits = new byte[BYTES];
		new SecureRandom().nextBytes(bits);
		return Base64.getUrlEncoder().withoutPadding().encodeToString(bits);
	}

}
