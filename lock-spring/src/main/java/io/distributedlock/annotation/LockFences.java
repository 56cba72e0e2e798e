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

import java.lang.reflect.AnnotatedElement;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.annotation.InvalidLockDefinitionException.Kind;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.ReactiveTypes;
import io.distributedlock.annotation.internal.LockWarningFilter;
import io.distributedlock.fencing.FencedTransactionPostProcessor;
import io.distributedlock.fencing.Fences;
import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.util.function.SingletonSupplier;

/**
 * Makes the fences of methods, and refuses those that no transaction would claim.
 */
final class LockFences {

	private static final Set<String> WITHOUT_TRANSACTION = Set.of("SUPPORTS", "NOT_SUPPORTED", "NEVER");

	/** A text in an expression. */
	private static final Pattern TEXT = Pattern.compile("'((?:[^']|'')*)'");

	private static final String PROGRAMMATIC = "leave out 'fenced' and call Fences.claim(handle) at the start of each transaction.";

	private final ConfigurableListableBeanFactory beanFactory;

	LockFences(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/**
	 * Return the fence of a method.
	 * @throws InvalidLockDefinitionException if no transaction would claim it
	 */
	LockFence of(AnnotatedMethod method) {
		if (ReactiveTypes.adapterFor(method) != null) {
			throw refused(method,
					"The method is reactive, and nothing can be run when a reactive transaction begins: nothing would claim the fence.",
					"Compare the fencing token in the statements of the method.");
		}
		Transactional transactional = Transactional.of(method);
		if (transactional == null) {
			throw refused(method, "Neither the method nor its class is @Transactional: nothing would claim the fence.",
					"Add @Transactional. Or, if the method begins transactions in another way, " + PROGRAMMATIC);
		}
		if (WITHOUT_TRANSACTION.contains(transactional.propagation())) {
			throw refused(method,
					"The method is @Transactional with %s, which does not begin a transaction: nothing would claim the fence."
						.formatted(transactional.propagation()),
					"Use REQUIRED, REQUIRES_NEW, NESTED or MANDATORY. Or " + PROGRAMMATIC);
		}
		if (transactional.readOnly()) {
			throw refused(method,
					"The transaction of the method is read-only, and such a transaction claims no fence, because it writes nothing.",
					"Leave out 'fenced', or 'readOnly'.");
		}
		// Without creating them, which would be too early
		if (BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beanFactory, Fences.class, true,
				false).length == 0) {
			throw refused(method, "There is no data source whose transactions could claim the fence.",
					"Add spring-boot-starter-jdbc or spring-boot-starter-data-jpa, and configure a data source with a transaction manager. Or define a bean of type JdbcFences.");
		}
		return new LockFence(SingletonSupplier.of(() -> fences(method, transactional)));
	}

	/**
	 * Return the fences, when the transaction managers exist.
	 */
	private Fences fences(AnnotatedMethod method, Transactional transactional) {
		Fences fences = this.beanFactory.getBean(Fences.class);
		Object manager = transactional.manager(this.beanFactory);
		if (manager != null) {
			FencedTransactionPostProcessor.obstacle(manager, fences).ifPresent((obstacle) -> {
				throw refused(method,
						"Its transactions are those of %s, which claim no fence.".formatted(obstacle.manager()),
						obstacle.action() + " Or, if the transactions share the connection of one that claims, "
								+ PROGRAMMATIC);
			});
		}
		return fences;
	}

	/**
	 * Find methods whose writes are not fenced, although another method fences locks of
	 * the same names. Those that write nothing in a transaction, and those that cannot be
	 * fenced, are not among them.
	 */
	static List<LockFinding> unfenced(Collection<LockedMethod> methods) {
		Map<String, String> fenced = new HashMap<>();
		methods.forEach((method) -> method.locks()
			.stream()
			.filter((lock) -> lock.attributes().fenced())
			.flatMap(LockFences::patterns)
			.forEach((pattern) -> fenced.merge(pattern, method.annotated().description(),
					(one, other) -> (one.compareTo(other) <= 0) ? one : other)));
		if (fenced.isEmpty()) {
			return List.of();
		}
		return methods.stream()
			.filter((method) -> mayWriteInTransaction(method.annotated()))
			.flatMap((method) -> method.locks()
				.stream()
				.filter((lock) -> !lock.attributes().fenced())
				.flatMap(LockFences::patterns)
				.filter(fenced::containsKey)
				.limit(1)
				.flatMap((pattern) -> LockWarningFilter.of(List.of(method.annotated()
					.warning(
							"It is @Transactional under locks named like those that %s fences ('%s'), and is not fenced: a late holder can write in it."
								.formatted(fenced.get(pattern), Printable.of(pattern)),
							"Add fenced = true. Or, if it writes nothing that the other one protects, say so with @SuppressLockWarnings, or readOnly = true.")),
						method.annotated())
					.stream()))
			.toList();
	}

	private static boolean mayWriteInTransaction(AnnotatedMethod method) {
		Transactional transactional = Transactional.of(method);
		return transactional != null && !transactional.readOnly()
				&& !WITHOUT_TRANSACTION.contains(transactional.propagation())
				&& ReactiveTypes.adapterFor(method) == null;
	}

	/**
	 * Return what is fixed of the names: two methods seldom call an argument the same.
	 */
	private static Stream<String> patterns(LockOperation lock) {
		return lock.names().asWritten().stream().map((name) -> {
			if (!name.contains("'")) {
				return name;
			}
			return TEXT.matcher(name).results().map((text) -> text.group(1)).collect(Collectors.joining("*", "", "*"));
		});
	}

	/**
	 * Refuse a method of an application whose beans cannot be listed.
	 */
	static InvalidLockDefinitionException withoutBeans(AnnotatedMethod method) {
		return refused(method,
				"The bean factory does not list its beans, so nothing that could claim the fence is found.",
				"Use an ApplicationContext. Or " + PROGRAMMATIC);
	}

	private static InvalidLockDefinitionException refused(AnnotatedMethod method, String problem, String action) {
		return method.invalid(Kind.FENCE, "fenced", "true", problem, action);
	}

	/**
	 * What an annotation says about the transaction of a method. Those of Spring and of
	 * Jakarta are read, which need not be on the class path.
	 *
	 * @param propagation how the transaction relates to that of the caller
	 * @param readOnly whether it is read-only
	 * @param manager the name of the transaction manager, or an empty text
	 * @param ofClass the qualifier of the class, which names one as well if there is one
	 * of that name
	 */
	private record Transactional(String propagation, boolean readOnly, String manager, @Nullable String ofClass) {

		static @Nullable Transactional of(AnnotatedMethod method) {
			String ofClass = BeanFactoryAnnotationUtils.getQualifierValue(method.targetClass());
			return Stream
				.<AnnotatedElement>of(method.method(), method.targetClass(), method.method().getDeclaringClass())
				.map((element) -> on(element, ofClass))
				.filter(Objects::nonNull)
				.findFirst()
				.orElse(null);
		}

		private static @Nullable Transactional on(AnnotatedElement element, @Nullable String ofClass) {
			MergedAnnotations annotations = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY);
			MergedAnnotation<?> spring = annotations.get("org.springframework.transaction.annotation.Transactional");
			if (spring.isPresent()) {
				return new Transactional(String.valueOf(spring.getValue("propagation").orElse("REQUIRED")),
						spring.getBoolean("readOnly"), spring.getString("transactionManager"), ofClass);
			}
			MergedAnnotation<?> jakarta = annotations.get("jakarta.transaction.Transactional");
			return jakarta.isPresent() ? new Transactional(String.valueOf(jakarta.getValue("value").orElse("REQUIRED")),
					false, "", ofClass) : null;
		}

		/**
		 * Return the transaction manager.
		 * @return the bean, or {@code null} if it is not certain which one it is
		 */
		@Nullable Object manager(ConfigurableListableBeanFactory beanFactory) {
			String name = beanFactory.resolveEmbeddedValue(this.manager);
			if (name != null && !name.isEmpty()) {
				return qualified(name, beanFactory);
			}
			Object qualified = (this.ofClass != null) ? qualified(this.ofClass, beanFactory) : null;
			if (qualified != null) {
				return qualified;
			}
			TransactionManagementConfigurer configurer = beanFactory
				.getBeanProvider(TransactionManagementConfigurer.class)
				.getIfUnique();
			return (configurer != null) ? configurer.annotationDrivenTransactionManager()
					: beanFactory.getBeanProvider(TransactionManager.class).getIfUnique();
		}

		private static @Nullable Object qualified(String name, BeanFactory beanFactory) {
			try {
				return BeanFactoryAnnotationUtils.qualifiedBeanOfType(beanFactory, TransactionManager.class, name);
			}
			catch (BeansException ex) {
				return null;
			}
		}

	}

}
