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

package io.distributedlock.faults;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;

/**
 * The holders of a lock, by how many each accepts. Each enters a little later than it has
 * the lock, and leaves before it releases it.
 */
public final class Company {

	private final Collection<Integer> limits = new ArrayList<>();

	private final List<String> tooLarge = new ArrayList<>();

	private int grants;

	private int most;

	public synchronized void enter(LockOptions options) {
		this.limits.add(limit(options));
		this.grants++;
		this.most = Math.max(this.most, this.limits.size());
		if (this.limits.stream().anyMatch((each) -> each < this.limits.size())) {
			this.tooLarge.add(this.limits.toString());
		}
		notifyAll();
	}

	public synchronized void leave(LockOptions options) {
		this.limits.remove((Object) limit(options));
	}

	private static int limit(LockOptions options) {
		return (options.mode() == LockMode.SHARED) ? Integer.MAX_VALUE : options.permits();
	}

	/**
	 * Return the companies that were larger than one of their members accepts.
	 */
	public synchronized List<String> tooLarge() {
		return List.copyOf(this.tooLarge);
	}

	/**
	 * Return how large the largest company was.
	 */
	synchronized int most() {
		return this.most;
	}

	synchronized void forgetMost() {
		this.most = 0;
	}

	synchronized int grants() {
		return this.grants;
	}

	synchronized void awaitGrants(int more) throws InterruptedException {
		int enough = this.grants + more;
		while (this.grants < enough) {
			wait();
		}
	}

}
