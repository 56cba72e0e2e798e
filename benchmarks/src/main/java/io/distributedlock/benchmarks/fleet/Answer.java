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

import java.io.PrintWriter;
import java.io.Serializable;
import java.io.StringWriter;

import org.jspecify.annotations.Nullable;

/**
 * What came of a task.
 */
sealed interface Answer extends Serializable {

	record Done(@Nullable Object result) implements Answer {

		private static final long serialVersionUID = 1L;

	}

	/**
	 * The task threw.
	 *
	 * @param stackTrace the exception in full, as text: its class may not be serializable
	 */
	record Failed(String summary, String stackTrace) implements Answer {

		static Failed with(Throwable cause) {
			StringWriter text = new StringWriter();
			cause.printStackTrace(new PrintWriter(text));
			return new Failed(cause.toString(), text.toString());
		}

	}

}
