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

package io.distributedlock.benchmarks.startup;

import java.lang.management.ManagementFactory;

import com.sun.management.OperatingSystemMXBean;

import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ApplicationListener;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.util.ClassUtils;

/**
 * The application that is started, with and without the starter. It reports when it is
 * ready, and what it has used then and a little later.
 */
@EnableAutoConfiguration
public class StartedApplication {

	static final String READY = "ready";

	static final String SETTLED = "settled";

	/**
	 * Longer than what a starter does in the background.
	 */
	private static final long SETTLING_MILLIS = 700;

	/**
	 * Starts the application.
	 * @param args whether it uses Redis when it starts, the number of annotated beans,
	 * and what their annotations ask for
	 */
	public static void main(String[] args) throws Exception {
		boolean usesRedis = Boolean.parseBoolean(args[0]);
		int beans = Integer.parseInt(args[1]);
		Interception interception = Interception.valueOf(args[2]);
		SpringApplication application = new SpringApplication(StartedApplication.class, interception.configuration());
		application.setWebApplicationType(WebApplicationType.NONE);
		application.setBannerMode(Banner.Mode.OFF);
		application.addInitializers((ApplicationContextInitializer<GenericApplicationContext>) (context) -> {
			for (int index = 1; index <= beans; index++) {
				Class<?> type = ClassUtils.resolveClassName(ServiceClasses.nameOf(interception.template(), index),
						null);
				context.registerBeanDefinition(type.getSimpleName(), new RootBeanDefinition(type));
			}
		});
		application.addListeners((ApplicationListener<ApplicationReadyEvent>) (event) -> {
			if (usesRedis) {
				event.getApplicationContext().getBean(StringRedisTemplate.class).hasKey("started");
			}
			System.out.println(READY);
			report(READY);
		});
		application.run();
		Thread.sleep(SETTLING_MILLIS);
		report(SETTLED);
		Runtime.getRuntime().halt(0);
	}

	private static void report(String moment) {
		OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
		System.out.println(moment + ' ' + system.getProcessCpuTime() / 1_000_000 + ' '
				+ ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1_000_000 + ' '
				+ ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount());
	}

}
