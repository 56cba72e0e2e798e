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

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Suppresses the warnings of the start-up validation about
 * {@link DistributedLock @DistributedLock} on a method, or on all methods of a class.
 * Errors are not suppressed. State the reason in a comment:
 *
 * <pre class="code">
 * &#64;SuppressLockWarnings // the numbers of orders and users never overlap
 * &#64;DistributedLock(name = "#orderId")
 * public void pay(long orderId) { … }
 * </pre>
 *
 * <p>
 * A warning belongs to the method that it names: for a call on {@code this} that is the
 * caller. The annotation may also be on a method that this one overrides or implements,
 * on a superclass or an interface, or on another annotation.
 * <p>
 * {@link SuppressWarnings} cannot do this, because the compiler does not keep it.
 *
 * @since 0.1.0
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface SuppressLockWarnings {

}
