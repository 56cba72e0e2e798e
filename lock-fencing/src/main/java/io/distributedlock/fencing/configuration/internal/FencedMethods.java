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

package io.distributedlock.fencing.configuration.internal;

import java.util.function.Supplier;

import io.distributedlock.LockHandle;
import io.distributedlock.annotation.InvalidLockDefinitionException;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.LockFence;
import io.distributedlock.annotation.internal.LockFences;
import io.distributedlock.annotation.internal.ReactiveTypes;
import io.distributedlock.fencing.FencedTransactionPostProcessor;
import io.distributedlock.fencing.Fences;
import io.distributedlock.fencing.internal.FencedLocks;
import io.distributedlock.internal.Printable;
import io.distributedlock.transaction.internal.DeclaredTransaction;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.util.Assert;
import org.springframework.util.function.SingletonSupplier;

/**
 * Creates the fences of methods, and refuses fences that no transaction would claim.
 */
record FencedMethods(ConfigurableListableBeanFactory beanFactory) implements LockFences {

	private static final String PROGRAMMATIC = "leave out 'fenced' and call Fences.claim(handle) at the start of each transaction.";

	@Override
	public LockFence of(AnnotatedMethod method) {
		if (ReactiveTypes.adapterFor(method) != null) {
			throw refused(method,
					"The method is reactive, and nothing can be run when a reactive transaction begins: nothing would claim the fence.",
					"Compare the fencing token in the statements of the method.");
		}
		DeclaredTransaction transactional = DeclaredTransaction.on(method.method(), method.targetClass(),
				method.method().getDeclaringClass());
		if (transactional == null) {
			throw refused(method, "Neither the method nor its class is @Transactional: nothing would claim the fence.",
					"Add @Transactional. Or, if the method begins transactions in another way, " + PROGRAMMATIC);
		}
		if (!transactional.isTransactional()) {
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
					"Declare a DataSource and its transaction manager as beans, which spring-boot-starter-jdbc and spring-boot-starter-data-jpa do with Spring Boot. Or declare a bean of type JdbcFences.");
		}
		return new FencedMethod(SingletonSupplier.of(() -> fences(method, transactional)));
	}

	/**
	 * Called when the transaction managers exist.
	 */
	private Fences fences(AnnotatedMethod method, DeclaredTransaction transactional) {
		Fences fences = this.beanFactory.getBean(Fences.class);
		Object manager = certainManagerOf(method, transactional.manager());
		if (manager != null) {
			FencedTransactionPostProcessor.obstacle(manager, fences).ifPresent((obstacle) -> {
				throw refused(method,
						"Its transactions claim no fence: they are those of %s.".formatted(obstacle.manager()),
						obstacle.action() + " Or, if the transactions share the connection of one that claims, "
								+ PROGRAMMATIC);
			});
		}
		return fences;
	}

	private static InvalidLockDefinitionException refused(AnnotatedMethod method, String problem, String action) {
		return method.invalid("fenced", "true", problem, action);
	}

	private @Nullable Object certainManagerOf(AnnotatedMethod method, String declared) {
		String name = this.beanFactory.resolveEmbeddedValue(declared);
		if (name != null && !name.isEmpty()) {
			return qualified(name);
		}
		String ofClass = BeanFactoryAnnotationUtils.getQualifierValue(method.targetClass());
		Object qualified = (ofClass != null) ? qualified(ofClass) : null;
		if (qualified != null) {
			return qualified;
		}
		TransactionManagementConfigurer configurer = this.beanFactory
			.getBeanProvider(TransactionManagementConfigurer.class)
			.getIfUnique();
		return (configurer != null) ? configurer.annotationDrivenTransactionManager()
				: this.beanFactory.getBeanProvider(TransactionManager.class).getIfUnique();
	}

	private @Nullable Object qualified(String name) {
		try {
			return BeanFactoryAnnotationUtils.qualifiedBeanOfType(this.beanFactory, TransactionManager.class, name);
		}
		catch (BeansException ex) {
			return null;
		}
	}

	/**
	 * @param fences provides the fences
	 */
	private record FencedMethod(Supplier<Fences> fences) implements LockFence {

		@Override
		public void prepare() {
			this.fences.get();
		}

		@Override
		public void mark(LockHandle handle) {
			prepare();
			FencedLocks.mark(handle);
		}

		@Override
		public void assertClaimed(LockHandle handle) {
			Assert.state(FencedLocks.isClaimed(handle), () -> "No transaction has claimed the fence of lock '"
					+ Printable.of(handle.name())
					+ "': none has begun under the lock, although the method is @Transactional. What the method has "
					+ "written is not fenced. Enable transaction management for its bean, with a transaction manager "
					+ "of JDBC or JPA.");
		}

		@Override
		public void claim(LockHandle handle) {
			Fences fences = this.fences.get();
			if (fences.isInTransaction()) {
				FencedLocks.mark(handle);
				fences.claim(handle);
			}
		}

	}

}
