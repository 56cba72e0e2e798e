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

import java.util.List;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import io.distributedlock.annotation.internal.expression.LockExpressionRoot;
import io.distributedlock.configuration.internal.LockedMethodSettings;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.aot.AotProcessingException;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.mockito.Mockito.mock;

/**
 * Tests for what processing ahead of time makes of an application with locks.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockAotTests {

	private static final InMemoryGeneratedFiles FILES = new InMemoryGeneratedFiles();

	private static RuntimeHints hints = new RuntimeHints();

	@BeforeAll
	static void process() {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.register(Locks.class, Shop.class, Plain.class);
		context.registerBean("prefixes", Prefixes.class);
		AopConfigUtils.registerAutoProxyCreatorIfNecessary(context);
		AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(context);
		DefaultGenerationContext generation = new DefaultGenerationContext(
				new ClassNameGenerator(ClassName.get(LockAotTests.class)), FILES);
		new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
		hints = generation.getRuntimeHints();
	}

	@Test
	void configurationForSpringAloneIsProcessed() {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.register(DistributedLockConfiguration.class, InMemoryLockStore.class);
		InMemoryGeneratedFiles files = new InMemoryGeneratedFiles();
		DefaultGenerationContext generation = new DefaultGenerationContext(
				new ClassNameGenerator(ClassName.get(LockAotTests.class)), files);
		new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
		generation.writeGeneratedContent();
		assertThat(files.getGeneratedFiles(Kind.SOURCE).keySet())
			.anyMatch((name) -> name.contains("LockServiceConfiguration__BeanDefinitions"))
			.anyMatch((name) -> name.contains("LockInterceptionConfiguration__BeanDefinitions"));
	}

	/**
	 * Neither a store nor a service is there ahead of time.
	 */
	@Test
	void mistakeEndsTheBuildWithTheReportOfTheStart() {
		Class<?>[] beans = { Mistakes.class, FinalMistake.class, Warned.class };
		LockValidationException atStart = catchThrowableOfType(LockValidationException.class,
				() -> context(beans, InMemoryLockStore.class).refresh());
		assertThatExceptionOfType(AotProcessingException.class)
			.isThrownBy(() -> process(context(beans, RefusedStore.class)))
			.withMessageContaining(atStart.getMessage())
			.havingCause()
			.isInstanceOfSatisfying(LockValidationException.class,
					(ex) -> assertThat(ex.getFindings()).hasSize(7).isEqualTo(atStart.getFindings()));
	}

	@Test
	void mistakesAheadOfTimeAreLoggedOrIgnoredAsAtTheStart(CapturedOutput output) {
		process(context(RefusedStore.class, Unvalidated.class, Warned.class));
		assertThat(output).doesNotContain("WARN");
		process(context(RefusedStore.class, Logged.class, Mistakes.class));
		assertThat(output).contains("WARN",
				"Mistakes.misspelt(long): @DistributedLock(name = \"pay:#{#od}\") cannot work. ");
	}

	@Test
	void warningAloneLetsTheBuildGoOn(CapturedOutput output) {
		process(context(RefusedStore.class, Warned.class));
		assertThat(output).contains("WARN", "Warned.literal(long): @DistributedLock(name = \"pay:{id}\") is a literal");
	}

	/**
	 * The configuration at run time may give a longer lease.
	 */
	@Test
	void optionsAreLeftToTheStart() {
		process(context(RefusedStore.class, LongMinHold.class));
		assertThatExceptionOfType(LockValidationException.class)
			.isThrownBy(() -> context(InMemoryLockStore.class, LongMinHold.class).refresh())
			.withMessageContaining("The minimum hold is 5m");
	}

	@Test
	void applicationWithoutLocksIsProcessed() {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.register(Plain.class);
		assertThatNoException().isThrownBy(() -> process(context));
	}

	private static AnnotationConfigApplicationContext context(Class<?>[] beans, Class<?>... others) {
		AnnotationConfigApplicationContext context = context(others);
		context.register(beans);
		return context;
	}

	private static AnnotationConfigApplicationContext context(Class<?>... beans) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.register(DistributedLockConfiguration.class);
		context.register(beans);
		return context;
	}

	private static void process(AnnotationConfigApplicationContext context) {
		new ApplicationContextAotGenerator().processAheadOfTime(context, new DefaultGenerationContext(
				new ClassNameGenerator(ClassName.get(LockAotTests.class)), new InMemoryGeneratedFiles()));
	}

	@Test
	void theAnnotationCanBeRead() {
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(DistributedLock.class)
			.withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS)).accepts(hints);
	}

	@Test
	void aLockedMethodAndItsFallbackCanBeCalled() throws NoSuchMethodException {
		RuntimeHints own = hintsFor(Shop.class);
		assertThat(RuntimeHintsPredicates.reflection()
			.onMethodInvocation(Shop.class.getDeclaredMethod("pay", Order.class))).accepts(own);
		assertThat(RuntimeHintsPredicates.reflection()
			.onMethodInvocation(Shop.class.getDeclaredMethod("refuse", Order.class, LockNotAcquiredException.class)))
			.accepts(own);
		assertThat(RuntimeHintsPredicates.reflection()
			.onMethodInvocation(Shop.class.getDeclaredMethod("unrelated", Order.class))).rejects(own);
	}

	/**
	 * Without what Spring adds for proxies.
	 */
	private static RuntimeHints hintsFor(Class<?> type) {
		DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
		beanFactory.registerBeanDefinition("bean", new RootBeanDefinition(type));
		DefaultGenerationContext generation = new DefaultGenerationContext(
				new ClassNameGenerator(ClassName.get(LockAotTests.class)), new InMemoryGeneratedFiles());
		BeanRegistrationAotContribution contribution = new LockedBeanAotProcessor()
			.processAheadOfTime(RegisteredBean.of(beanFactory, "bean"));
		assertThat(contribution).isNotNull();
		contribution.applyTo(generation, mock(BeanRegistrationCode.class));
		return generation.getRuntimeHints();
	}

	@ParameterizedTest
	@ValueSource(classes = { Order.class, Customer.class, Tenant.class, Prefixes.class, Constants.class,
			LockExpressionRoot.class })
	void typesReadByExpressionsHaveHints(Class<?> type) {
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(type)
			.withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS)).accepts(hints);
	}

	@Test
	void typesNotReadByExpressionsHaveNoHints() {
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(Address.class)
			.withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS)).rejects(hints);
	}

	@Test
	void theProxyOfALockedBeanIsMadeAheadOfTime() {
		List<String> classes = List.copyOf(FILES.getGeneratedFiles(Kind.CLASS).keySet());
		assertThat(classes).anyMatch((name) -> name.contains("LockAotTests$Shop$$SpringCGLIB"))
			.noneMatch((name) -> name.contains("LockAotTests$Plain$$SpringCGLIB"));
	}

	static class Locks {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static LockedMethodRegistry lockedMethodRegistry(ConfigurableBeanFactory beanFactory,
				ObjectProvider<LockService> service, ObjectProvider<LockOptionsCustomizer> customizers) {
			return new LockedMethodRegistry(beanFactory, service, customizers);
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static DistributedLockAdvisor distributedLockAdvisor(LockedMethodRegistry registry) {
			return new DistributedLockAdvisor(registry);
		}

		@Bean
		static RecordingLockService lockService() {
			throw new IllegalStateException("Nobody needs a lock service ahead of time.");
		}

	}

	static class Shop {

		@DistributedLock(
				name = { "pay:#{#order.customer.name}", "@prefixes.of(#order)",
						"T(io.distributedlock.annotation.LockAotTests$Constants).NAME" },
				condition = "#root.target.enabled", fallbackMethod = "refuse")
		public void pay(Order order) {
		}

		@DistributedLock(name = "export", permitsString = "#tenant.exports")
		public void export(Tenant tenant) {
		}

		void refuse(Order order, LockNotAcquiredException busy) {
		}

		void unrelated(Order order) {
		}

		public boolean isEnabled() {
			return true;
		}

	}

	static class RefusedStore {

		@Bean
		static InMemoryLockStore lockStore() {
			throw new IllegalStateException("Nobody needs a lock store ahead of time.");
		}

	}

	static class Logged {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static LockedMethodSettings settings() {
			return new LockedMethodSettings(LockValidation.WARN, DistributedLockAdvisor.DEFAULT_ORDER, null);
		}

	}

	static class Unvalidated {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static LockedMethodSettings settings() {
			return new LockedMethodSettings(LockValidation.OFF, DistributedLockAdvisor.DEFAULT_ORDER, null);
		}

	}

	static class Mistakes {

		@DistributedLock(name = "pay:#{#od}")
		public void misspelt(long id) {
		}

		@DistributedLock(name = "pay:#{@nobody.name(#id)}")
		public void withoutBean(long id) {
		}

		@DistributedLock(name = "a", condition = "#id + 1")
		public void noCondition(long id) {
		}

		@DistributedLock(name = "a")
		private void hidden() {
		}

		public void calls() {
			misspelt(1);
		}

	}

	static final class FinalMistake {

		@DistributedLock(name = "a")
		public void run() {
		}

	}

	static class Warned {

		@DistributedLock(name = "pay:{id}")
		public void literal(long id) {
		}

	}

	static class LongMinHold {

		@DistributedLock(name = "a", minHoldString = "5m")
		public void run() {
		}

	}

	static class Plain {

		void pay(Address address) {
		}

	}

	record Order(Customer customer, Address address) {

		public Customer getCustomer() {
			return this.customer;
		}

	}

	record Customer(String name) {
	}

	record Tenant(int exports) {
	}

	record Address(String street) {
	}

	static class Prefixes {

		public String of(Order order) {
			return "order";
		}

	}

	static class Constants {

		public static final String NAME = "name";

	}

}
