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

package io.distributedlock.weaving;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;

import aj.org.objectweb.asm.ClassReader;
import io.distributedlock.LockService;
import io.distributedlock.internal.WallClock;
import io.distributedlock.weaving.Bell.TowerBell;
import io.distributedlock.weaving.Till.Drawer;
import io.distributedlock.weaving.Till.InnerDrawer;
import io.distributedlock.weaving.Till.Safe;
import io.distributedlock.weaving.Till.SmallTill;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for the lock aspect under a weaving agent, which an execution of its own sets up.
 */
@Tag("weaving")
@EnabledIfSystemProperty(named = "distributedlock.weaving", matches = "true")
@EnabledIf(value = "theWeaverKnowsThisJdk", disabledReason = "AspectJ does not know this JDK: docs/weaving.md")
@ExtendWith(OutputCaptureExtension.class)
class LoadTimeWeavingTests {

	private final CountingLocks locks = new CountingLocks();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ours()))
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
		.withPropertyValues("distributed-lock.provider=in-memory")
		.withBean(LockService.class, this.locks::service);

	/**
	 * The weaver reads classes of the JDK, in whose format there is a newer version every
	 * half year.
	 */
	static boolean theWeaverKnowsThisJdk() throws IOException {
		try (InputStream type = Object.class.getResourceAsStream("Object.class")) {
			new ClassReader(type);
			return true;
		}
		catch (IllegalArgumentException ex) {
			return false;
		}
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	<T> void theLocksAreTakenOnce(String what, Class<T> bean, Consumer<T> call, List<String> names) {
		withBean(bean, (target) -> {
			assertThat(AopUtils.isAopProxy(target)).isEqualTo(bean != Safe.class);
			call.accept(target);
			assertThat(this.locks.take()).isEqualTo(names);
		});
	}

	static Stream<Arguments> theLocksAreTakenOnce() {
		return Stream.of(
				locks("a call through the proxy", Till.class, (till) -> assertThat(till.open(1)).isEqualTo(1),
						"open:1"),
				locks("a call within the bean", Till.class, (till) -> assertThat(till.openWithin(2)).isEqualTo(2),
						"open:2"),
				locks("a recursive call, for each name", Till.class, (till) -> till.nested(2), "nested:2", "nested:1",
						"nested:0"),
				locks("a private method", Till.class, (till) -> assertThat(till.hiddenWithin(3)).isEqualTo(3),
						"hidden:3"),
				locks("a final method", Till.class, (till) -> assertThat(till.fixed(5)).isEqualTo(5), "final"),
				locks("a static method", Till.class, (till) -> assertThat(Till.shared(6)).isEqualTo(6), "static:6"),
				locks("a method of a final class", Safe.class, (safe) -> assertThat(safe.unlock()).isEqualTo(1),
						"safe"),
				locks("a method of an object that is no bean", Till.class,
						(till) -> assertThat(new Till().open(7)).isEqualTo(7), "open:7"),
				locks("several annotations", Till.class, Till::both, "first", "second"),
				locks("several annotations within the bean", Till.class, Till::bothWithin, "first", "second"),
				locks("a meta-annotation", Till.class, Till::oursWithin, "ours"),
				locks("the annotation of the class", Drawer.class, (drawer) -> assertThat(drawer.pull()).isEqualTo(1),
						"type", "type"),
				locks("no method of Object", Drawer.class, (drawer) -> assertThat(drawer).hasToString("Drawer")),
				locks("the annotation of the superclass", InnerDrawer.class,
						(drawer) -> assertThat(drawer.lift()).isEqualTo(2), "type", "type"),
				locks("the annotation of the superclass of an object that is no bean", InnerDrawer.class,
						(drawer) -> assertThat(new InnerDrawer().lift()).isEqualTo(2), "type"),
				locks("a method that only inherits its annotation, by its proxy", SmallTill.class,
						(till) -> assertThat(till.open(8)).isEqualTo(8), "open:8"),
				locks("a future method that calls super, which enters its lock", Till.class,
						(till) -> assertThat(new SmallTill().later()).succeedsWithin(Duration.ofSeconds(10))
							.isEqualTo(2),
						"later"));
	}

	private static <T> Arguments locks(String what, Class<T> bean, Consumer<T> call, String... names) {
		return Arguments.of(what, bean, call, List.of(names));
	}

	@Test
	void fallbackAnswersForAPrivateMethod() {
		this.locks.refuse("hidden:4");
		withBean(Till.class, (till) -> assertThat(till.hiddenWithin(4)).isEqualTo(-4));
	}

	@Test
	void theHandleIsGivenToTheMethod() {
		withBean(Till.class, (till) -> {
			assertThat(till.handedWithin().name()).isEqualTo("handed");
			assertThat(till.handed(1, null).name()).isEqualTo("handed");
			assertThat(this.locks.take()).containsExactly("handed", "handed");
		});
	}

	@Test
	void reactiveMethodsAreLockedAtEachSubscription() {
		withBean(Till.class, (till) -> {
			var mono = till.reactiveWithin();
			assertThat(this.locks.take()).isEmpty();
			assertThat(mono.block()).isEqualTo(1);
			assertThat(mono.block()).isEqualTo(1);
			assertThat(this.locks.take()).containsExactly("reactive", "reactive");
			assertThat(till.reactive(null).block()).isEqualTo(1);
			assertThat(this.locks.take()).containsExactly("reactive");
		});
	}

	@Test
	void jobThatIsCalledWithinItsBeanIsRunOncePerFireTime() {
		AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-27T03:00:00Z"));
		this.contextRunner.withBean(WallClock.class, () -> now::get)
			.withBean(Bell.class)
			.withBean(TowerBell.class)
			.run((context) -> {
				Bell bell = context.getBean(Bell.class);
				assertThat(AopUtils.isAopProxy(bell)).isTrue();
				bell.ringWithin();
				bell.ringWithin();
				bell.ring();
				assertThat(bell.rings()).isEqualTo(1);
				assertThat(this.locks.take()).containsExactly("bell", "bell", "bell");
				now.set(now.get().plus(Duration.ofDays(1)));
				bell.ring();
				bell.ringWithin();
				assertThat(bell.rings()).isEqualTo(2);
				TowerBell tower = context.getBean(TowerBell.class);
				assertThat(AopUtils.isAopProxy(tower)).isFalse();
				tower.ring();
				tower.ring();
				assertThat(tower.rings()).isEqualTo(1);
			});
	}

	@Test
	void wovenMethodsAreNotReported(CapturedOutput output) {
		this.contextRunner.withBean(Till.class)
			.withBean(Safe.class)
			.withPropertyValues("distributed-lock.validation=fail")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("would not be applied");
	}

	@ParameterizedTest
	@ValueSource(strings = { "fail", "warn", "off" })
	void aSuspendingFunctionOfAFinalClassIsNeverSilentlyUnlocked(String validation) {
		ApplicationContextRunner runner = this.contextRunner
			.withPropertyValues("distributed-lock.validation=" + validation);
		// Kotlin is compiled after Java
		runner.withBean(ClassUtils.resolveClassName("io.distributedlock.weaving.KotlinSafe", null))
			.run((context) -> assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
				.hasMessageContaining("KotlinSafe")
				.hasMessageContaining("final"));
		runner.withBean(Safe.class).run((context) -> {
			assertThat(context.getBean(Safe.class).unlock()).isEqualTo(1);
			assertThat(this.locks.take()).containsExactly("safe");
		});
	}

	@Test
	void aMethodDoesNotRunBeforeThereIsAnApplication() {
		assertThatIllegalStateException().isThrownBy(() -> new Till().open(9))
			.withMessageContaining("io.distributedlock.weaving.Till.open(int) is woven")
			.withMessageContaining("distributed-lock.enabled");
		assertThatIllegalStateException().isThrownBy(() -> Till.shared(9));
		assertThat(new Drawer()).hasToString("Drawer");
	}

	@Test
	void aMethodDoesNotRunAfterTheApplicationWasClosed() {
		withBean(Till.class, (till) -> till.open(1));
		assertThatIllegalStateException().isThrownBy(() -> new Till().open(9));
	}

	@ParameterizedTest
	@ValueSource(strings = { "distributed-lock.enabled=false", "distributed-lock.annotation.enabled=false" })
	void methodsRunIfLocksAreSwitchedOff(String property) {
		this.contextRunner.withBean(Till.class).withPropertyValues(property).run((context) -> {
			assertThat(context.getBean(Till.class).open(10)).isEqualTo(10);
			assertThat(this.locks.take()).isEmpty();
		});
		assertThatIllegalStateException().isThrownBy(() -> new Till().open(10));
	}

	@Test
	void applicationWithoutLocksDoesNotDisableTheLocksOfAnother() {
		withBean(Till.class,
				(till) -> this.contextRunner.withPropertyValues("distributed-lock.enabled=false").run((other) -> {
					till.openWithin(11);
					assertThat(this.locks.take()).containsExactly("open:11");
				}));
	}

	@Test
	void anApplicationThatLocksBeforeItCanFails() {
		this.contextRunner.withBean("early", BeanFactoryPostProcessor.class, () -> (factory) -> new Till().open(12))
			.run((context) -> assertThat(context).getFailure().hasMessageContaining("is woven"));
	}

	private <T> void withBean(Class<T> type, Consumer<T> test) {
		this.contextRunner.withBean(type).run((AssertableApplicationContext context) -> {
			assertThat(context).hasNotFailed();
			test.accept(context.getBean(type));
		});
	}

	private static Class<?>[] ours() {
		ClassLoader classLoader = LoadTimeWeavingTests.class.getClassLoader();
		return ImportCandidates.load(AutoConfiguration.class, classLoader)
			.getCandidates()
			.stream()
			.filter((name) -> name.startsWith("io.distributedlock."))
			.map((name) -> ClassUtils.resolveClassName(name, classLoader))
			.toArray(Class<?>[]::new);
	}

}
