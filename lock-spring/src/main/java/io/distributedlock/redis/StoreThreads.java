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

package io.distributedlock.redis;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of a store: daemons that see nothing of the thread that happened to need
 * them first. They inherit neither its thread-locals, which may hold the user of a
 * request, nor its context class loader.
 */
final class StoreThreads {

	private StoreThreads() {
	}

	/**
	 * Create a thread.
	 * @param task what it does
	 * @return the thread, not started
	 */
	static Thread daemon(Runnable task, String name) {
		Thread thread = new Thread(null, task, name, 0, false);
		thread.setDaemon(true);
		thread.setContextClassLoader(StoreThreads.class.getClassLoader());
		return thread;
	}

	/**
	 * Create a factory of threads with numbered names.
	 * @param prefix what their names begin with
	 */
	static ThreadFactory numbered(String prefix) {
		AtomicInteger count = new AtomicInteger();
		return (task) -> daemon(task, prefix + '-' + count.incrementAndGet());
	}

}
