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

package io.distributedlock.store;

import java.time.Duration;

/**
 * A notice that a waiter was handed a lock. Any client with access to the messages of the
 * store can send one; only the nonce proves that it comes from the store.
 *
 * @param name the name of the lock
 * @param token the token of the waiter, which holds the lock now
 * @param fencingToken the first fencing token of the reserved block
 * @param fenceBlock how many tokens were reserved
 * @param lease the short lease under which it was handed off; never longer than the
 * requested one
 * @param nonce the secret that the waiter left with its place in the queue
 * @since 0.1.0
 */
public record Grant(String name, LockToken token, long fencingToken, int fenceBlock, Duration lease, long nonce) {

}
