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

import java.net.URI;

import org.jspecify.annotations.Nullable;

import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.contestant.LockClient;

/**
 * What the tasks of a forked JVM have at hand: its name, and the client, which the first
 * task opens. Only the main thread of the JVM uses it.
 */
public final class Bench {

	private final Contestant contestant;

	private final URI redis;

	private final String instance;

	private @Nullable LockClient client;

	Bench(Contestant contestant, URI redis, String instance) {
		this.contestant = contestant;
		this.redis = redis;
		this.instance = instance;
	}

	public String instance() {
		return this.instance;
	}

	public LockClient client() {
		LockClient current = this.client;
		if (current == null) {
			current = this.contestant.open(this.redis, this.instance);
			this.client = current;
		}
		return current;
	}

}
