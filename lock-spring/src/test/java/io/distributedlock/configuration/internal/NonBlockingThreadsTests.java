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

package io.distributedlock.configuration.internal;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link NonBlockingThreads}.
 */
class NonBlockingThreadsTests {

	@Test
	void threadsOfReactorAreNonBlockingExceptBoundedElastic() {
		Callable<Boolean> question = NonBlockingThreads::isCurrent;
		assertThat(Mono.fromCallable(question).subscribeOn(Schedulers.parallel()).block()).isTrue();
		assertThat(Mono.fromCallable(question).subscribeOn(Schedulers.boundedElastic()).block()).isFalse();
	}

	@Test
	void onlyEventLoopsOfNettyAreNonBlocking() throws Exception {
		assertThat(askedIn(new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory()))).isTrue();
		assertThat(askedIn(new DefaultEventExecutorGroup(1))).isFalse();
	}

	@Test
	void otherThreadsMayWait() {
		assertThat(NonBlockingThreads.isCurrent()).isFalse();
		assertThat(CompletableFuture.supplyAsync(NonBlockingThreads::isCurrent).join()).isFalse();
	}

	private static boolean askedIn(EventExecutorGroup group) throws Exception {
		try {
			return group.submit(NonBlockingThreads::isCurrent).get();
		}
		finally {
			group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
		}
	}

}
