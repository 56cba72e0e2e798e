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

package io.distributedlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The standard implementation of {@link LockInfo}.
 */
record LockDescription(String name, Kind kind, @Nullable String holder, @Nullable String thread,
		@Nullable String digest, @Nullable Duration remaining, int holders, LockMode mode, int permits,
		boolean othersWait, @Nullable String reason) implements LockInfo {

	@Override
	public LockInfo withCompany(int holders, LockMode mode, int permits) {
		return new LockDescription(this.name, this.kind, this.holder, this.thread, this.digest, this.remaining, holders,
				mode, permits, this.othersWait, this.reason);
	}

	@Override
	public LockInfo withOthersWaiting() {
		return new LockDescription(this.name, this.kind, this.holder, this.thread, this.digest, this.remaining,
				this.holders, this.mode, this.permits, true, this.reason);
	}

}
