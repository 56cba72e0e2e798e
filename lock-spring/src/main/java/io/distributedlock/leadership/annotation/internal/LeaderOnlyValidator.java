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

package io.distributedlock.leadership.annotation.internal;

import java.lang.annotation.Annotation;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.distributedlock.annotation.LockFinding;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.AnnotationInspector;
import io.distributedlock.annotation.internal.ProxyKind;
import io.distributedlock.leadership.annotation.LeaderOnly;

import org.springframework.aop.Advisor;

/**
 * Validates the methods that only the leader runs.
 */
record LeaderOnlyValidator(Advisor advisor, LeaderOnlyMethods methods) implements AnnotationInspector {

	@Override
	public Class<? extends Annotation> annotationType() {
		return LeaderOnly.class;
	}

	@Override
	public List<LockFinding> inspect(Class<?> type, ProxyKind proxy) {
		Set<LockFinding> findings = new LinkedHashSet<>();
		AnnotatedMethod.methodsOf(type).forEach((method) -> {
			LeaderOnlyMethod limited = this.methods.find(method, type);
			if (limited != null) {
				findings.addAll(limited.inspect(proxy));
			}
		});
		return List.copyOf(findings);
	}

	@Override
	public void verify() {
		this.methods.found().forEach(LeaderOnlyMethod::verify);
	}

}
