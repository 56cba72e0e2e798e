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

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;

/**
 * Acquires several locks one after the other in the calling thread, all or none. They
 * share one wait. The twin of {@link AsyncAcquireAll}.
 */
final class BlockingAcquireAll {

	private final LockService service;

	private final LongSupplier now;

	private final List<String> names;

	private final LockOptions options;

	BlockingAcquireAll(LockService service, LongSupplier now, List<String> names, LockOptions options) {
		this.service = service;
		this.now = now;
		this.names = names;
		this.options = options;
	}

	LockHandle run() {
		long end = this.now.getAsLong() + this.options.waitTime().toNanos();
		List<LockHandle> parts = new ArrayList<>(this.names.size());
		try {
			for (String name : this.names) {
				parts.add(this.service.acquire(name, CompositeHandle.within(this.options, end - this.now.getAsLong())));
			}
			CompositeHandle all = new CompositeHandle(parts);
			Failures.join(all.name(), all.refresh(this.options.lease()));
			return all;
		}
		catch (RuntimeException | Error ex) {
			CompositeHandle.closeAll(parts);
			throw ex;
		}
	}

}
