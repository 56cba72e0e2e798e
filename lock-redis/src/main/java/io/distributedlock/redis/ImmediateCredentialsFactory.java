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
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.distributedlock.internal.Printable;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisCredentialsProvider.ImmediateRedisCredentialsProvider;
import io.lettuce.core.StaticCredentialsProvider;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import org.springframework.util.StringUtils;

/**
 * The credentials of the application, for connections that must not need the common pool.
 * Lettuce goes on with a handshake there, unless credentials are immediate, which those
 * of Spring Data Redis are not. All threads of the pool may be blocked by callers who
 * wait for a lock, and so for this connection.
 */
final class ImmediateCredentialsFactory implements RedisCredentialsProviderFactory {

	private static final RedisCredentialsProvider NONE = new StaticCredentialsProvider(null, null);

	private final @Nullable RedisCredentialsProviderFactory application;

	private final Duration timeout;

	/**
	 * Create a factory.
	 * @param application {@code null} if the credentials are those of the configuration
	 */
	ImmediateCredentialsFactory(@Nullable RedisCredentialsProviderFactory application, Duration timeout) {
		this.application = application;
		this.timeout = timeout;
	}

	@Override
	public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
		if (this.application != null) {
			return immediate(this.application.createCredentialsProvider(configuration));
		}
		return (configuration instanceof RedisConfiguration.WithAuthentication authentication)
				? fixed(authentication.getUsername(), authentication.getPassword()) : NONE;
	}

	@Override
	public RedisCredentialsProvider createSentinelCredentialsProvider(RedisSentinelConfiguration configuration) {
		if (this.application != null) {
			return immediate(this.application.createSentinelCredentialsProvider(configuration));
		}
		return fixed(configuration.getSentinelUsername(), configuration.getSentinelPassword());
	}

	private static RedisCredentialsProvider fixed(@Nullable String username, RedisPassword password) {
		if (StringUtils.hasText(username)) {
			return new StaticCredentialsProvider(username, password.toOptional().orElseGet(() -> new char[0]));
		}
		return password.toOptional()
			.<RedisCredentialsProvider>map((chars) -> new StaticCredentialsProvider(null, chars))
			.orElse(NONE);
	}

	private RedisCredentialsProvider immediate(@Nullable RedisCredentialsProvider provider) {
		if (provider == null) {
			return NONE;
		}
		return (provider instanceof ImmediateRedisCredentialsProvider) ? provider
				: new Resolving(provider, this.timeout);
	}

	/**
	 * Takes the credentials of another provider, which most have immediately. If they
	 * must be fetched first, the event loop waits: it belongs to the locks, and its next
	 * task is this very handshake.
	 */
	private record Resolving(RedisCredentialsProvider provider,
			Duration timeout) implements ImmediateRedisCredentialsProvider {

		@Override
		public @Nullable RedisCredentials resolveCredentialsNow() {
			CompletableFuture<@Nullable RedisCredentials> credentials = this.provider.resolveCredentials().toFuture();
			try {
				return credentials.get(this.timeout.toNanos(), TimeUnit.NANOSECONDS);
			}
			catch (ExecutionException ex) {
				Throwable cause = Objects.requireNonNullElse(ex.getCause(), ex);
				throw new IllegalStateException("The credentials for Redis cannot be obtained: " + cause.getMessage(),
						cause);
			}
			catch (TimeoutException ex) {
				credentials.cancel(true);
				throw new IllegalStateException(
						"The credentials for Redis could not be obtained within " + Printable.of(this.timeout));
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException("Closed while it waited for the credentials for Redis");
			}
		}

		@Override
		public Mono<RedisCredentials> resolveCredentials() {
			return this.provider.resolveCredentials();
		}

		@Override
		public boolean supportsStreaming() {
			return this.provider.supportsStreaming();
		}

		@Override
		public Flux<RedisCredentials> credentials() {
			return this.provider.credentials();
		}

	}

}
