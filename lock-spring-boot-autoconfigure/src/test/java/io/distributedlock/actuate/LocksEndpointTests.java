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

package io.distributedlock.actuate;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

import io.distributedlock.DeclaredLock;
import io.distributedlock.HeldLock;
import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockInfo;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.OnLost;
import io.distributedlock.WaitingLock;
import io.distributedlock.actuate.LocksDescriptor.Declared;
import io.distributedlock.actuate.LocksDescriptor.Held;
import io.distributedlock.actuate.LocksDescriptor.Options;
import io.distributedlock.actuate.LocksDescriptor.Waiting;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * Tests for {@link LocksEndpoint}.
 */
class LocksEndpointTests {

	private static final LocksDescriptor.Store STORE = new LocksDescriptor.Store("Redis at localhost:6379",
			"Redis 7.0.15", List.of());

	private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

	private static final DeclaredLock DECLARED = new DeclaredLock("OrderService.pay", List.of("'pay:' + #orderId"),
			"com.example.OrderService.pay(long)",
			LockOptions.lease(Duration.ofSeconds(30)).withAutoRenew().withMaxHold(Duration.ofHours(1)), "skip");

	private static final Held HELD = new Held("pay:1", "OrderService.pay", "main", NOW.minusSeconds(5),
			Duration.ofSeconds(25), 1234567890123456L, true);

	private static final Waiting WAITING = new Waiting("pay:2", "OrderService.pay", "worker-1", NOW.minusSeconds(2));

	private final LockService service = mock(LockService.class);

	private final LocksEndpoint endpoint = new LocksEndpoint(this.service, () -> STORE, () -> List.of(DECLARED),
			InstantSource.fixed(NOW));

	@BeforeEach
	void holdAndWait() {
		given(this.service.defaults()).willReturn(LockOptions.builtIn());
		given(this.service.held()).willReturn(List.of(new HeldLock("pay:1", "OrderService.pay", "main",
				Duration.ofSeconds(5), Duration.ofSeconds(25), 1234567890123456L, true)));
		given(this.service.waiting())
			.willReturn(List.of(new WaitingLock("pay:2", "OrderService.pay", "worker-1", Duration.ofSeconds(2))));
	}

	@Test
	void whatIsHeldAndWaitedForIsShownWithoutAskingTheStore() {
		LocksDescriptor locks = this.endpoint.locks();
		assertThat(locks.store()).isEqualTo(STORE);
		assertThat(locks.held()).containsExactly(HELD);
		assertThat(locks.waiting()).containsExactly(WAITING);
		then(this.service).should(never()).find(anyString());
	}

	@Test
	void declaredLocksAreShownWithTheirSettings() {
		Options options = new Options(Duration.ofSeconds(30), Duration.ZERO, true, Duration.ofSeconds(10),
				Duration.ZERO, Duration.ofHours(1), OnLost.LOG);
		assertThat(this.endpoint.locks().declared()).containsExactly(new Declared("OrderService.pay",
				List.of("'pay:' + #orderId"), "com.example.OrderService.pay(long)", options, "skip"));
	}

	@Test
	void defaultsAreShownWithoutARenewalIntervalThatIsNotUsed() {
		assertThat(this.endpoint.locks().defaults()).isEqualTo(
				new Options(Duration.ofSeconds(30), Duration.ZERO, false, null, Duration.ZERO, null, OnLost.LOG));
	}

	@Test
	void aSingleLockIsLookedUpInTheStore() {
		given(this.service.find("pay:1"))
			.willReturn(Optional.of(LockInfo.heldElsewhere("pay:1", "shop-1", Duration.ofSeconds(24))));
		assertThat(this.endpoint.lock("pay:1")).isEqualTo(new LockDescriptor("pay:1", true,
				LockInfo.Kind.OTHER_INSTANCE, "shop-1", null, Duration.ofSeconds(24), null, List.of(HELD), List.of()));
	}

	@Test
	void aForeignClientIsShownByADigest() {
		given(this.service.find("pay:1"))
			.willReturn(Optional.of(LockInfo.heldByForeignClient("pay:1", "5e884898", null)));
		assertThat(this.endpoint.lock("pay:1")).isEqualTo(new LockDescriptor("pay:1", true,
				LockInfo.Kind.FOREIGN_CLIENT, null, "5e884898", null, null, List.of(HELD), List.of()));
	}

	@Test
	void whatCouldForgeALineOrHideIsShownEscaped() {
		String name = "a\nb\u202e";
		given(this.service.find(name)).willReturn(Optional.empty());
		given(this.service.held())
			.willReturn(List.of(new HeldLock(name, name, name, Duration.ZERO, Duration.ZERO, 1, false)));
		given(this.service.waiting()).willReturn(List.of(new WaitingLock(name, name, name, Duration.ZERO)));
		Held held = new Held("a\\u000Ab\\u202E", "a\\u000Ab\\u202E", "a\\u000Ab\\u202E", NOW, Duration.ZERO, 1, false);
		Waiting waiting = new Waiting(held.name(), held.declaredName(), held.owner(), NOW);
		assertThat(this.endpoint.lock(name)).isEqualTo(
				new LockDescriptor(held.name(), false, null, null, null, null, null, List.of(held), List.of(waiting)));
		assertThat(this.endpoint.locks().held()).containsExactly(held);
		assertThat(this.endpoint.locks().waiting()).containsExactly(waiting);
	}

	@Test
	void aSingleLockThatNobodyHoldsIsShownAsSuch() {
		given(this.service.find("pay:2")).willReturn(Optional.empty());
		assertThat(this.endpoint.lock("pay:2"))
			.isEqualTo(new LockDescriptor("pay:2", false, null, null, null, null, null, List.of(), List.of(WAITING)));
	}

	@Test
	void aNameWithSlashesIsPutTogether() {
		given(this.service.find("a/b/c")).willReturn(Optional.empty());
		assertThat(this.endpoint.lock("a", "b", "c").name()).isEqualTo("a/b/c");
	}

	@Test
	void aStoreThatCannotTellIsShownWithTheProblem() {
		given(this.service.find("pay:1"))
			.willThrow(new LockUnavailableException("pay:1", "Redis did not answer.", null));
		assertThat(this.endpoint.lock("pay:1")).isEqualTo(new LockDescriptor("pay:1", null, null, null, null, null,
				"Redis did not answer.", List.of(HELD), List.of()));
	}

	@Test
	void aStoreThatRefusesIsShownWithTheProblem() {
		given(this.service.find("pay:1"))
			.willThrow(new LockConfigurationException("pay:1", "The key is of another type.", null));
		assertThat(this.endpoint.lock("pay:1").problem()).isEqualTo("The key is of another type.");
	}

}
