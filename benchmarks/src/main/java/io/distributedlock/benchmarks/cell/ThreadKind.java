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

package io.distributedlock.benchmarks.cell;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The kinds of threads that may wait.
 */
public enum ThreadKind {

	PLATFORM {

		@Override
		void start(Runnable work) {
			Thread thread = new Thread(work);
			thread.setDaemon(true);
			thread.start();
		}

	},

	/**
	 * Virtual threads, where the JDK has them.
	 */
	VIRTUAL {

		@Override
		void start(Runnable work) {
			try {
				virtualStart().invoke(null, work);
			}
			catch (ReflectiveOperationException ex) {
				throw new IllegalStateException("Virtual threads need JDK 21 or later", ex);
			}
		}

	};

	abstract void start(Runnable work);

	public String label() {
		return name().toLowerCase(Locale.ROOT) + " threads";
	}

	public static List<ThreadKind> available() {
		return (Runtime.version().feature() >= 21) ? Arrays.asList(values()) : List.of(PLATFORM);
	}

	// The project compiles against JDK 17, which lacks this method.
	private static Method virtualStart() throws NoSuchMethodException {
		return Thread.class.getMethod("startVirtualThread", Runnable.class);
	}

}
