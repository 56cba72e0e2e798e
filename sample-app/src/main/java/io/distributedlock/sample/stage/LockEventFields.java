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

package io.distributedlock.sample.stage;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import io.distributedlock.LockEvent;
import io.distributedlock.LockEvent.Acquired;
import io.distributedlock.LockEvent.AtRisk;
import io.distributedlock.LockEvent.Lost;
import io.distributedlock.LockEvent.NotAcquired;
import io.distributedlock.LockEvent.ReleaseFailed;
import io.distributedlock.LockEvent.Released;
import io.distributedlock.LockEvent.Renewed;
import io.distributedlock.LockEvent.RenewalFailed;

/**
 * An event of a lock as the page reads it; times are in seconds.
 */
final class LockEventFields {

	private final Map<String, Object> fields = new LinkedHashMap<>();

	private LockEventFields(String instance, LockEvent event) {
		with("instance", instance).with("event", event.getClass().getSimpleName()).with("lock", event.name());
	}

	static Map<String, Object> of(String instance, LockEvent event) {
		LockEventFields of = new LockEventFields(instance, event);
		if (event instanceof Acquired acquired) {
			of.with("token", acquired.fencingToken())
				.with("lease", acquired.lease())
				.with("waited", acquired.waited())
				.with("contended", acquired.contended());
		}
		else if (event instanceof NotAcquired notAcquired) {
			of.with("waited", notAcquired.waited()).with("reason", notAcquired.reason());
		}
		else if (event instanceof Released released) {
			of.with("token", released.fencingToken()).with("held", released.held()).with("lease", released.lease());
		}
		else if (event instanceof ReleaseFailed failed) {
			of.with("why", failed.cause().getClass().getSimpleName());
		}
		else if (event instanceof AtRisk atRisk) {
			of.with("token", atRisk.fencingToken()).with("remaining", atRisk.remaining());
		}
		else if (event instanceof Renewed renewed) {
			of.with("token", renewed.fencingToken()).with("remaining", renewed.remaining());
		}
		else if (event instanceof RenewalFailed failed) {
			of.with("token", failed.fencingToken())
				.with("remaining", failed.remaining())
				.with("why", failed.cause().getClass().getSimpleName());
		}
		else if (event instanceof Lost lost) {
			of.with("token", lost.fencingToken())
				.with("held", lost.held())
				.with("lease", lost.lease())
				.with("cause", lost.cause())
				.with("explanation", lost.explanation());
		}
		return of.fields;
	}

	private LockEventFields with(String name, Object value) {
		this.fields.put(name, (value instanceof Duration time) ? time.toNanos() / 1_000_000_000d : value);
		return this;
	}

}
