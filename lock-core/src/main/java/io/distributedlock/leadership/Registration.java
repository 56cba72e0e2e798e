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

package io.distributedlock.leadership;

import java.util.function.Consumer;

import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * The callbacks of one registration. Two registrations are never equal, even if they have
 * the same callbacks.
 */
final class Registration {

	final @Nullable Consumer<LockHandle> elected;

	final @Nullable Consumer<LeadershipEvent.Revoked> revoked;

	Registration(@Nullable Consumer<LockHandle> elected, @Nullable Consumer<LeadershipEvent.Revoked> revoked) {
		this.elected = elected;
		this.revoked = revoked;
	}

	/**
	 * Return whether to call this at the end of a term: not if its callback for the
	 * beginning exists but was not called.
	 */
	boolean isConcernedByEndOf(Term term) {
		return this.revoked != null && (this.elected == null || term.hasCalled(this));
	}

}
