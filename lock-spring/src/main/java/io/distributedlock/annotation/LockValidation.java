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

/**
 * What happens when the validation at start-up finds annotations that cannot work.
 *
 * @since 0.1.0
 */
public enum LockValidation {

	/**
	 * The application does not start; all findings are reported together. A class that is
	 * not known at start-up is validated when its first bean is created; a finding then
	 * fails that bean.
	 */
	FAIL,

	/**
	 * Like {@link #FAIL}, and warnings count as errors: the application starts only if no
	 * annotation has a finding, and no annotated method runs without its lock.
	 */
	STRICT,

	/**
	 * The findings are logged. A method whose annotation cannot be understood throws when
	 * it is called; it never runs without its lock.
	 */
	WARN,

	/**
	 * No validation. A definition that cannot work still fails the creation of its bean.
	 */
	OFF

}
