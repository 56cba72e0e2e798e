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

package io.distributedlock.sample.app;

import org.slf4j.MDC;

import org.springframework.core.task.TaskDecorator;
import org.springframework.stereotype.Component;

/**
 * Marks log lines with the instance that they come from, because in the sample two
 * instances write to one console. Applies to tasks and schedules by itself.
 */
@Component
public class InstanceMark implements TaskDecorator {

	/** Used by logback.xml. */
	static final String KEY = "instance";

	private final InstanceName instance;

	InstanceMark(InstanceName instance) {
		this.instance = instance;
	}

	@Override
	public Runnable decorate(Runnable work) {
		return () -> run(work);
	}

	/**
	 * Run work in a thread that may belong to either instance.
	 */
	public void run(Runnable work) {
		String before = MDC.get(KEY);
		MDC.put(KEY, this.instance.toString());
		try {
			work.run();
		}
		finally {
			if (before != null) {
				MDC.put(KEY, before);
			}
			else {
				MDC.remove(KEY);
			}
		}
	}

}
