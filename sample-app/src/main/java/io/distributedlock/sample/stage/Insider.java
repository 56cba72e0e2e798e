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

import io.distributedlock.LockInspector;
import io.distributedlock.LockService;
import io.distributedlock.sample.app.InstanceMark;

import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * An instance from within, for what no client could make it do.
 */
record Insider(LockService locks, LockInspector inspector, InstanceMark mark, StringRedisTemplate redis, Plug plug) {

	static Insider of(ApplicationContext instance, Plug plug) {
		return new Insider(instance.getBean(LockService.class), instance.getBean(LockInspector.class),
				instance.getBean(InstanceMark.class), instance.getBean(StringRedisTemplate.class), plug);
	}

}
