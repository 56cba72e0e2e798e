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
 * Marks a scheduled method, or all scheduled methods of a class, that every instance of
 * the application runs: on its own, without a lock, or one after the other, with a lock
 * that they wait for. Has no effect at runtime: it tells readers that this is intended,
 * satisfies the test starter's rule that every scheduled method declares a lock, and
 * prevents the warning about a scheduled method that waits.
 * {@link io.distributedlock.leadership.annotation.LeaderOnly @LeaderOnly} is the
 * opposite. Can also be placed on another annotation.
 *
 * @since 0.1.0
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface RunsOnEveryInstance {

}
