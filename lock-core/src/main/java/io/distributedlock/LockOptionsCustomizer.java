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

package io.distributedlock;

/**
 * Changes the options of locks by configuration. Applied after annotations and defaults,
 * but not to {@linkplain LockService#acquire(String, LockOptions) options given
 * explicitly}.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockOptionsCustomizer {

	/**
	 * Return the options to use.
	 * @param declaredName the name as it was declared: a literal name, the declared name
	 * of an annotated method, or the name of a programmatic acquisition
	 * @param options the options so far
	 * @return the options to use; the given options if there is nothing to change
	 */
	LockOptions customize(String declaredName, LockOptions options);

}
