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

package io.distributedlock.benchmarks.contestant;

import java.net.URI;
import java.util.List;
import java.util.function.Supplier;

import reactor.core.publisher.Mono;

import io.distributedlock.annotation.DistributedLock;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * An annotated method that returns a {@code Mono}.
 */
final class AnnotatedMonoClient implements ReactiveLockClient {

	private final ConfigurableApplicationContext application;

	private final Work work;

	AnnotatedMonoClient(URI redis, String instance) {
		this.application = LockApplication.run(redis, instance, List.of(), Beans.class);
		this.work = this.application.getBean(Work.class);
	}

	@Override
	public Mono<Void> locked(String name, Supplier<Mono<Void>> section) {
		return this.work.locked(name, section);
	}

	@Override
	public void close() {
		this.application.close();
	}

	static class Work {

		@DistributedLock(name = "#name", timeout = 30, waitTime = 60)
		Mono<Void> locked(String name, Supplier<Mono<Void>> section) {
			return Mono.defer(section);
		}

	}

	static class Beans {

		@Bean
		Work work() {
			return new Work();
		}

	}

}
