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

import java.util.List;

/**
 * Shows the locks that this instance holds and waits for, without asking the store. For
 * management and tests; the bean that is the {@link LockService} implements it as well.
 *
 * @since 0.1.0
 */
public interface LockInspector {

	/**
	 * Return the locks that this instance currently holds.
	 * @return a snapshot
	 */
	List<HeldLock> held();

	/**
	 * Return the locks that this instance currently waits for.
	 * @return a snapshot
	 */
	List<WaitingLock> waiting();

}
