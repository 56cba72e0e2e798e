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

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * What the store knows about a lock that is held.
 *
 * @param name the name of the lock
 * @param holder who holds it: the instance, as configured by
 * {@code distributed-lock.instance-name}, or the raw value that a foreign client wrote
 * @param remaining how long the store keeps the lock if it is not renewed, or
 * {@code null} if without limit (only foreign clients do that)
 * @since 0.1.0
 */
public record LockInfo(String name, String holder, @Nullable Duration remaining) {

}
