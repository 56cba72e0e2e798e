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

package io.distributedlock.redis;

import io.distributedlock.internal.Failures;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.event.Event;
import io.lettuce.core.event.EventBus;
import io.lettuce.core.event.connection.ConnectionActivatedEvent;
import io.lettuce.core.event.connection.ReconnectFailedEvent;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * Remembers why a server refuses the credentials of a lost connection, as a promoted
 * replica without the user does: its calls get no answer, and only an event of Lettuce
 * has the reason. The application gets all events, and tells this of none of its own.
 */
final class RefusedReconnects implements EventBus {

	private final EventBus application;

	private volatile @Nullable Throwable latest;

	RefusedReconnects(EventBus application) {
		this.application = application;
	}

	/** Return why, or {@code null} if no server refuses the credentials. */
	@Nullable Throwable latest() {
		return this.latest;
	}

	@Override
	public Flux<Event> get() {
		return this.application.get();
	}

	@Override
	public void publish(Event event) {
		if (event instanceof ConnectionActivatedEvent) {
			this.latest = null;
		}
		else if (event instanceof ReconnectFailedEvent failed) {
			Throwable cause = Failures.unwrap(failed.getCause());
			this.latest = FailureTranslator.isNotAuthenticated(cause) ? refusal(failed, cause) : null;
		}
		this.application.publish(event);
	}

	/** As for the first connection: only the event says where. */
	private static Throwable refusal(ReconnectFailedEvent failed, Throwable cause) {
		return RedisConnectionException.create(failed.remoteAddress(), cause);
	}

}
