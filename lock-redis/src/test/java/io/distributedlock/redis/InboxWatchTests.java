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

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.connection.DefaultMessage;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link InboxWatch}, with a clock that is set by hand.
 */
@ExtendWith(OutputCaptureExtension.class)
class InboxWatchTests {

	private static final byte[] CHANNEL = { 'c' };

	private final Deque<CompletableFuture<Boolean>> published = new ArrayDeque<>();

	private long now = Long.MAX_VALUE - 5;

	private int resubscriptions;

	private int grants;

	private final InboxWatch watch = new InboxWatch(
			new InboxListener(RedisFixture.listener((told) -> this.grants += told.startsWith("granted") ? 1 : 0),
					Duration.ofSeconds(3), (key) -> null),
			Duration.ofSeconds(1), () -> {
				CompletableFuture<Boolean> sent = new CompletableFuture<>();
				this.published.add(sent);
				return sent;
			}, () -> this.resubscriptions++, () -> this.now);

	@BeforeEach
	void subscribe() {
		this.watch.onChannelSubscribed(CHANNEL, 1);
	}

	@Test
	void deafInboxSubscribesAgainAndWarnsOnce(CapturedOutput output) {
		for (int round = 1; round <= 2; round++) {
			waitFor(11);
			this.published.remove().complete(true);
			waitFor(2);
			assertThat(this.resubscriptions).isEqualTo(round);
			waitFor(60);
			assertThat(this.published).isEmpty();
			this.watch.onChannelSubscribed(CHANNEL, 1);
		}
		assertThat(output.toString().lines().filter((line) -> line.contains("WARN"))).singleElement()
			.asString()
			.contains("no longer arrive");
	}

	@Test
	void inboxOnAReplicaSubscribesAgain(CapturedOutput output) {
		waitFor(11);
		arrives(InboxWatch.probe());
		this.published.remove().complete(false);
		assertThat(this.resubscriptions).isOne();
		assertThat(output).contains("the server that has the locks does not know the subscription");
	}

	@Test
	void hearingInboxIsLeftAlone() {
		for (int round = 0; round < 3; round++) {
			waitFor(11);
			CompletableFuture<Boolean> sent = this.published.remove();
			if (round == 1) {
				arrives(InboxWatch.probe());
			}
			sent.complete(true);
			if (round != 1) {
				arrives(InboxWatch.probe());
			}
			waitFor(2);
		}
		assertThat(this.resubscriptions).isZero();
		assertThat(this.grants).isZero();
	}

	@Test
	void grantShowsALiveInbox() {
		for (int second = 0; second < 30; second++) {
			arrives("a~1:1 1 1000 order:1".getBytes());
			waitFor(1);
		}
		assertThat(this.published).isEmpty();
	}

	@Test
	void probeThatCannotBeSentSaysNothingAboutTheInbox() {
		waitFor(11);
		this.published.remove().completeExceptionally(new IllegalStateException("on purpose"));
		waitFor(2);
		assertThat(this.published).isEmpty();
		assertThat(this.resubscriptions).isZero();
		waitFor(11);
		assertThat(this.published).hasSize(1);
	}

	private void arrives(byte[] message) {
		this.watch.onMessage(new DefaultMessage(CHANNEL, message), null);
	}

	private void waitFor(int seconds) {
		this.now += Duration.ofSeconds(seconds).toNanos();
		this.watch.waiting();
	}

}
