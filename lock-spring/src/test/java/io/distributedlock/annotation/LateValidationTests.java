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

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import com.example.elsewhere.PackagePrivateLock;
import io.distributedlock.LockContext;
import io.distributedlock.LockService;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for the validation of beans that are no eager singletons of a class that their
 * definition names.
 */
class LateValidationTests {

	private static final ThreadLocal<Supplier<Service>> PRODUCT = new ThreadLocal<>();

	private final GenericApplicationContext context = context(LockValidation.FAIL);

	@AfterEach
	void close() {
		this.context.close();
	}

	/**
	 * Each way of registration, whether the class is known at start-up, and whether the
	 * bean can be locked at all.
	 */
	static Stream<Arguments> registrations() {
		return Stream.of(registration("lazy", true, (context) -> define(context, (definition) -> {
			definition.setLazyInit(true);
		})), registration("prototype", true, (context) -> define(context, (definition) -> {
			definition.setScope(BeanDefinition.SCOPE_PROTOTYPE);
		})), registration("factory bean", true,
				(context) -> context.registerBean("bean", Factory.class, () -> new Factory(product()))),
				registration("lazy supplier of an interface", false,
						(context) -> context.registerBean("bean", Service.class, LateValidationTests::product,
								(definition) -> definition.setLazyInit(true))),
				registration("prototype supplier of an interface", false,
						(context) -> context.registerBean("bean", Service.class, LateValidationTests::product,
								(definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE))));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("registrations")
	void invalidClassIsRefusedAtStartOrWithTheFirstBean(String name, boolean atStart,
			Consumer<GenericApplicationContext> registration) {
		PRODUCT.set(FinalMethod::new);
		registration.accept(this.context);
		if (atStart) {
			assertThatExceptionOfType(LockValidationException.class).isThrownBy(this.context::refresh)
				.withMessageContaining("FinalMethod.isLocked(): The method is final");
			return;
		}
		this.context.refresh();
		for (int attempt = 0; attempt < 2; attempt++) {
			assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> this.context.getBean("bean"))
				.withRootCauseInstanceOf(LockValidationException.class)
				.withStackTraceContaining("FinalMethod.isLocked(): The method is final");
		}
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("registrations")
	void validClassIsLocked(String name, boolean atStart, Consumer<GenericApplicationContext> registration) {
		PRODUCT.set(Correct::new);
		registration.accept(this.context);
		this.context.refresh();
		assertThat(this.context.getBean("bean", Service.class).isLocked()).isTrue();
	}

	@Test
	void invalidClassOfBeansCreatedDuringTheStartIsRefused() {
		PRODUCT.set(FinalMethod::new);
		this.context.registerBean("bean", Service.class, LateValidationTests::product,
				(definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE));
		this.context.registerBean("user", String.class, () -> "used " + this.context.getBean("bean"));
		assertThatExceptionOfType(LockValidationException.class).isThrownBy(this.context::refresh);
	}

	@Test
	void aFinishedObjectIsRefused() {
		this.context.getBeanFactory().registerSingleton("bean", new Correct());
		assertThatExceptionOfType(LockValidationException.class).isThrownBy(this.context::refresh)
			.withMessageContaining("Bean 'bean' was registered as a finished object");
	}

	@Test
	void invalidBeanOfAChildWithTheAdvisorOfItsParentIsRefused() {
		this.context.refresh();
		try (GenericApplicationContext child = child()) {
			child.registerBean("bean", FinalMethod.class);
			assertThatExceptionOfType(BeanCreationException.class).isThrownBy(child::refresh)
				.withRootCauseInstanceOf(LockValidationException.class);
		}
		try (GenericApplicationContext child = child()) {
			child.registerBean("bean", Correct.class);
			child.refresh();
			assertThat(child.getBean(Correct.class).isLocked()).isTrue();
		}
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("registrations")
	void warningIsRefusedAtStartOrWithTheFirstBeanIfTheValidationIsStrict(String name, boolean atStart,
			Consumer<GenericApplicationContext> registration) {
		PRODUCT.set(CallsItself::new);
		registration.accept(this.context);
		this.context.refresh();
		assertThat(this.context.getBean("bean", Service.class).isLocked()).isTrue();
		try (GenericApplicationContext strict = context(LockValidation.STRICT)) {
			registration.accept(strict);
			if (atStart) {
				assertThatExceptionOfType(LockValidationException.class).isThrownBy(strict::refresh)
					.withMessageContaining("on this object and not through its proxy");
				return;
			}
			strict.refresh();
			for (int attempt = 0; attempt < 2; attempt++) {
				assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> strict.getBean("bean"))
					.withRootCauseInstanceOf(LockValidationException.class);
			}
		}
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("registrations")
	void validClassIsLockedIfTheValidationIsStrict(String name, boolean atStart,
			Consumer<GenericApplicationContext> registration) {
		PRODUCT.set(Correct::new);
		try (GenericApplicationContext strict = context(LockValidation.STRICT)) {
			registration.accept(strict);
			strict.refresh();
			assertThat(strict.getBean("bean", Service.class).isLocked()).isTrue();
		}
	}

	@Test
	void aPackagePrivateMethodOfAnotherPackageIsRefused() {
		this.context.registerBean("bean", Inheriting.class);
		assertThatExceptionOfType(LockValidationException.class).isThrownBy(this.context::refresh)
			.satisfies((ex) -> assertThat(ex.getFindings()).extracting(LockFinding::location)
				.containsExactly(Inheriting.class.getName() + ".packagePrivate()"))
			.withMessageContaining("package-private in com.example.elsewhere");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void ifFindingsAreOnlyToBeLoggedLateOnesAreLoggedOnce(CapturedOutput output) {
		PRODUCT.set(FinalMethod::new);
		try (GenericApplicationContext context = context(LockValidation.WARN)) {
			context.registerBean("bean", Service.class, LateValidationTests::product,
					(definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE));
			context.refresh();
			LockedMethodRegistry registry = context.getBean(LockedMethodRegistry.class);
			assertThat(registry.findings()).isEmpty();
			assertThat(context.getBean("bean")).isNotNull();
			assertThat(context.getBean("bean")).isNotNull();
			assertThat(registry.findings()).extracting(LockFinding::location)
				.containsExactly(FinalMethod.class.getName() + ".isLocked()");
			registry.setValidation(LockValidation.OFF);
			assertThatIllegalStateException().isThrownBy(registry::findings)
				.withMessageContaining("Annotations are not validated.");
		}
		assertThat(output).containsOnlyOnce("FinalMethod.isLocked(): The method is final");
	}

	@Test
	void holdsAreLimitedWhicheverIsSetFirst() {
		PRODUCT.set(Correct::new);
		try (GenericApplicationContext context = context(LockValidation.FAIL)) {
			limit(context, Duration.ofSeconds(29));
			context.registerBean("bean", Correct.class);
			assertThatExceptionOfType(LockValidationException.class).isThrownBy(context::refresh)
				.withMessageContaining("Its lock can be held for 30s, and this application allows 29s.");
		}
		try (GenericApplicationContext context = context(LockValidation.FAIL)) {
			limit(context, Duration.ofSeconds(30));
			context.registerBean("bean", Correct.class);
			context.refresh();
		}
	}

	@Test
	void limitThatNothingChecksIsRefused() {
		try (GenericApplicationContext context = context(LockValidation.OFF)) {
			limit(context, Duration.ofSeconds(30));
			assertThatIllegalStateException().isThrownBy(context::refresh)
				.withMessageContaining("A limit of holds is set, and nothing checks it");
		}
	}

	/** When the registry exists, and its validation is set. */
	private static void limit(GenericApplicationContext context, Duration limit) {
		context.getBeanFactory().addBeanPostProcessor(new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String name) {
				if (bean instanceof LockedMethodRegistry registry) {
					registry.setMaxHoldLimit(limit);
				}
				return bean;
			}

		});
	}

	private static Service product() {
		return PRODUCT.get().get();
	}

	@SuppressWarnings("unchecked")
	private static void define(GenericApplicationContext context, Consumer<BeanDefinition> customizer) {
		Class<Service> type = (Class<Service>) product().getClass();
		context.registerBean("bean", type, customizer::accept);
	}

	private static Arguments registration(String name, boolean atStart,
			Consumer<GenericApplicationContext> registration) {
		return Arguments.of(name, atStart, registration);
	}

	private static GenericApplicationContext context(LockValidation validation) {
		GenericApplicationContext context = new GenericApplicationContext();
		context.registerBean(LockService.class, RecordingLockService::new);
		LockFixture.applyLocks(context, validation);
		return context;
	}

	private GenericApplicationContext child() {
		GenericApplicationContext child = new GenericApplicationContext(this.context);
		AopConfigUtils.registerAspectJAutoProxyCreatorIfNecessary(child);
		AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(child);
		return child;
	}

	public interface Service {

		boolean isLocked();

	}

	static class Correct implements Service {

		@Override
		@DistributedLock("correct")
		public boolean isLocked() {
			return LockContext.current().isPresent();
		}

	}

	static class FinalMethod implements Service {

		@Override
		@DistributedLock("final")
		public final boolean isLocked() {
			return LockContext.current().isPresent();
		}

	}

	static class CallsItself implements Service {

		@Override
		@DistributedLock("itself")
		public boolean isLocked() {
			return LockContext.current().isPresent();
		}

		boolean unlocked() {
			return isLocked();
		}

	}

	static class Inheriting extends PackagePrivateLock {

	}

	/**
	 * Makes what it was given.
	 */
	record Factory(Service product) implements FactoryBean<Service> {

		@Override
		public Service getObject() {
			return this.product;
		}

		@Override
		public Class<?> getObjectType() {
			return this.product.getClass();
		}

	}

}
