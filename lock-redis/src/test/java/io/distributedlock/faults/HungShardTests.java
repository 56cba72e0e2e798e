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
import java.util.List;
import java.util.stream.IntStream;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import io.distributedlock.testsupport.RedisCluster;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.data.redis.connection.RedisClusterConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One master of a cluster is frozen.
 */
@Tag("topologies")
@Timeout(120)
class HungShardTests {

	@Test
	@Shows("One master of a cluster hangs, with Lettuce")
	void noLockOnAnotherShardIsLost() {
		try (RedisCluster cluster = RedisCluster.start();
				Instance here = new Instance(EngineSettings.of("here"), new RedisClusterConfiguration(
						cluster.nodes().stream().map((node) -> node.host() + ':' + node.port()).toList()))) {
			LockOptions renewed = LockOptions.ofLease(Duration.ofSeconds(3)).withAutoRenew();
			List<LockHandle> handles = IntStream.range(0, 48).mapToObj((i) -> {
				LockKind kind = LockKind.values()[i % 3];
				return here.locks.acquire(kind.named("name:" + i),
						kind.of(renewed).withWaitTime(Duration.ofSeconds(10)));
			}).toList();
			RedisServer hung = cluster.masterOf("lock:" + handles.get(0).name());
			List<String> elsewhere = handles.stream()
				.map(LockHandle::name)
				.filter((name) -> cluster.masterOf("lock:" + name) != hung)
				.toList();
			assertThat(elsewhere).hasSizeBetween(10, 47);
			hung.pause();
			// Longer than the lease
			TestBed.always(Duration.ofSeconds(5),
					() -> handles.stream()
						.filter((handle) -> elsewhere.contains(handle.name()))
						.allMatch(LockHandle::isHeld));
			assertThat(here.events(LockEvent.Lost.class)).extracting(LockEvent.Lost::name)
				.isNotEmpty()
				.doesNotContainAnyElementsOf(elsewhere);
			hung.resume();
		}
	}

}
