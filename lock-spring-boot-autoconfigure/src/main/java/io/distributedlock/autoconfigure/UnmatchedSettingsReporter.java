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

package io.distributedlock.autoconfigure;

import java.util.LinkedHashSet;
import java.util.Set;

import io.distributedlock.DeclaredLock;
import io.distributedlock.DeclaredLocks;
import io.distributedlock.annotation.SimilarNames;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Reports settings of individual locks that match no declared lock, once these are known.
 * They may belong to locks that code acquires without options.
 */
final class UnmatchedSettingsReporter implements ApplicationListener<ContextRefreshedEvent> {

	private static final Log logger = LogFactory.getLog(UnmatchedSettingsReporter.class);

	private final Set<String> configured;

	private final ObjectProvider<DeclaredLocks> declaredLocks;

	private final ApplicationContext context;

	UnmatchedSettingsReporter(Set<String> configured, ObjectProvider<DeclaredLocks> declaredLocks,
			ApplicationContext context) {
		this.configured = configured;
		this.declaredLocks = declaredLocks;
		this.context = context;
	}

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (this.configured.isEmpty() || event.getApplicationContext() != this.context) {
			return;
		}
		Set<String> declared = new LinkedHashSet<>();
		this.declaredLocks.stream()
			.flatMap((locks) -> locks.declared().stream())
			.forEach((lock) -> add(lock, declared));
		this.configured.stream().filter((name) -> !declared.contains(name)).sorted().forEach((name) -> {
			String similar = SimilarNames.nearest(name, declared);
			if (similar != null) {
				logger.warn(
						"The settings under distributed-lock.locks[%s] belong to no lock that an annotation declares. Did you mean distributed-lock.locks[%s]?"
							.formatted(name, similar));
			}
			else {
				logger.info(
						"The settings under distributed-lock.locks[%s] belong to no lock that an annotation declares: they apply where code takes a lock of this name without options."
							.formatted(name));
			}
		});
	}

	private static void add(DeclaredLock lock, Set<String> declared) {
		declared.add(lock.declaredName());
		if (lock.names().size() == 1) {
			declared.addAll(lock.names());
		}
	}

}
