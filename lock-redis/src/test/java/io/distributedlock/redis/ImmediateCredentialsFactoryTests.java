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
import java.util.stream.Stream;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisCredentialsProvider.ImmediateRedisCredentialsProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link ImmediateCredentialsFactory}.
 */
class ImmediateCredentialsFactoryTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final RedisCredentials CREDENTIALS = RedisCredentials.just("user", "secret");

	static Stream<Arguments> configurations() {
		RedisStandaloneConfiguration password = new RedisStandaloneConfiguration();
		password.setPassword("secret");
		RedisStandaloneConfiguration user = new RedisStandaloneConfiguration();
		user.setUsername("user");
		user.setPassword("secret");
		RedisSocketConfiguration socket = new RedisSocketConfiguration("/run/redis.sock");
		socket.setUsername("user");
		return Stream.of(Arguments.of(new RedisStandaloneConfiguration(), null, null),
				Arguments.of(password, null, "secret"), Arguments.of(user, "user", "secret"),
				Arguments.of(socket, "user", ""));
	}

	@ParameterizedTest
	@MethodSource("configurations")
	void credentialsOfTheConfigurationAreUsed(RedisConfiguration configuration, String username, String password) {
		RedisCredentials credentials = now(
				new ImmediateCredentialsFactory(null, TIMEOUT).createCredentialsProvider(configuration));
		assertThat(credentials.getUsername()).isEqualTo(username);
		assertThat((credentials.getPassword() != null) ? new String(credentials.getPassword()) : null)
			.isEqualTo(password);
	}

	@Test
	void sentinelsHaveTheirOwnCredentials() {
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration();
		configuration.setPassword("of the server");
		configuration.setSentinelUsername("sentinel");
		configuration.setSentinelPassword(RedisPassword.of("of the sentinel"));
		ImmediateCredentialsFactory credentials = new ImmediateCredentialsFactory(null, TIMEOUT);
		assertThat(now(credentials.createCredentialsProvider(configuration)).getPassword())
			.containsExactly("of the server".toCharArray());
		RedisCredentials ofSentinel = now(credentials.createSentinelCredentialsProvider(configuration));
		assertThat(ofSentinel.getUsername()).isEqualTo("sentinel");
		assertThat(ofSentinel.getPassword()).containsExactly("of the sentinel".toCharArray());
	}

	@Test
	void fetchedCredentialsAreAwaitedEachTime() {
		int[] fetched = { 0 };
		RedisCredentialsProvider provider = () -> Mono.delay(Duration.ofMillis(20))
			.map((tick) -> RedisCredentials.just("user", "secret " + ++fetched[0]));
		RedisCredentialsProvider immediate = immediate(provider, TIMEOUT);
		assertThat(now(immediate).getPassword()).containsExactly("secret 1".toCharArray());
		assertThat(now(immediate).getPassword()).containsExactly("secret 2".toCharArray());
	}

	@Test
	void missingCredentialsFailWithTheReason() {
		assertThatIllegalStateException()
			.isThrownBy(() -> now(immediate(() -> Mono.error(new IllegalStateException("no token")), TIMEOUT)))
			.withMessageContaining("no token");
		assertThatIllegalStateException().isThrownBy(() -> now(immediate(Mono::never, Duration.ofMillis(10))))
			.withMessageContaining("within 10ms");
	}

	@Test
	void changingCredentialsAreStillStreamed() {
		RedisCredentialsProvider provider = new RedisCredentialsProvider() {

			@Override
			public Mono<RedisCredentials> resolveCredentials() {
				return Mono.just(CREDENTIALS);
			}

			@Override
			public boolean supportsStreaming() {
				return true;
			}

			@Override
			public Flux<RedisCredentials> credentials() {
				return Flux.just(CREDENTIALS);
			}

		};
		RedisCredentialsProvider immediate = immediate(provider, TIMEOUT);
		assertThat(immediate.supportsStreaming()).isTrue();
		assertThat(immediate.credentials().blockFirst()).isSameAs(CREDENTIALS);
		assertThat(immediate.resolveCredentials().block()).isSameAs(CREDENTIALS);
	}

	@Test
	void providerThatIsImmediateStaysAsItIs() {
		ImmediateRedisCredentialsProvider provider = () -> CREDENTIALS;
		assertThat(immediate(provider, TIMEOUT)).isSameAs(provider);
	}

	private static RedisCredentialsProvider immediate(RedisCredentialsProvider provider, Duration timeout) {
		RedisCredentialsProviderFactory application = new RedisCredentialsProviderFactory() {

			@Override
			public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
				return provider;
			}

		};
		return new ImmediateCredentialsFactory(application, timeout)
			.createCredentialsProvider(new RedisStandaloneConfiguration());
	}

	private static RedisCredentials now(RedisCredentialsProvider provider) {
		assertThat(provider).isInstanceOf(ImmediateRedisCredentialsProvider.class);
		return ((ImmediateRedisCredentialsProvider) provider).resolveCredentialsNow();
	}

}
