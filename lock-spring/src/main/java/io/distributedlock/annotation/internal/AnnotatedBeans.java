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

package io.distributedlock.annotation.internal;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * The context that the advisors of one application share.
 */
public interface AnnotatedBeans {

	/**
	 * Serialized proxies find their advisors in it.
	 */
	ConfigurableBeanFactory beanFactory();

	/**
	 * Return whether a class can have an annotation of ours, and a proxy.
	 * @throws io.distributedlock.annotation.LockValidationException if the class was not
	 * known when the application started, and its annotations cannot work
	 */
	boolean isCandidate(Class<?> type);

	void add(AnnotationInspector inspector);

	/**
	 * Validate the definitions of beans, without creating beans.
	 * @throws io.distributedlock.annotation.LockValidationException if annotations cannot
	 * work, unless it is only to be logged
	 */
	void validateAheadOfTime();

}
