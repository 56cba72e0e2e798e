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

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.distributedlock.HeldLock;
import io.distributedlock.LockEvent;
import io.distributedlock.LockInspector;
import io.distributedlock.LockMode;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class InstanceEventsTests {

	private final LiveFeed feed = new LiveFeed();

	private final InstanceEvents events = new InstanceEvents("instance-1", this.feed, new Plug());

	@Test
	void holdBeginsAtTheGrantHoweverLateTheEvent() throws Exception {
		this.events.lookAt(holding(held(Duration.ofSeconds(9), 6), held(Duration.ofSeconds(5), 7)));
		JsonNode told = tell(7);
		assertThat(told.path("at").asDouble() - told.path("since").asDouble()).isCloseTo(5, within(1.0));
		assertThat(told.path("event").asString()).isEqualTo("Acquired");
		assertThat(told.path("permits").asInt()).isEqualTo(3);
		assertThat(told.path("mode").asString()).isEqualTo("EXCLUSIVE");
	}

	@Test
	void endedHoldHasNoKnownBegin() throws Exception {
		this.events.lookAt(holding());
		assertThat(tell(7).has("since")).isFalse();
	}

	private JsonNode tell(long token) throws Exception {
		this.events
			.onLockEvent(new LockEvent.Acquired("job", "job", Duration.ZERO, false, token, Duration.ofSeconds(30)));
		try (LiveFeed.Subscription subscription = this.feed.subscribe(null)) {
			return new JsonMapper().readTree(subscription.next(1, TimeUnit.SECONDS).data());
		}
	}

	private static LockInspector holding(HeldLock... held) {
		return (LockInspector) Proxy.newProxyInstance(LockInspector.class.getClassLoader(),
				new Class<?>[] { LockInspector.class }, (proxy, method, args) -> List.of(held));
	}

	private static HeldLock held(Duration heldFor, long fencingToken) {
		return (HeldLock) Proxy.newProxyInstance(HeldLock.class.getClassLoader(), new Class<?>[] { HeldLock.class },
				(proxy, method, args) -> switch (method.getName()) {
					case "name" -> "job";
					case "heldFor" -> heldFor;
					case "fencingToken" -> fencingToken;
					case "permits" -> 3;
					case "mode" -> LockMode.EXCLUSIVE;
					default -> throw new UnsupportedOperationException(method.getName());
				});
	}

}
