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

package io.distributedlock.migration;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What becomes of the annotation of another library.
 */
sealed interface Translation {

	/**
	 * It stays, and is marked.
	 *
	 * @param reason a sentence that says why, and what to write by hand
	 */
	record Kept(String reason) implements Translation {

	}

	/**
	 * It is replaced, and marked if there are notes.
	 */
	final class Replaced implements Translation {

		private final String type;

		private final Map<String, String> attributes = new LinkedHashMap<>();

		private final List<String> notes = new ArrayList<>();

		/**
		 * @param type the simple name of an annotation of this project
		 */
		Replaced(String type) {
			this.type = type;
		}

		Replaced with(String attribute, String source) {
			this.attributes.put(attribute, source);
			return this;
		}

		Replaced note(String sentence) {
			this.notes.add(sentence);
			return this;
		}

		List<String> notes() {
			return this.notes;
		}

		String type() {
			return LockApi.ANNOTATIONS + this.type;
		}

		String source() {
			return "@" + this.type
					+ this.attributes.entrySet()
						.stream()
						.map((attribute) -> attribute.getKey() + " = " + attribute.getValue())
						.collect(Collectors.joining(", ", "(", ")"));
		}

	}

}
