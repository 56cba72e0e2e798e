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

package io.distributedlock.leadership;

import io.distributedlock.LockEvent;
import org.jspecify.annotations.Nullable;

/**
 * An event in the life of a candidacy of this instance. In a Spring application it is
 * published as an application event.
 *
 * @since 0.1.0
 */
public sealed interface LeadershipEvent {

	/**
	 * Return the name of the leadership.
	 * @return the name
	 */
	String name();

	/**
	 * A candidate stands for the leadership from now on.
	 *
	 * @param name the name of the leadership
	 */
	record Standing(String name) implements LeadershipEvent {
	}

	/**
	 * A candidate leads from now on.
	 *
	 * @param name the name of the leadership
	 * @param fencingToken the fencing token of the term
	 */
	record Elected(String name, long fencingToken) implements LeadershipEvent {
	}

	/**
	 * A candidate that led does not lead any more.
	 *
	 * @param name the name of the leadership
	 * @param fencingToken the fencing token of the term
	 * @param loss the loss of the lock, or {@code null} if the leader resigned
	 */
	record Revoked(String name, long fencingToken, LockEvent.@Nullable Lost loss) implements LeadershipEvent {
	}

}
