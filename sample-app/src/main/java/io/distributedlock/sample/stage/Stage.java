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

import java.io.IOException;
import java.util.List;

import com.sun.net.httpserver.HttpServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.env.Environment;

/**
 * A Redis, two instances of the application and the page that shows them.
 */
record Stage(RedisServer redis, InstanceLauncher launcher, LiveFeed feed, Instances instances, Account account,
		Incidents incidents, WaitersWatch waiters, PageServer page) implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger("io.distributedlock.sample.account");

	static Stage open(Environment environment, String... args) throws IOException {
		// Before anything else is started, which would have to be stopped again
		HttpServer server = PageServer.bind(environment);
		RedisServer redis = RedisServer.from(environment);
		logger.info("Redis: {}", redis.description());
		LiveFeed feed = new LiveFeed();
		InstanceLauncher launcher = new InstanceLauncher(redis, feed, args);
		Instances instances = launcher.launch();
		logger.info("Instances: {}", instances);
		Account account = new Account(instances, Scenarios.ALL, feed);
		List<Insider> insiders = launcher.insiders();
		Incidents incidents = new Incidents(insiders.get(0), insiders.get(1), instances, redis.own(), feed);
		WaitersWatch waiters = WaitersWatch.start(insiders, feed);
		PageServer page = PageServer.start(server, feed, account, incidents, instances);
		logger.info("Watch them: {}", page.url());
		instances.awaitHealthy();
		return new Stage(redis, launcher, feed, instances, account, incidents, waiters, page);
	}

	@Override
	public void close() {
		this.page.close();
		this.waiters.close();
		this.incidents.close();
		this.account.close();
		this.launcher.close();
		this.redis.close();
	}

}
