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

package io.distributedlock.reactive.internal;

import java.util.function.Supplier;

import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import reactor.util.context.ContextView;

import org.springframework.util.ClassUtils;

/**
 * Makes the observation of a Reactor context the current one of the thread that asks for
 * a lock, so that the lock is observed as a part of it. Requires Micrometer's context
 * propagation, without which a Reactor context and a thread have nothing in common.
 */
final class CallerContext {

	private static final String OBSERVATION = "micrometer.observation";

	private static final boolean PROPAGATION = ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory",
			CallerContext.class.getClassLoader());

	private CallerContext() {
	}

	static <T> T call(Supplier<T> call, ContextView context) {
		return (PROPAGATION && context.hasKey(OBSERVATION)) ? Propagation.call(call, context) : call.get();
	}

	private static final class Propagation {

		private static final ContextSnapshotFactory SNAPSHOTS = ContextSnapshotFactory.builder().build();

		static <T> T call(Supplier<T> call, ContextView context) {
			ContextSnapshot.Scope scope = SNAPSHOTS.setThreadLocalsFrom(context, OBSERVATION);
			try {
				return call.get();
			}
			finally {
				scope.close();
			}
		}

	}

}
