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

package io.distributedlock.annotation.internal;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * The kind of proxy that applies the annotations of a bean.
 */
public enum ProxyKind {

	CLASS, INTERFACES, NONE;

	/**
	 * @param advisor the advisor that the proxy must apply
	 */
	public static ProxyKind of(Object bean, @Nullable Advisor advisor) {
		boolean advised = bean instanceof Advised proxy && Arrays.asList(proxy.getAdvisors()).contains(advisor);
		return !advised ? NONE : AopUtils.isCglibProxy(bean) ? CLASS : INTERFACES;
	}

	/**
	 * The kind that auto-proxying creates, unless the definition of the bean specifies
	 * another.
	 */
	public static ProxyKind expectedFor(Class<?> type, ConfigurableBeanFactory beanFactory) {
		return (ClassUtils.getAllInterfacesForClass(type).length == 0 || proxiesTargetClasses(beanFactory)) ? CLASS
				: INTERFACES;
	}

	private static boolean proxiesTargetClasses(ConfigurableBeanFactory beanFactory) {
		String name = AutoProxyUtils.DEFAULT_PROXY_CONFIG_BEAN_NAME;
		return beanFactory.containsBean(name) && beanFactory.getBean(name, ProxyConfig.class).isProxyTargetClass();
	}

}
