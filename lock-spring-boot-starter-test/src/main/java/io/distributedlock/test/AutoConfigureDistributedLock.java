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

package io.distributedlock.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Annotation for a test class with a Spring context that replaces the lock store of the
 * application. The test needs no Redis, and controls time, contention and outages through
 * the {@link TestLocks} bean. The locks are reset after each test method; locks that the
 * application still holds or waits for then end with a warning.
 *
 * <p>
 * In a slice such as {@code @DataJpaTest}, which does not load the auto-configuration of
 * locks, this annotation adds it. Without it, methods with {@code @DistributedLock} run
 * there without a lock, and a warning says so once for each context.
 *
 * @since 0.1.0
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureDistributedLock {

	/**
	 * How locks behave.
	 * @return the mode, {@link Mode#IN_MEMORY} by default
	 */
	Mode mode() default Mode.IN_MEMORY;

	/**
	 * The ways in which locks can behave in a test.
	 */
	enum Mode {

		/**
		 * Locks behave as on Redis, but in memory and with a clock that stands still
		 * until the test moves it.
		 */
		IN_MEMORY,

		/**
		 * Every lock is held by another instance.
		 */
		DENY

	}

}
