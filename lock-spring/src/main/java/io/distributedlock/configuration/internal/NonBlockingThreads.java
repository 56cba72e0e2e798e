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

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.internal.ThreadExecutorMap;
import reactor.core.scheduler.Schedulers;

import org.springframework.util.ClassUtils;

/**
 * Knows the threads that must not wait for a lock: threads that Reactor marks as
 * non-blocking, and event loops of Netty. The event loops of Lettuce deliver the awaited
 * answers. Requires neither library.
 */
final class NonBlockingThreads {

	private static final boolean REACTOR = isPresent("reactor.core.scheduler.Schedulers");

	private static final boolean NETTY = isPresent("io.netty.channel.EventLoop")
			&& isPresent("io.netty.util.internal.ThreadExecutorMap");

	private NonBlockingThreads() {
	}

	private static boolean isPresent(String className) {
		return ClassUtils.isPresent(className, NonBlockingThreads.class.getClassLoader());
	}

	static boolean isCurrent() {
		return (REACTOR && Schedulers.isInNonBlockingThread()) || (NETTY && Netty.isEventLoop());
	}

	private static final class Netty {

		private Netty() {
		}

		static boolean isEventLoop() {
			return Thread.currentThread() instanceof FastThreadLocalThread
					&& ThreadExecutorMap.currentExecutor() instanceof EventLoop;
		}

	}

}
