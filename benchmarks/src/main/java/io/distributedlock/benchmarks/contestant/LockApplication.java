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

package io.distributedlock.benchmarks.contestant;

import java.net.URI;
import java.util.List;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Nothing but auto-configuration. Lock4j's would take part because it is on the same
 * class path.
 */
@EnableAutoConfiguration(excludeName = { "com.baomidou.lock.spring.boot.autoconfigure.LockAutoConfiguration",
		"com.baomidou.lock.spring.boot.autoconfigure.RedisTemplateLockAutoConfiguration" })
public class LockApplication {

	/**
	 * Prepares an application that says nothing.
	 */
	public static SpringApplicationBuilder with(Class<?>... beans) {
		return new SpringApplicationBuilder(LockApplication.class).sources(beans)
			.web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.registerShutdownHook(false);
	}

	static ConfigurableApplicationContext run(URI redis, String instance, List<String> properties) {
		return with().properties("spring.data.redis.url=" + redis, "distributed-lock.instance-name=" + instance)
			.properties(properties.toArray(String[]::new))
			.run();
	}

}
