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

import java.util.List;

import io.distributedlock.web.internal.LockErrorResponses;
import io.distributedlock.web.internal.LockExceptionResolver;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/**
 * Answers to HTTP clients that meet a busy lock. Needs Spring MVC.
 */
@Configuration(proxyBeanMethods = false)
public class LockWebMvcConfiguration {

	@Bean
	@ConditionalOnBeans(missing = LockExceptionResolver.class)
	static LockExceptionResolver distributedLockExceptionResolver(LockSettings settings,
			ObjectProvider<RequestMappingHandlerAdapter> adapters, ApplicationContext context) {
		return new LockExceptionResolver(new LockErrorResponses(settings.includeHolder()),
				() -> adapters.stream()
					.findFirst()
					.map(RequestMappingHandlerAdapter::getMessageConverters)
					.orElse(List.of()),
				context);
	}

}
