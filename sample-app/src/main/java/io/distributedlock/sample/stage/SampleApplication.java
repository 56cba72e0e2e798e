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
import org.springframework.core.env.Environment;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Starts a Redis and two instances of the application, plays the scenarios of the
 * documentation against them and then stays up for those who want to try them by hand. A
 * page shows what happens.
 *
 * <p>
 * Settings, as arguments, system properties or environment variables:
 * {@code sample.exit-after-run=true} ends after the account, with exit code 1 if
 * something was not as expected; {@code sample.instances=http://a:8081,http://b:8082}
 * plays the scenarios against instances that run already; {@code server.port} is the port
 * of the page, 8080 if nothing is set; {@code spring.data.redis.*} or {@code REDIS_HOST},
 * {@code REDIS_PORT} and {@code REDIS_PASSWORD} name an existing Redis.
 */
public final class SampleApplication {

	private static final Logger account = LoggerFactory.getLogger("io.distributedlock.sample.account");

	/** With the addresses of both instances. */
	private static final String TRY_IT = """

			Try it by hand; what one instance holds, the other one refuses:
			  curl -X POST '%1$s/reports/42' & curl -X POST '%2$s/reports/42'
			  curl -X POST '%1$s/keywords/schedule'; curl -X POST '%2$s/keywords/schedule'; sleep 14; \
			curl -X DELETE '%1$s/keywords/schedule'; curl -X DELETE '%2$s/keywords/schedule'; curl '%1$s/keywords'
			  curl -X POST '%1$s/pay?user=7&order=4711' & curl -X POST '%2$s/pay?user=7&order=4711'
			  curl -X POST '%1$s/orders/cart-1'; curl -X POST '%2$s/orders/cart-1'
			  curl -X PUT '%1$s/stock/phone?quantity=3'; curl -X POST '%1$s/stock/phone/purchase'; \
			curl -X POST '%2$s/stock/phone/purchase'; curl '%2$s/stock/phone'
			  curl '%1$s/cache/book' & curl '%2$s/cache/book'
			  curl -X POST '%1$s/jobs/1' & curl -X POST '%2$s/jobs/1'
			  curl -X POST '%1$s/exports/1' & curl -X POST '%2$s/exports/2?renew=false'
			  curl -X POST '%1$s/leader'; curl -X POST '%2$s/leader'; curl '%1$s/leader'; curl -X DELETE '%1$s/leader'; \
			curl '%2$s/leader'
			  curl -X POST '%1$s/feeds/news/python' & sleep 0.5; curl -X POST '%2$s/feeds/news'
			  curl -X POST '%1$s/rates/SEK' & curl -X POST '%2$s/rates/SEK'
			  curl -X POST '%1$s/mailings/may' & curl -X POST '%2$s/mailings/may'
			  curl -X POST '%1$s/accounts/7/deposits?amount=10&millis=3000' & sleep 1; \
			curl -X DELETE '%1$s/accounts/7/lock'; curl -X POST '%2$s/accounts/7/deposits?amount=10'
			  for i in 1 2 3 4 5; do curl -X POST '%1$s/invoices/may/export' & curl -X POST '%2$s/invoices/june/export' & \
			done; wait
			  curl -X PUT '%1$s/indexes/7'; curl '%1$s/indexes/7?millis=3000' & curl '%2$s/indexes/7?millis=3000' & \
			sleep 0.5; curl -X POST '%1$s/indexes/7/rebuild'; curl '%2$s/indexes/7'
			  curl '%1$s/actuator/locks'
			  curl '%1$s/actuator/metrics/distributed.lock.acquire'
			""";

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
		String running = environment.getProperty("sample.instances");
		boolean asExpected = (running != null) ? playElsewhere(running) : playHere(environment, args);
		if (environment.getProperty("sample.exit-after-run", Boolean.class, false)) {
			System.exit(asExpected ? 0 : 1);
		}
	}

	private static boolean playHere(Environment environment, String[] args) throws Exception {
		Stage stage = Stage.open(environment, args);
		SpringApplication.getShutdownHandlers().add(stage::close);
		boolean asExpected = play(stage.account(), stage.instances());
		account.info("Watch them, and break something: {}", stage.page().url());
		return asExpected;
	}

	private static boolean playElsewhere(String running) {
		account.info("Instances: {}", running);
		Instances instances = Instances.at(running.split(","));
		instances.awaitHealthy();
		// Their events do not reach this JVM, so there is no page
		try (Account scenarios = new Account(instances, Scenarios.ALL, new LiveFeed())) {
			return play(scenarios, instances);
		}
	}

	private static boolean play(Account scenarios, Instances instances) {
		boolean asExpected = scenarios.write().stream().allMatch(Finding::areAsExpected);
		account.info(TRY_IT.formatted(instances.first().url(), instances.second().url()));
		return asExpected;
	}

}
