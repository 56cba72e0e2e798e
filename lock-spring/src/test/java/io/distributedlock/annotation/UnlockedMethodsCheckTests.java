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

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.distributedlock.LockContext;
import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.core.env.MapPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.spy;

/**
 * Tests for the one warning of methods that no proxy locks: each cause beside what mends
 * it, and what must not be warned of.
 */
@ExtendWith(OutputCaptureExtension.class)
class UnlockedMethodsCheckTests {

	private static final String UNLOCKED = "1 method with a lock annotation runs without a lock in context 'tested', for example "
			+ Work.class.getName() + ".isLocked(). ";

	private final RecordingLockService locks = new RecordingLockService();

	@Test
	void withoutAnyConfigurationMethodsAreWarnedOf(CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = start(null, checking(), Work.class)) {
			assertThat(context.getBean(Work.class).isLocked()).isFalse();
		}
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains(UNLOCKED + "No configuration applies the annotation: this is lock-spring without the starter.");
	}

	@Test
	void strictValidationRefusesMethodsThatNoProxyLocks() {
		Consumer<AnnotationConfigApplicationContext> strict = checking()
			.andThen(setting("distributed-lock.validation", "strict"));
		assertThatIllegalStateException().isThrownBy(() -> start(null, strict, Work.class))
			.withMessageStartingWith(UNLOCKED)
			.withMessageEndingWith(
					"To start nevertheless, set 'distributed-lock.validation' to 'fail', with Spring Boot.");
		start(null, strict, Work.class, Locks.class).close();
	}

	@Test
	void importNamedByTheWarningLocksTheMethods(CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = start(null, checking(), Work.class, Locks.class)) {
			assertThat(context.getBean(Work.class).isLocked()).isTrue();
		}
		assertThat(warnings(output)).isEmpty();
	}

	@Test
	void beansOfAChildAreWarnedOfOnceAlthoughTwoChecksHearOfThem(CapturedOutput output) {
		try (AnnotationConfigApplicationContext parent = start(null, checking(), Locks.class);
				AnnotationConfigApplicationContext child = start(parent, checking(), Work.class)) {
			assertThat(child.getBean(Work.class).isLocked()).isFalse();
		}
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains(UNLOCKED + "Only the parent context configures locks");
	}

	@Test
	void parentWarnsAboutBeansOfAManuallyCreatedChild(CapturedOutput output) {
		try (AnnotationConfigApplicationContext parent = start(null, (context) -> {
		}, Locks.class); AnnotationConfigApplicationContext child = start(parent, (context) -> {
		}, Work.class)) {
			assertThat(child.getBean(Work.class).isLocked()).isFalse();
		}
		assertThat(warnings(output)).hasSize(1);
	}

	@ParameterizedTest
	@ValueSource(classes = { Locks.class, AspectJ.class })
	void childWithProxiesOfItsOwnCausesNoWarning(Class<?> configuration, CapturedOutput output) {
		try (AnnotationConfigApplicationContext parent = start(null, checking(), Locks.class);
				AnnotationConfigApplicationContext child = start(parent, checking(), configuration, LazyBeans.class)) {
			assertThat(child.getBean("lazy", Work.class).isLocked()).isTrue();
			assertThat(child.getBean("prototype", Work.class).isLocked()).isTrue();
		}
		assertThat(warnings(output)).isEmpty();
	}

	@Test
	void proxiesOfAnotherCreatorAreWarnedOf(CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = start(null, checking(), Work.class, OtherCreator.class)) {
			assertThat(context.getBean(Work.class).isLocked()).isFalse();
		}
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains(UNLOCKED
					+ "The context has a DistributedLockAdvisor, but the proxies of these beans do not apply it");
	}

	static Stream<Class<?>> laterBeans() {
		return Stream.of(LazyBeans.class, ScopedBean.class, Factory.class);
	}

	@ParameterizedTest
	@MethodSource("laterBeans")
	void uncreatedBeansCauseAWarningOnlyWithoutLocks(Class<?> beans, CapturedOutput output) {
		start(null, checking(), beans, Locks.class).close();
		assertThat(warnings(output)).isEmpty();
		start(null, checking(), beans, Unvalidated.class).close();
		assertThat(warnings(output)).isEmpty();
		start(null, checking(), beans).close();
		assertThat(warnings(output)).singleElement().asString().contains(UNLOCKED);
	}

	@ParameterizedTest
	@ValueSource(strings = { "distributed-lock.enabled=false", "distributed-lock.annotation.enabled=OFF",
			"distributed-lock.enabled=0", "distributed-lock.annotation.enabled=no" })
	void disabledCheckDoesNotWarn(String property, CapturedOutput output) {
		String[] parts = property.split("=");
		start(null, checking().andThen(setting(parts[0], parts[1])), Work.class).close();
		start(null, checking(), Work.class, SwitchedOff.class).close();
		assertThat(warnings(output)).isEmpty();
	}

	@Test
	void mocksAreNotWarnedOfAndSpiesAre(CapturedOutput output) {
		start(null, checking().andThen(registering(mock(Work.class)))).close();
		assertThat(warnings(output)).isEmpty();
		start(null, registering(mock(Work.class)), Locks.class).close();
		start(null, checking().andThen(registering(spy(new Work())))).close();
		assertThat(warnings(output)).hasSize(1);
	}

	@Test
	void nothingAnnotatedIsNotWarnedOf(CapturedOutput output) {
		start(null, checking(), UnlockedMethodsCheckTests.class, OtherAnnotation.class).close();
		assertThat(warnings(output)).isEmpty();
	}

	@Test
	void otherAnnotationOfTheSameNameIsWarnedAboutOnce(CapturedOutput output) {
		start(null, checking(), Locks.class, OtherAnnotation.class, OtherAnnotationAsWell.class).close();
		assertThat(output.toString().lines().filter((line) -> line.contains("WARN"))).singleElement()
			.asString()
			.endsWith(OtherAnnotation.class.getName() + ".run(): It is annotated with "
					+ Other.DistributedLock.class.getName()
					+ ", which is not the annotation of this library: it takes no lock of it. Import io.distributedlock.annotation.DistributedLock. If the other annotation is meant, say so with @SuppressLockWarnings.");
	}

	@Test
	void otherAnnotationOfTheSameNameCanBeIntended(CapturedOutput output) {
		start(null, checking(), Locks.class, OtherAnnotationOnPurpose.class).close();
		assertThat(output.toString().lines().filter((line) -> line.contains("WARN"))).isEmpty();
	}

	private AnnotationConfigApplicationContext start(@Nullable AnnotationConfigApplicationContext parent,
			Consumer<AnnotationConfigApplicationContext> settings, Class<?>... classes) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.setId("tested");
		if (parent != null) {
			context.setParent(parent);
		}
		else {
			context.registerBean(LockService.class, () -> this.locks);
		}
		settings.accept(context);
		if (classes.length > 0) {
			context.register(classes);
		}
		context.refresh();
		return context;
	}

	/** Spring Boot adds the check to each of its contexts. */
	private static Consumer<AnnotationConfigApplicationContext> checking() {
		return (context) -> context.addApplicationListener(new UnlockedMethodsCheck());
	}

	private static Consumer<AnnotationConfigApplicationContext> setting(String property, String value) {
		return (context) -> context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("setting", Map.of(property, value)));
	}

	private static Consumer<AnnotationConfigApplicationContext> registering(Object singleton) {
		return (context) -> context.getBeanFactory().registerSingleton("work", singleton);
	}

	private static List<String> warnings(CapturedOutput output) {
		return output.toString().lines().filter((line) -> line.contains("without a lock in context")).toList();
	}

	static class Work {

		@DistributedLock(name = "work")
		public boolean isLocked() {
			return LockContext.current().isPresent();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(DistributedLockConfiguration.class)
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	static class Locks {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	static class AspectJ {

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyBeans {

		@Bean
		@Lazy
		Work lazy() {
			return new Work();
		}

		@Bean
		@Scope("prototype")
		Work prototype() {
			return new Work();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedBean {

		@Bean
		@Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
		Work scoped() {
			return new Work();
		}

	}

	static class Factory implements FactoryBean<Work> {

		@Override
		public Work getObject() {
			return new Work();
		}

		@Override
		public Class<?> getObjectType() {
			return Work.class;
		}

	}

	static class OtherCreator {

		@Bean
		static BeanNameAutoProxyCreator creator() {
			BeanNameAutoProxyCreator creator = new BeanNameAutoProxyCreator();
			creator.setBeanNames("*Work");
			creator.setProxyTargetClass(true);
			return creator;
		}

		@Bean
		static DistributedLockAdvisor distributedLockAdvisor(ConfigurableBeanFactory beans,
				ObjectProvider<LockService> service, ObjectProvider<LockOptionsCustomizer> customizers) {
			return new DistributedLockAdvisor(new LockedMethodRegistry(beans, service, customizers));
		}

	}

	/** As with distributed-lock.validation=off. */
	static class Unvalidated extends Locks {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static LockedMethodRegistry lockedMethodRegistry(ConfigurableBeanFactory beans,
				ObjectProvider<LockService> service, ObjectProvider<LockOptionsCustomizer> customizers) {
			return new LockedMethodRegistry(beans, service, customizers);
		}

	}

	static class SwitchedOff {

		@Bean
		static DisposableBean unlocked() {
			return LockedMethodRegistry.withoutLocks();
		}

	}

	interface Other {

		@Retention(RetentionPolicy.RUNTIME)
		@interface DistributedLock {

			String name();

		}

	}

	static class OtherAnnotation {

		@Other.DistributedLock(name = "a")
		public void run() {
		}

	}

	@Other.DistributedLock(name = "a")
	static class OtherAnnotationAsWell {

	}

	static class OtherAnnotationOnPurpose {

		@SuppressLockWarnings
		@Other.DistributedLock(name = "a")
		public void run() {
		}

	}

}
