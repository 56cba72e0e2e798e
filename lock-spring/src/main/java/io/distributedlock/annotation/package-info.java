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
 * The {@link io.distributedlock.annotation.DistributedLock @DistributedLock} annotation
 * and the infrastructure that applies it.
 *
 * <p>
 * <b>Methods.</b> An {@code AnnotatedMethod} is the method as its bean has it.
 * {@code LockAttributesReader} reads each annotation into {@code LockAttributes}: what is
 * written, with placeholders resolved. {@code LockedMethodFactory} makes
 * {@code LockOperation}s of them, which are ready to run, and with them the
 * {@code LockedMethod}. A new attribute has an entry in {@code LockAttribute}, the list
 * that all of these share with the configuration and the endpoint.
 *
 * <p>
 * <b>A call.</b> {@code LockInterceptor} (or, woven, {@code DistributedLockAspect}) finds
 * the {@code LockedMethod} and lets its {@code LockedInvocation} run it: the blocking,
 * the future or the reactive one, by the return type. The invocation asks the operation
 * for names and options, and the {@link io.distributedlock.LockService} for the lock. A
 * new return type needs a {@code LockedInvocation}, chosen in
 * {@code LockedInvocationSelector}, the result of a skipped call in
 * {@code internal.EmptyResult}, and perhaps a check in
 * {@code internal.validation.LockWarnings}.
 *
 * <p>
 * <b>Below this package.</b> {@code internal} has the code that the packages of
 * annotations share, {@code internal.expression} parses and evaluates names and
 * conditions, and {@code internal.validation} checks everything when the application
 * starts: for each mistake it reports a {@code LockFinding}. None of them knows how a
 * call runs.
 */
@NullMarked
package io.distributedlock.annotation;

import org.jspecify.annotations.NullMarked;
