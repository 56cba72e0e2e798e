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

package io.distributedlock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LossCause;
import io.distributedlock.kinds.LockKind;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Holders, and when each was told that it has lost its lock. Their next renewals and
 * their deadlines are minutes away.
 */
final class ToldHolders {

	static final LockOptions ONCE = LockOptions.ofLease(Duration.ofMinutes(10));

	private static final Log logger = LogFactory.getLog(ToldHolders.class);

	private static final Map<String, LockOptions> HOLDS = Map.of("once", ONCE, "renewed",
			ONCE.withAutoRenew(Duration.ofMinutes(3)), "minimum", ONCE.withMinHold(Duration.ofMinutes(2)));

	private final Map<LockHandle, Long> told = new ConcurrentHashMap<>();

	/** Not renewed, renewed and with a minimum hold, of each kind. */
	List<LockHandle> holdEach(Instance instance) {
		List<LockHandle> held = new ArrayList<>();
		HOLDS.forEach((label, options) -> LockKind
			.forEach((kind) -> held.add(hold(instance, kind.named(label), kind.of(options)))));
		return held;
	}

	LockHandle hold(Instance instance, String name, LockOptions options) {
		LockHandle handle = instance.locks.acquire(name, options);
		handle.onLost((loss) -> this.told.put(handle, System.nanoTime()));
		return handle;
	}

	Map<LockHandle, Long> told() {
		return this.told;
	}

	void awaitTold(List<LockHandle> held) {
		await().atMost(TestBed.SOON).until(() -> this.told.size() == held.size());
	}

	/**
	 * From now on, all holders can be told.
	 */
	void awaitLosses(Instance instance, List<LockHandle> held, String label, LossCause cause) {
		long since = System.nanoTime();
		awaitTold(held);
		// Listeners are called by another thread than callbacks
		await().atMost(TestBed.SOON).until(() -> instance.events(LockEvent.Lost.class).size() == held.size());
		assertThat(instance.events(LockEvent.Lost.class)).extracting(LockEvent.Lost::cause).containsOnly(cause);
		assertThat(held).noneMatch(LockHandle::isHeld);
		held.forEach(LockHandle::close);
		List<Long> millis = this.told.values().stream().map((at) -> (at - since) / 1_000_000).sorted().toList();
		logger.info("%s: told after %d ms (median), %d ms (last)".formatted(label, millis.get(millis.size() / 2),
				millis.get(millis.size() - 1)));
	}

}
