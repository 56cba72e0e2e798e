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

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;

import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;

/**
 * All connections of an instance to Redis. While it is pulled, Redis sees of the instance
 * what it sees of one that was killed: its connections close, and no command comes.
 */
final class Plug implements NettyCustomizer, ClientResourcesBuilderCustomizer {

	private final Set<Channel> channels = ConcurrentHashMap.newKeySet();

	private volatile boolean pulled;

	@Override
	public void customize(ClientResources.Builder resources) {
		resources.nettyCustomizer(this);
	}

	@Override
	public void afterChannelInitialized(Channel channel) {
		this.channels.add(channel);
		channel.closeFuture().addListener((closed) -> this.channels.remove(channel));
		if (this.pulled) {
			channel.close();
		}
	}

	boolean isPulled() {
		return this.pulled;
	}

	void pull() {
		this.pulled = true;
		this.channels.forEach(Channel::close);
	}

	void restore() {
		this.pulled = false;
	}

}
