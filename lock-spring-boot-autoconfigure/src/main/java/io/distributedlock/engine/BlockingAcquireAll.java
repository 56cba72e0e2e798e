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

import java.util.List;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;

/**
 * Acquires several locks one after the other in the calling thread, all or none. They
 * share one wait. The twin of {@link AsyncAcquireAll}.
 */
final class BlockingAcquireAll {

	private final DefaultLockService service;

	private final AcquiredParts parts;

	BlockingAcquireAll(DefaultLockService service, List<String> names, LockOptions options) {
		this.service = service;
		this.parts = new AcquiredParts(service, names, options);
	}

	LockHandle run() {
		try {
			do {
				String name = this.parts.next();
				while (name != null) {
					this.parts.add(this.service.acquire(name, this.parts.nextOptions()));
					name = this.parts.next();
				}
				refresh();
			}
			while (!this.parts.areHeld());
			return this.parts.complete();
		}
		catch (RuntimeException | Error ex) {
			this.parts.giveBack().forEach(Release::await);
			throw ex;
		}
	}

	private void refresh() {
		try {
			Failures.join("", this.parts.refresh());
		}
		catch (LockLostException ex) {
			// What was lost is acquired again
		}
	}

}
