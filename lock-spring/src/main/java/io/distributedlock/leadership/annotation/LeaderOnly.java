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

package io.distributedlock.leadership.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.distributedlock.annotation.DistributedLock;

/**
 * Limits a method of a Spring bean to the instance that leads: a call on another instance
 * is skipped. Intended mainly for scheduled methods:
 *
 * <pre class="code">
 * &#064;Scheduled(fixedRate = 60_000)
 * &#064;LeaderOnly("scheduler")
 * public void deleteOldFiles() {
 * 	…
 * }</pre>
 *
 * <p>
 * Needs the dependency {@code lock-leadership}; without it, the application does not
 * start. The leadership is a bean of type {@code Leadership}, for example that of the
 * properties {@code distributed-lock.leadership.scheduler.*}. Each call asks
 * {@code isLeader()} once, at its beginning; a method that runs is not stopped when its
 * instance ceases to lead. No lock is acquired for the call. If the method also has
 * {@link DistributedLock @DistributedLock}, a skipped call does not ask for the lock.
 *
 * <p>
 * A skipped call returns an empty {@link java.util.Optional}, a completed future of
 * {@code null}, or {@code null}. Primitive results, reactive types and suspending
 * functions fail at start-up, and so does a name that no leadership has.
 *
 * <p>
 * Applies to calls through the proxy of the bean, not to calls within the bean. Can also
 * be placed on another annotation, or on a method of an interface. Has no effect with
 * {@code distributed-lock.enabled=false} or
 * {@code distributed-lock.annotation.enabled=false}: then every instance runs the method.
 *
 * @since 0.1.0
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface LeaderOnly {

	/**
	 * The name of the leadership, as in {@code Leadership.name()}.
	 * @return a name, taken literally
	 */
	String value();

}
