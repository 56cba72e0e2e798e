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

import java.util.List;

import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * What the transaction in which a method is called has to do with the locks of the
 * method.
 *
 * @param keeper keeps the locks until the transaction has completed, or {@code null} if
 * there is no transaction, or the method does not take part in it
 * @param kept the locks of the same names that it keeps already
 */
record AmbientTransaction(@Nullable TransactionLocks keeper, List<LockHandle> kept) {

	static final AmbientTransaction NONE = new AmbientTransaction(null, List.of());

	/**
	 * Have a lock kept until the transaction has completed.
	 * @param handle the lock
	 * @param parties how many have to let go of it: the transaction, and the work if it
	 * may last longer
	 * @return the lock, or {@code null} if there is no transaction that keeps it
	 */
	TransactionLocks.@Nullable KeptLock keep(LockHandle handle, int parties) {
		return (this.keeper != null) ? this.keeper.keep(handle, parties) : null;
	}

}
