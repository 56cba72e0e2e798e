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

package io.distributedlock.configuration.internal;

import io.distributedlock.LockOptions;
import io.distributedlock.internal.DeclaredLock;
import io.distributedlock.internal.DeclaredLocks;
import io.distributedlock.internal.Printable;
import io.distributedlock.store.LockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;

/**
 * The line that is logged at start-up: where the locks are kept, and their defaults.
 */
record StartMessage(String store, String details, LockOptions defaults, long lockedMethods) {

	/** Counts the locks that are declared so far. */
	static StartMessage of(LockStore store, LockSettings settings, ObjectProvider<DeclaredLocks> declaredLocks) {
		long lockedMethods = declaredLocks.stream()
			.flatMap((locks) -> locks.declared().stream())
			.map(DeclaredLock::location)
			.distinct()
			.count();
		return new StartMessage(store.description(), settings.start().details(), settings.engine().defaults(),
				lockedMethods);
	}

	/**
	 * Return the line.
	 * @param version product and version of the store
	 * @param objection what speaks against the store, or an empty text
	 */
	String text(@Nullable String version, String objection) {
		return "Distributed locks are kept in %s%s%s, for %d %s%s. Defaults: timeout %s, %s, %s.".formatted(this.store,
				(version != null) ? " (" + version + ")" : "", this.details, this.lockedMethods,
				(this.lockedMethods == 1) ? "locked method" : "locked methods", objection,
				Printable.of(this.defaults.lease()),
				this.defaults.waitTime().isZero() ? "one attempt"
						: "waiting up to " + Printable.of(this.defaults.waitTime()),
				this.defaults.autoRenew() ? "renewed every " + Printable.of(this.defaults.effectiveRenewInterval())
						: "not renewed, except for jobs");
	}

}
