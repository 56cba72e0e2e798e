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

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Several {@link DistributedLock @DistributedLock} annotations on one element. Their
 * names and conditions are evaluated first. The locks are then acquired in the order of
 * their names, not in the order of the annotations, each with its own wait and other
 * settings, and released in reverse order. Two calls that take the same locks therefore
 * never deadlock. An annotation with several {@linkplain DistributedLock#name() names} is
 * sorted by its first name; no other lock of the same method may have a name between
 * them.
 *
 * @since 0.1.0
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface DistributedLocks {

	/**
	 * The locks, in any order.
	 * @return the locks
	 */
	DistributedLock[] value();

}
