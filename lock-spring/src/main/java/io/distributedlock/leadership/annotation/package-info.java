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

/**
 * The {@link io.distributedlock.leadership.annotation.LeaderOnly @LeaderOnly} annotation
 * and the infrastructure that applies it. It is an advisor of its own, which runs a call
 * or skips it: outside the lock, and without a lock service. It shares with the locks the
 * search for candidate classes and the report of mistakes at start-up.
 */
@NullMarked
package io.distributedlock.leadership.annotation;

import org.jspecify.annotations.NullMarked;
