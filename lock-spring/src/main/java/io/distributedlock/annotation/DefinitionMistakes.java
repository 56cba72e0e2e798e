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

package io.distributedlock.annotation;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The mistakes in the annotations of one method, so that a start reports all of them. A
 * part with a mistake is replaced, and the others are read as well. The first mistake
 * carries the others as suppressed exceptions.
 */
final class DefinitionMistakes {

	private @Nullable InvalidLockDefinitionException first;

	/**
	 * Return a part, or the replacement if there is a mistake in it.
	 */
	<T extends @Nullable Object> T read(Supplier<T> part, T replacement) {
		try {
			return part.get();
		}
		catch (InvalidLockDefinitionException ex) {
			add(ex);
			return replacement;
		}
	}

	void check(Runnable rule) {
		try {
			rule.run();
		}
		catch (InvalidLockDefinitionException ex) {
			add(ex);
		}
	}

	void add(InvalidLockDefinitionException mistake) {
		if (this.first == null) {
			this.first = mistake;
		}
		else {
			this.first.addSuppressed(mistake);
		}
	}

	@Nullable InvalidLockDefinitionException first() {
		return this.first;
	}

}
