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

package io.distributedlock.documentation

import io.distributedlock.LockOptions
import io.distributedlock.LockService
import io.distributedlock.kotlin.withLock
import org.springframework.stereotype.Service
import java.time.Duration

@Service
class Exports(private val locks: LockService) {

	private val options = LockOptions.ofLease(Duration.ofMinutes(1)).withAutoRenew()

	suspend fun export(id: String): String = locks.withLock("export:$id", options) { handle ->
		"Wrote $id, token ${handle.fencingToken()}"
	}

}
