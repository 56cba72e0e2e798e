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

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * The Lua scripts of the yardstick, and those of this project.
 */
final class Scripts {

	private Scripts() {
	}

	/**
	 * A script of this project's store.
	 * @param script its name
	 * @param functions the heads of the functions that stand in front of it
	 */
	static String ofStore(String script, String... functions) {
		StringBuilder text = new StringBuilder();
		for (String function : functions) {
			String file = function.substring(0, function.indexOf('('));
			text.append("local function ").append(function).append('\n').append(ofStore(file)).append("end\n");
		}
		return text.append(load("/io/distributedlock/redis/" + script + ".lua")).toString();
	}

	static String load(String file) {
		try (InputStream script = Scripts.class.getResourceAsStream(file)) {
			if (script == null) {
				throw new IllegalStateException("The script " + file + " is missing from the class path");
			}
			return new String(script.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
