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
 * Auto-configuration of the lock service, the annotation, the meters and the endpoint.
 *
 * <p>
 * <b>Mistakes in the settings</b> are reported in one place for each kind:
 * {@code LockSettingsCheck} compares the settings with the properties that exist, before
 * anything is bound; {@code DistributedLockProperties} checks single values;
 * {@code ConfiguredLockOptions} and the configuration of leaderships check options that
 * contradict one another; {@code RedisLockStoreConfiguration} and
 * {@code LockConnectionFactorySelector} check the settings of Redis; and
 * {@code UnmatchedSettingsReporter} reports settings of locks that no annotation
 * declares. What cannot work is a {@code LockStartupException}, which the
 * {@code diagnostics} turn into the report; a single value that is out of range is an
 * {@code IllegalArgumentException}, which Spring Boot reports; what has no effect is a
 * warning.
 */
@NullMarked
package io.distributedlock.autoconfigure;

import org.jspecify.annotations.NullMarked;
