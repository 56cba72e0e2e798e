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
 * The states of a hold.
 *
 * @since 0.1.0
 */
public enum LockState {

	/**
	 * The lock is held.
	 */
	HELD,

	/**
	 * The lock is still held, but two thirds of its lease have passed without a renewal.
	 */
	AT_RISK,

	/**
	 * The lock was lost, and the handle has not been closed yet. A lost lock does not
	 * come back.
	 */
	LOST,

	/**
	 * The handle was closed, possibly after a loss.
	 */
	RELEASED

}
