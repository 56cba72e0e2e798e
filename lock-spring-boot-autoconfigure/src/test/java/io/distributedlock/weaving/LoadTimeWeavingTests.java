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

import java.time.Duration;
import java.util.function.Consumer;

import io.distributedlock.LockService;
import io.distributedlock.weaving.Till.Drawer;
import io.distributedlock.weaving.Till.InnerDrawer;
import io.distributedlock.weaving.Till.Safe;
import io.distributedlock.weaving.Till.SmallTill;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.autoconfigure.AutoConfiguration;
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
@ExtendWith(OutputCaptureExtension.class)
class LoadTimeWeavingTests {

	private final CountingLocks locks = new CountingLocks();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ours()))
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
		.withPropertyValues("distributed-lock.provider=in-memory")
		.withBean(LockService.class, this.locks::service);

	@Test
	void aCallThroughTheProxyIsLockedOnce() {
		withBean(Till.class, (till) -> {
			assertThat(AopUtils.isCglibProxy(till)).isTrue();
			assertThat(till.open(1)).isEqualTo(1);
			assertThat(this.locks.take()).containsExactly("open:1");
		});
	}

	@Test
	void aCallWithinTheBeanIsLockedOnce() {
		withBean(Till.class, (till) -> {
			assertThat(till.openWithin(2)).isEqualTo(2);
			assertThat(this.locks.take()).containsExactly("open:2");
		});
	}

	@Test
	void aRecursiveCallIsLockedOnceForEachName() {
		withBean(Till.class, (till) -> {
			till.nested(2);
			assertThat(this.locks.take()).containsExactly("nested:2", "nested:1", "nested:0");
		});
	}

	@Test
	void privateMethodsAreLocked() {
		withBean(Till.class, (till) -> {
			assertThat(till.hiddenWithin(3)).isEqualTo(3);
			assertThat(this.locks.take()).containsExactly("hidden:3");
		});
	}

	@Test
	void theFallbackOfAPrivateMethodAnswersForIt() {
		this.locks.refuse("hidden:4");
		withBean(Till.class, (till) -> assertThat(till.hiddenWithin(4)).isEqualTo(-4));
	}

	@Test
	void finalMethodsAreLocked() {
		withBean(Till.class, (till) -> {
			assertThat(till.fixed(5)).isEqualTo(5);
			assertThat(this.locks.take()).containsExactly("final");
		});
	}

	@Test
	void staticMethodsAreLocked() {
		withBean(Till.class, (till) -> {
			assertThat(Till.shared(6)).isEqualTo(6);
			assertThat(this.locks.take()).containsExactly("static:6");
		});
	}

	@Test
	void methodsOfFinalClassesAreLocked() {
		withBean(Safe.class, (safe) -> {
			assertThat(AopUtils.isAopProxy(safe)).isFalse();
			assertThat(safe.unlock()).isEqualTo(1);
			assertThat(this.locks.take()).containsExactly("safe");
		});
	}

	@Test
	void methodsOfObjectsThatAreNoBeansAreLocked() {
		withBean(Till.class, (till) -> {
			assertThat(new Till().open(7)).isEqualTo(7);
			assertThat(this.locks.take()).containsExactly("open:7");
		});
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
	void severalAnnotationsAreApplied() {
		withBean(Till.class, (till) -> {
			till.bothWithin();
			assertThat(this.locks.take()).containsExactly("first", "second");
			till.both();
			assertThat(this.locks.take()).containsExactly("first", "second");
		});
	}

	@Test
	void metaAnnotationsAreApplied() {
		withBean(Till.class, (till) -> {
			till.oursWithin();
			assertThat(this.locks.take()).containsExactly("ours");
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
	void annotationsOfTheClassApplyToCallsWithin() {
		withBean(Drawer.class, (drawer) -> {
			assertThat(drawer.pull()).isEqualTo(1);
			assertThat(this.locks.take()).containsExactly("type", "type");
			assertThat(drawer).hasToString("Drawer");
			assertThat(this.locks.take()).isEmpty();
		});
	}

	@Test
	void annotationsOfTheSuperclassApplyToItsMethods() {
		withBean(InnerDrawer.class, (drawer) -> {
			assertThat(drawer.lift()).isEqualTo(2);
			assertThat(this.locks.take()).containsExactly("type", "type");
			assertThat(new InnerDrawer().lift()).isEqualTo(2);
			assertThat(this.locks.take()).containsExactly("type");
		});
	}

	@Test
	void aMethodThatOnlyInheritsItsAnnotationIsLockedOnceByItsProxy() {
		withBean(SmallTill.class, (till) -> {
			assertThat(till.open(8)).isEqualTo(8);
			assertThat(this.locks.take()).containsExactly("open:8");
		});
	}

	@Test
	void aFutureMethodThatCallsSuperEntersItsLock() {
		withBean(Till.class, (till) -> {
			assertThat(new SmallTill().later()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(2);
			assertThat(this.locks.take()).containsExactly("later");
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
	void anApplicationWithoutLocksDoesNotUnlockThoseOfAnother() {
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
