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

package io.distributedlock.campaign.worker;

import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.LockInspector;
import io.distributedlock.LockService;
import io.distributedlock.campaign.history.Journal;
import io.distributedlock.reactive.ReactiveLocks;

/**
 * What all attempts of a worker share.
 *
 * @param callbacks a bean with fenced transactions that have others in their callbacks
 * @param ids the source of numbers for attempts and holds
 */
record Bench(LockNames names, LockService locks, LockInspector inspector, ReactiveLocks reactive,
		AnnotatedWork annotated, FencedWork fenced, CallbackWork callbacks, Alarm alarm, Journal journal,
		AtomicLong ids) {
}
