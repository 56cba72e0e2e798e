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

package io.distributedlock.internal;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A thread of this library. It inherits nothing from the thread that creates it: neither
 * inheritable thread-locals, such as a security context, nor a context class loader. The
 * thread would keep both for its lifetime.
 */
public class DaemonThread extends Thread {

	@SuppressWarnings("this-escape")
	public DaemonThread(Runnable task, String name) {
		super(null, task, name, 0, false);
		setDaemon(true);
		setContextClassLoader(DaemonThread.class.getClassLoader());
	}

	/**
	 * Create a factory of threads with numbered names that begin like this.
	 */
	public static ThreadFactory factory(String prefix) {
		AtomicInteger count = new AtomicInteger();
		return (task) -> new DaemonThread(task, prefix + '-' + count.incrementAndGet());
	}

}
