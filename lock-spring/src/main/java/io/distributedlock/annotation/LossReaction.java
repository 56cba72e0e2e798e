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

import io.distributedlock.OnLost;

/**
 * The reaction of an annotated method to the loss of its lock while it runs: the
 * constants of {@link OnLost}, which options and the configuration take, and
 * {@link #DEFAULT}. An attribute of an annotation cannot be {@code null}, so it needs a
 * constant for "not given". Options always have a value, so {@link OnLost} has none.
 *
 * @since 0.1.0
 */
public enum LossReaction {

	/**
	 * The value of {@code distributed-lock.defaults.on-lost}; {@link #LOG} if it is not
	 * set.
	 */
	DEFAULT,

	/**
	 * See {@link OnLost#LOG}.
	 */
	LOG,

	/**
	 * See {@link OnLost#INTERRUPT}. A future or reactive type, which no thread waits for,
	 * fails with a {@link io.distributedlock.LockLostException} immediately, and the
	 * future or subscription of the work is cancelled.
	 */
	INTERRUPT,

	/**
	 * See {@link OnLost#THROW}.
	 */
	THROW

}
