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

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockOptions;
import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.OnLost;
import io.distributedlock.internal.DeclaredLock;
import io.distributedlock.internal.DeclaredLocks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for the options that result from annotations and configuration.
 */
class LockOptionsResolutionTests {

	private final LockFixture fixture = new LockFixture().property("lease", "2m").property("wait", "PT3S");

	@AfterEach
	void stop() {
		this.fixture.close();
	}

	@Test
	void everythingComesFromTheDefaultsUnlessGiven() {
		this.fixture.locks.defaults = LockOptions.ofLease(Duration.ofSeconds(20))
			.withWaitTime(Duration.ofSeconds(2))
			.withAutoRenew(Duration.ofSeconds(3))
			.withMinHold(Duration.ofSeconds(1))
			.withMaxHold(Duration.ofMinutes(9))
			.withOnLost(OnLost.INTERRUPT)
			.withDeclaredName("default");
		this.fixture.start(Jobs.class).plain();
		assertThat(options()).isEqualTo(this.fixture.locks.defaults.withDeclaredName("plain"));
	}

	@Test
	void numbersAreInTheTimeUnit() {
		this.fixture.start(Jobs.class).numbers();
		assertThat(options()).isEqualTo(LockOptions.ofLease(Duration.ofMillis(6000))
			.withWaitTime(Duration.ofMillis(1000))
			.withAutoRenew(Duration.ofMillis(1500))
			.withMinHold(Duration.ofMillis(500))
			.withMaxHold(Duration.ofMillis(60000))
			.withOnLost(OnLost.THROW)
			.withDeclaredName("numbers"));
	}

	@Test
	void numbersAreSecondsByDefault() {
		this.fixture.start(Jobs.class).seconds();
		assertThat(options().lease()).isEqualTo(Duration.ofSeconds(7));
	}

	@Test
	void textsKnowUnitsAndPlaceholdersAndExpressions() {
		this.fixture.start(Jobs.class).texts();
		assertThat(options()).isEqualTo(LockOptions.ofLease(Duration.ofMinutes(2))
			.withWaitTime(Duration.ofSeconds(3))
			.withRenewInterval(Duration.ofSeconds(20))
			.withMinHold(Duration.ofMillis(90_000))
			.withMaxHold(Duration.ofSeconds(600))
			.withDeclaredName("texts"));
	}

	@Test
	@DisplayName("Renewal that is configured cannot be switched off by an annotation that says nothing")
	void configuredRenewalStaysOnIfTheAnnotationSaysNothing() {
		this.fixture.locks.defaults = this.fixture.locks.defaults.withAutoRenew();
		this.fixture.start(Jobs.class).seconds();
		assertThat(options().autoRenew()).isTrue();
	}

	@Test
	void configuredRenewalIntervalGivesWayToAShorterLease() {
		this.fixture.locks.defaults = this.fixture.locks.defaults.withAutoRenew(Duration.ofSeconds(10));
		this.fixture.start(Jobs.class).seconds();
		assertThat(options().renewInterval()).isNull();
		assertThat(options().effectiveRenewInterval()).isLessThan(Duration.ofSeconds(3));
	}

	@Test
	void customizerHasTheLastWordAndIsGivenTheLiteralName() {
		LockOptionsCustomizer customizer = (name, options) -> name.equals("plain")
				? options.withLease(Duration.ofSeconds(99)) : options;
		this.fixture.bean("customizer", LockOptionsCustomizer.class, () -> customizer);
		Jobs jobs = this.fixture.start(Jobs.class);
		jobs.plain();
		jobs.seconds();
		assertThat(this.fixture.locks.optionsByName.get("plain").lease()).isEqualTo(Duration.ofSeconds(99));
		assertThat(this.fixture.locks.optionsByName.get("seconds").lease()).isEqualTo(Duration.ofSeconds(7));
	}

	@Test
	@DisplayName("A customizer is given class and method where the name is evaluated, and never the evaluated name")
	void customizerIsNeverGivenAnEvaluatedName() {
		List<String> names = new ArrayList<>();
		this.fixture.bean("customizer", LockOptionsCustomizer.class, () -> (name, options) -> {
			names.add(name);
			return options;
		});
		this.fixture.start(Evaluated.class).evaluated("A-1");
		assertThat(names).containsExactlyInAnyOrder("Evaluated.evaluated", "Evaluated.unnamed",
				Evaluated.class.getName() + ".unnamed");
		assertThat(this.fixture.locks.optionsByName.get("order:A-1").declaredName()).isEqualTo("Evaluated.evaluated");
	}

	@Test
	void aliasesOfAComposedAnnotationAreMerged() {
		this.fixture.start(Composed.class).slow();
		assertThat(this.fixture.locks.optionsByName).containsOnlyKeys("slow job");
		assertThat(options().lease()).isEqualTo(Duration.ofMinutes(5));
		assertThat(options().waitTime()).isEqualTo(Duration.ofSeconds(11));
	}

	@Test
	void declaredLocksAreListedWithTheOptionsInForce() {
		this.fixture.start(Evaluated.class);
		assertThat(this.fixture.context.getBean(DeclaredLocks.class).declared())
			.extracting(DeclaredLock::declaredName, DeclaredLock::names, DeclaredLock::location,
					DeclaredLock::onContention)
			.containsExactly(
					tuple("Evaluated.evaluated", List.of("order:#{#id}"),
							Evaluated.class.getName() + ".evaluated(String)", "throw"),
					tuple("Evaluated.unnamed", List.of(Evaluated.class.getName() + ".unnamed"),
							Evaluated.class.getName() + ".unnamed()", "skip"));
	}

	@Test
	void durationsThatContradictTheConfigurationStopTheStart() {
		this.fixture.locks.defaults = this.fixture.locks.defaults.withMinHold(Duration.ofSeconds(25));
		assertThatExceptionOfType(InvalidLockDefinitionException.class).isThrownBy(() -> this.fixture.start(Jobs.class))
			.withMessageContaining("The minimum hold is 25s")
			.withMessageContaining("7s");
	}

	private LockOptions options() {
		return this.fixture.locks.options();
	}

	static class Jobs {

		@DistributedLock("plain")
		void plain() {
		}

		@DistributedLock(name = "numbers", timeout = 6000, waitTime = 1000, timeUnit = TimeUnit.MILLISECONDS,
				autoRenew = true, renewInterval = 1500, minHold = 500, maxHold = 60000, onLost = LossReaction.THROW)
		void numbers() {
		}

		@DistributedLock(name = "seconds", timeout = 7)
		void seconds() {
		}

		@DistributedLock(name = "texts", timeoutString = "${lease}", waitTimeString = "${wait}",
				renewIntervalString = "20", minHoldString = "1m30s", maxHoldString = "#{60 * 10}s",
				onLost = LossReaction.LOG)
		void texts() {
		}

	}

	static class Evaluated {

		@DistributedLock("order:#{#id}")
		void evaluated(String id) {
		}

		@DistributedLock(onContention = OnContention.SKIP)
		void unnamed() {
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(timeoutString = "5m")
	@interface SlowJob {

		@AliasFor(annotation = DistributedLock.class, attribute = "name")
		String[] job() default {};

		@AliasFor(annotation = DistributedLock.class, attribute = "waitTime")
		long patience() default 0;

	}

	static class Composed {

		@SlowJob(job = "slow job", patience = 11)
		void slow() {
		}

	}

}
