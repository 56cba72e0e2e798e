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

package io.distributedlock.campaign;

import java.util.Locale;

/**
 * Tells whoever watches how far a campaign is.
 */
final class Progress {

	private final long begin = System.nanoTime();

	private final boolean silent;

	Progress() {
		this(false);
	}

	private Progress(boolean silent) {
		this.silent = silent;
	}

	static Progress silent() {
		return new Progress(true);
	}

	void say(String text, Object... arguments) {
		if (!this.silent) {
			System.out.printf(Locale.ROOT, "[%4d s] %s%n", (System.nanoTime() - this.begin) / 1_000_000_000,
					String.format(Locale.ROOT, text, arguments));
		}
	}

}
