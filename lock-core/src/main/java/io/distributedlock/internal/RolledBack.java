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

import java.util.Arrays;

import io.distributedlock.LockLostException;

/**
 * Suppressed in a {@link LockLostException} that is thrown just before a commit, which
 * becomes a rollback by that. If the rollback fails, its own exception replaces both.
 */
public final class RolledBack extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private RolledBack() {
		super("The lock was lost before the commit, so the transaction rolls back.", null, false, false);
	}

	/**
	 * Note that the transaction rolls back.
	 */
	public static LockLostException note(LockLostException loss) {
		loss.addSuppressed(new RolledBack());
		return loss;
	}

	/**
	 * Return whether a transaction rolled back because of the loss.
	 */
	public static boolean isNoted(LockLostException loss) {
		return Arrays.stream(loss.getSuppressed()).anyMatch(RolledBack.class::isInstance);
	}

}
