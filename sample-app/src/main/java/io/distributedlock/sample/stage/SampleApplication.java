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

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.SpringApplication;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Starts a Redis and two instances of the application, plays the scenarios of the
 * documentation against them and then stays up for those who want to try them by hand.
 *
 * <p>
 * Settings, as arguments, system properties or environment variables:
 * {@code sample.exit-after-run=true} ends after the account, with exit code 1 if
 * something was not as expected; {@code sample.instances=http://a:8081,http://b:8082}
 * plays the scenarios against instances that run already; {@code spring.data.redis.*} or
 * {@code REDIS_HOST}, {@code REDIS_PORT} and {@code REDIS_PASSWORD} name an existing
 * Redis.
 */
public final class SampleApplication {

	private static final Logger account = LoggerFactory.getLogger("io.distributedlock.sample.account");

	private SampleApplication() {
	}

	/**
	 * Run the sample.
	 * @param args the command line arguments
	 * @throws Exception if Redis or the instances cannot be started
	 */
	public static void main(String[] args) throws Exception {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources().addFirst(new SimpleCommandLinePropertySource(args));
		boolean asExpected = Account.write(instances(environment, args)).stream().allMatch(ScenarioResult::asExpected);
		if (environment.getProperty("sample.exit-after-run", Boolean.class, false)) {
			System.exit(asExpected ? 0 : 1);
		}
	}

	private static Instances instances(StandardEnvironment environment, String[] args) throws Exception {
		String running = environment.getProperty("sample.instances");
		if (running != null) {
			account.info("Instances: {}", running);
			return Instances.at(running.split(","));
		}
		RedisServer redis = RedisServer.from(environment);
		SpringApplication.getShutdownHandlers().add(redis::close);
		account.info("Redis: {}", redis.description());
		Instances instances = new InstanceLauncher(redis, args).launch();
		account.info("Instances: {}", instances);
		return instances;
	}

}
