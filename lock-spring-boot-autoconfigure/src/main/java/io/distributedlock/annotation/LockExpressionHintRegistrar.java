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

package io.distributedlock.annotation;

import java.lang.reflect.Method;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.expression.Expression;
import org.springframework.util.StringUtils;

/**
 * Registers for reflection what the expressions of locked methods read, as far as
 * declared types tell it.
 */
final class LockExpressionHintRegistrar {

	private static final Log logger = LogFactory.getLog(LockExpressionHintRegistrar.class);

	private final ReflectionHints hints;

	private final ConfigurableBeanFactory beanFactory;

	private final LockExpressionParser parser;

	LockExpressionHintRegistrar(ReflectionHints hints, ConfigurableBeanFactory beanFactory) {
		this.hints = hints;
		this.beanFactory = beanFactory;
		this.parser = new LockExpressionParser(beanFactory);
	}

	/**
	 * Register what the expressions of an annotation read.
	 */
	void register(MergedAnnotation<DistributedLock> annotation, AnnotatedMethod method) {
		Method declaring = LockAnnotationFinder.declaringMethod(annotation, method.method());
		for (String name : annotation.getStringArray("name")) {
			register(name, method, declaring, LockExpressionParser.Scope::name);
		}
		String condition = annotation.getString("condition");
		if (StringUtils.hasText(condition)) {
			register(condition, method, declaring, LockExpressionParser.Scope::condition);
		}
	}

	private void register(String text, AnnotatedMethod method, Method declaring, Parsing parsing) {
		try {
			String resolved = this.beanFactory.resolveEmbeddedValue(text);
			LockExpressionParser.Scope scope = this.parser.scopeOf(method, declaring);
			Expression expression = parsing.parse(scope, (resolved != null) ? resolved : text);
			if (expression != null) {
				new LockExpressionTypes(method, scope.variables(), this.beanFactory).follow(expression, this::register);
			}
		}
		catch (IllegalArgumentException | InvalidLockDefinitionException ex) {
			logger.debug("No hints for '" + text + "' of " + method.description(), ex);
		}
	}

	private void register(LockExpressionTypes.Step step) {
		if (step.member() != step.start()) {
			this.hints.registerType(step.type(), MemberCategory.INVOKE_PUBLIC_METHODS,
					MemberCategory.ACCESS_PUBLIC_FIELDS);
		}
	}

	/**
	 * How to parse an attribute.
	 */
	private interface Parsing {

		@Nullable Expression parse(LockExpressionParser.Scope scope, String text);

	}

}
