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

package io.distributedlock.configuration.internal;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;
import org.springframework.util.ClassUtils;

/**
 * The executors and schedulers of the application. Those that wait for their tasks do so
 * when Spring destroys them, which is after the locks and the connection to the store
 * have stopped: the tasks would go on without their locks.
 *
 * <p>
 * An executor does not tell whether it waits, so each is destroyed as its bean definition
 * says.
 */
final class TaskExecutors {

	private static final Log logger = LogFactory.getLog(TaskExecutors.class);

	/** Not an executor, but waits for its jobs in the same way. */
	private static final String QUARTZ = "org.quartz.Scheduler";

	/** Event loops are executors as well, and connections of the tasks need them. */
	private static final String NETTY = "io.netty.";

	private final ConfigurableListableBeanFactory beanFactory;

	private final @Nullable Class<?> quartz;

	TaskExecutors(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		ClassLoader classLoader = beanFactory.getBeanClassLoader();
		this.quartz = ClassUtils.isPresent(QUARTZ, classLoader) ? ClassUtils.resolveClassName(QUARTZ, classLoader)
				: null;
	}

	/**
	 * Destroy executors in the order of Spring, the newest first, while this is needed.
	 */
	void closeWhile(BooleanSupplier needed) {
		List<String> names = new ArrayList<>(List.of(this.beanFactory.getSingletonNames()));
		Collections.reverse(names);
		for (String name : names) {
			try {
				if (needed.getAsBoolean() && isExecutor(name)) {
					close(name, this.beanFactory.getSingleton(name));
				}
			}
			catch (RuntimeException ex) {
				logger.warn("The executor '%s' could not be closed before the locks. Its tasks go on without them."
					.formatted(name), ex);
			}
		}
	}

	private boolean isExecutor(String name) {
		return this.beanFactory.containsBeanDefinition(name) && (this.beanFactory.isTypeMatch(name, Executor.class)
				|| (this.quartz != null && this.beanFactory.isTypeMatch(name, this.quartz)));
	}

	private void close(String name, @Nullable Object executor) {
		if (executor == null || executor.getClass().getName().startsWith(NETTY)) {
			return;
		}
		this.beanFactory.destroyBean(name, executor);
		if (executor instanceof ExecutorConfigurationSupport closed) {
			// Spring destroys it again, and would wait for its tasks as long again
			closed.setAwaitTerminationMillis(0);
		}
	}

}
