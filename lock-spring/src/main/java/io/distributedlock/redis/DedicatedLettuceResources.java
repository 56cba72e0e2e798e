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
import java.util.concurrent.TimeUnit;

import io.distributedlock.internal.DaemonThread;
import io.lettuce.core.event.DefaultEventPublisherOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.netty.util.HashedWheelTimer;
import org.jspecify.annotations.Nullable;

/**
 * Event loops, timer and workers for locks only, so that a callback of the application
 * that blocks a thread of Lettuce does not stop any lock. Address resolution, metrics and
 * customization are those of the application; its tracing is not, as each renewal would
 * be a trace of its own.
 *
 * <p>
 * No thread exists before the first connection. Two event loops, so that the grants of
 * the inbox do not queue behind answers.
 */
final class DedicatedLettuceResources implements AutoCloseable {

	private static final Duration LONGEST_RECONNECT_DELAY = Duration.ofSeconds(1);

	private static final int THREADS = 2;

	/** Made here, because the resources would immediately start a timer of their own. */
	private final HashedWheelTimer timer;

	private final ClientResources resources;

	private DedicatedLettuceResources(HashedWheelTimer timer, ClientResources resources) {
		this.timer = timer;
		this.resources = resources;
	}

	/**
	 * Create resources.
	 * @param application those of the application, if there are any
	 */
	static DedicatedLettuceResources create(@Nullable ClientResources application) {
		HashedWheelTimer timer = new HashedWheelTimer(DaemonThread.factory("distributed-lock-lettuce-timer"));
		Delay reconnectDelay = Delay.exponential(Duration.ofMillis(1), LONGEST_RECONNECT_DELAY, 2,
				TimeUnit.MILLISECONDS);
		ClientResources.Builder builder = DefaultClientResources.builder()
			.ioThreadPoolSize(THREADS)
			.computationThreadPoolSize(THREADS)
			.timer(timer)
			.reconnectDelay(reconnectDelay)
			.threadFactoryProvider((pool) -> DaemonThread.factory("distributed-lock-" + pool));
		if (application != null) {
			builder.socketAddressResolver(application.socketAddressResolver())
				.addressResolverGroup(application.addressResolverGroup())
				.nettyCustomizer(application.nettyCustomizer())
				.eventBus(application.eventBus())
				.commandLatencyRecorder(application.commandLatencyRecorder())
				// The application publishes the recorded metrics
				.commandLatencyPublisherOptions(DefaultEventPublisherOptions.disabled());
		}
		return new DedicatedLettuceResources(timer, builder.build());
	}

	ClientResources get() {
		return this.resources;
	}

	/** Does not wait for the threads to end, except that of the timer. */
	@Override
	public void close() {
		this.resources.shutdown(0, 1, TimeUnit.SECONDS);
		this.timer.stop();
	}

}
