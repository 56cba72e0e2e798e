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
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import io.distributedlock.annotation.InvalidLockDefinitionException.Kind;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.StringUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Makes the specifications of a method from its annotations.
 */
final class LockedMethodFactory {

	private final LockDeclarationReader reader;

	private final LockExpressionParser parser;

	private final Supplier<LockService> service;

	private final ObjectProvider<LockOptionsCustomizer> customizers;

	private final LockedInvocations invocations;

	LockedMethodFactory(ConfigurableBeanFactory beanFactory, Supplier<LockService> service,
			ObjectProvider<LockOptionsCustomizer> customizers) {
		this.reader = new LockDeclarationReader(beanFactory);
		this.parser = new LockExpressionParser(beanFactory);
		this.service = service;
		this.customizers = customizers;
		this.invocations = new LockedInvocations(service);
	}

	LockedMethod create(LockedMethodReference method, List<MergedAnnotation<DistributedLock>> annotations) {
		LockedInvocation invocation = this.invocations.of(method);
		List<LockSpecification> locks = annotations.stream()
			.map((annotation) -> specification(method, this.reader.read(annotation, method),
					LockAnnotations.declaringMethod(annotation, method.method())))
			.toList();
		checkHandleParameter(method, locks);
		return new LockedMethod(method, locks, invocation);
	}

	private LockSpecification specification(LockedMethodReference method, LockDeclaration declaration,
			Method declaring) {
		LockExpressionParser.Scope scope = this.parser.scopeOf(method, declaring);
		LockNames names = LockNames.of(declaration.names(), scope);
		String literal = (names.areEvaluated() || names.asWritten().size() > 1) ? null : names.asWritten().get(0);
		String label = (literal != null && !declaration.names().isEmpty()) ? literal : method.shortName();
		List<String> declaredNames = (literal != null && !literal.equals(label)) ? List.of(label, literal)
				: List.of(label);
		LockCondition condition = StringUtils.hasText(declaration.condition())
				? new LockCondition(method, declaration.condition(), scope.evaluatedCondition(declaration.condition()))
				: null;
		return new LockSpecification(label, names, condition,
				SingletonSupplier.of(() -> options(method, declaration, declaredNames)),
				onContention(method, declaration), method.parameterIndexOf(LockHandle.class), declaration, scope);
	}

	private LockOptions options(LockedMethodReference method, LockDeclaration declaration, List<String> names) {
		String label = names.get(0);
		try {
			LockOptions options = declaration.over(this.service.get().defaults().withLabel(label));
			for (LockOptionsCustomizer customizer : this.customizers.orderedStream().toList()) {
				for (String name : names) {
					options = customizer.customize(name, options);
				}
			}
			return options.withLabel(label);
		}
		catch (IllegalArgumentException ex) {
			throw LockDeclarationReader.contradiction(method, declaration, ex);
		}
	}

	private ContentionHandler onContention(LockedMethodReference method, LockDeclaration declaration) {
		if (StringUtils.hasText(declaration.fallbackMethod())) {
			return FallbackMethod.named(declaration.fallbackMethod(), method);
		}
		return (declaration.onContention() == OnContention.SKIP) ? SkippingHandler.of(method)
				: ContentionHandler.RETHROW;
	}

	private static void checkHandleParameter(LockedMethodReference method, List<LockSpecification> locks) {
		long count = Arrays.stream(method.method().getParameterTypes()).filter(LockHandle.class::equals).count();
		if (count > 1 || (count == 1 && locks.size() > 1)) {
			throw new InvalidLockDefinitionException(Kind.HANDLE_PARAMETER, method, "name",
					String.join("\", \"", locks.stream().flatMap((lock) -> lock.names().asWritten().stream()).toList()),
					"The method has " + count + " parameters of type LockHandle for " + locks.size() + " annotations.",
					"Name all locks in one annotation and take one LockHandle; its parts() are the single locks.",
					null);
		}
	}

}
