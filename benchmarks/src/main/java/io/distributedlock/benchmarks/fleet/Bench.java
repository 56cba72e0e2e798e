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

package io.distributedlock.benchmarks.fleet;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.distributedlock.benchmarks.contestant.LockClient;

/**
 * What one forked JVM has at hand: its name, the open client, and whatever one task
 * leaves for the next.
 */
public final class Bench {

	private final String instance;

	private final Map<Class<?>, Object> left = new HashMap<>();

	private @Nullable LockClient client;

	Bench(String instance) {
		this.instance = instance;
	}

	public String instance() {
		return this.instance;
	}

	public LockClient client() {
		LockClient current = this.client;
		if (current == null) {
			throw new IllegalStateException("Open a client before this task");
		}
		return current;
	}

	/**
	 * Leaves something for a later task.
	 */
	public void leave(Object thing) {
		this.left.put(thing.getClass(), thing);
	}

	/**
	 * Takes what an earlier task left.
	 */
	public <T> T take(Class<T> type) {
		Object thing = this.left.remove(type);
		if (thing == null) {
			throw new IllegalStateException("No earlier task left a " + type.getSimpleName());
		}
		return type.cast(thing);
	}

	void use(LockClient opened) {
		this.client = opened;
	}

}
