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

package io.distributedlock;

import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.DistributedLockProperties;
import io.distributedlock.fencing.Fences;
import io.distributedlock.leadership.LeaderElection;
import io.distributedlock.leadership.annotation.LeaderOnly;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.store.test.LockStoreContractTests;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The architecture in sentences that fail: who may see whom, what must not be used, and
 * how much of an internal package is public.
 */
class ArchitectureTests {

	private static final String ROOT = "io.distributedlock";

	/** The objects of the engine that are the state of one name. */
	private static final Set<String> STATE = Set.of("Gate", "Contender", "Lease", "Hold", "Handle", "Waiter",
			"EngineOperations");

	/** What users write and catch, which everything about annotations may know. */
	private static final Set<String> VOCABULARY = Set.of("DistributedLock", "DistributedLocks", "LossReaction",
			"OncePerFireTime", "OnContention", "RunsOnEveryInstance", "SuppressLockWarnings",
			"InvalidLockDefinitionException", "LockFinding", "LockValidation", "LockValidationException");

	private static final Set<String> CLOCKS = Set.of("Ticker", "SystemTicker");

	private static final JavaClasses CORE = inModuleOf(LockService.class);

	private static final JavaClasses CLASSES = inModuleOf(LockService.class, RedisLockStore.class,
			DistributedLock.class, DistributedLockProperties.class, Fences.class, LeaderElection.class);

	private static JavaClasses inModuleOf(Class<?>... types) {
		return new ClassFileImporter().importUrls(
				Stream.of(types).map((type) -> type.getProtectionDomain().getCodeSource().getLocation()).toList());
	}

	@Test
	void allPackagesExist() {
		Set<String> packages = CLASSES.stream().map(JavaClass::getPackageName).collect(Collectors.toSet());
		assertThat(packages).contains(ROOT, in("internal"), in("store"), in("engine"), in("redis"), in("memory"),
				in("leadership"), in("leadership.metrics"), in("annotation"), in("transaction.internal"), in("fencing"),
				in("reactive"), in("scheduling"), in("scheduling.internal"), in("configuration.internal"),
				in("metrics"), in("observation"), in("actuate.endpoint"), in("web.internal"), in("autoconfigure"),
				in("autoconfigure.diagnostics"), in("autoconfigure.endpoint"), in("autoconfigure.fencing"),
				in("autoconfigure.leadership"), in("autoconfigure.metrics"), in("autoconfigure.observation"),
				in("autoconfigure.web"));
	}

	@Test
	void coreDependsOnlyOnTheJdkJSpecifyAndCommonsLogging() {
		classes().should()
			.onlyDependOnClassesThat(
					resideInAnyPackage(ROOT + "..", "java..", "org.jspecify..", "org.apache.commons.logging.."))
			.check(CORE);
	}

	@Test
	void theApiKnowsOnlyTheJdkAndJSpecify() {
		classes().that()
			.resideInAnyPackage(ROOT, in("internal"))
			.should()
			.onlyDependOnClassesThat(resideInAnyPackage(ROOT, in("internal"), "java..", "org.jspecify.."))
			.check(CLASSES);
	}

	@Test
	void theContractOfAStoreKnowsOnlyTheInterfaceOfTheStore() {
		classes().should()
			.onlyDependOnClassesThat(resideInAnyPackage(ROOT, in("store"), in("store.test"), "java..", "org.jspecify..",
					"org.junit.jupiter..", "org.apiguardian..", "org.assertj.."))
			.check(inModuleOf(LockStoreContractTests.class));
	}

	@Test
	void theStoreInterfaceKnowsOnlyTheApi() {
		classes().that()
			.resideInAPackage(in("store"))
			.should()
			.onlyDependOnClassesThat(resideInAnyPackage(ROOT, in("internal"), in("store"), "java..", "org.jspecify.."))
			.check(CLASSES);
	}

	@ParameterizedTest
	@CsvSource({ "engine, store", "redis, store", "memory, store", "leadership, 'annotation,configuration'",
			"annotation, 'reactive,transaction,leadership.annotation'", "transaction, ''",
			"fencing, 'transaction,annotation,configuration'", "reactive, transaction",
			"kotlin, 'reactive,transaction'", "observation, ''", "metrics, scheduling", "scheduling, annotation",
			"actuate, store", "web, annotation" })
	void packageDependsOnlyOnTheApiAndItsAllowedPackages(String name, String others) {
		String[] allowed = Stream
			.concat(Stream.of(ROOT, in("internal"), in(name) + ".."),
					Stream.of(others.split(",")).filter((other) -> !other.isEmpty()).map((other) -> in(other) + ".."))
			.toArray(String[]::new);
		noClasses().that()
			.resideInAPackage(in(name) + "..")
			.should()
			.dependOnClassesThat(resideInAPackage(ROOT + "..").and(not(resideInAnyPackage(allowed))))
			.allowEmptyShould(true)
			.check(CLASSES);
	}

	/**
	 * An application may leave them out.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "leadership", "fencing" })
	void onlyTheirModuleKnowsOptionalFeatures(String feature) {
		noClasses().that()
			.resideOutsideOfPackages(in(feature) + "..", in("autoconfigure." + feature))
			.should()
			.dependOnClassesThat(resideInAnyPackage(in(feature) + "..", in("autoconfigure." + feature))
				.and(not(type(LeaderOnly.class))))
			.check(CLASSES);
	}

	@Test
	void onlyTheAutoConfigurationKnowsTheConfigurations() {
		noClasses().that()
			.resideOutsideOfPackages(in("configuration") + "..", in("autoconfigure.."), ROOT + ".*.configuration..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage(in("configuration") + "..")
			.check(CLASSES);
	}

	/**
	 * How a call runs knows what is checked and how names are evaluated, and not the
	 * other way round. What is for the leader is known by none of them.
	 */
	@Test
	void thePackagesOfAnnotationsKnowEachOtherInOneDirection() {
		slices().assignedFrom(new SliceAssignment() {

			@Override
			public SliceIdentifier getIdentifierOf(JavaClass type) {
				String name = type.getName().replaceFirst("[$].*", "");
				return name.startsWith(in("annotation.")) || name.startsWith(in("leadership.annotation."))
						? SliceIdentifier.of(VOCABULARY.contains(name.substring(name.lastIndexOf('.') + 1))
								? "vocabulary" : type.getPackageName())
						: SliceIdentifier.ignore();
			}

			@Override
			public String getDescription() {
				return "packages of annotations";
			}

		}).should().beFreeOfCycles().check(CLASSES);
		noClasses().that()
			.resideInAPackage(in("annotation.internal.expression"))
			.should()
			.dependOnClassesThat()
			.resideInAPackage(in("annotation.internal.validation"))
			.check(CLASSES);
	}

	@Test
	void byteCodeIsReadWithoutKnowingLocks() {
		noClasses().that()
			.resideInAPackage(in("annotation.internal.bytecode"))
			.should()
			.dependOnClassesThat()
			.resideInAPackage(ROOT)
			.check(CLASSES);
	}

	/**
	 * What moves the state of the locks knows it, and not the other way round: only the
	 * objects that are the state of one name may know each other in a circle.
	 */
	@Test
	void theEngineHasNoCircleButTheStateOfAName() {
		slices().assignedFrom(new SliceAssignment() {

			@Override
			public SliceIdentifier getIdentifierOf(JavaClass type) {
				if (!type.getPackageName().equals(in("engine"))) {
					return SliceIdentifier.ignore();
				}
				String name = type.getName().substring(in("engine").length() + 1).replaceFirst("[$].*", "");
				return SliceIdentifier
					.of(STATE.contains(name) ? "the state of a name" : CLOCKS.contains(name) ? "clocks" : name);
			}

			@Override
			public String getDescription() {
				return "classes of the engine";
			}

		}).should().beFreeOfCycles().check(CLASSES);
	}

	/**
	 * Deciding takes no time: it neither waits nor talks to anybody.
	 */
	@Test
	void decidingClassesKnowNeitherStoreNorThreadsNorClocks() {
		noClasses().that()
			.haveNameMatching(engine("Contention|LeaseKeeper"))
			.should()
			.dependOnClassesThat()
			.haveNameMatching(engine("LockEngine|EngineThreads|Cleanup|Ticker|Announcer"))
			.check(CLASSES);
	}

	/**
	 * With a gate locked, no code of others is called, which might block or come back.
	 */
	@Test
	void classesUnderTheLockOfAGateCallNoForeignCode() {
		noClasses().that()
			.haveNameMatching(engine("Contention|LeaseKeeper|Gate|Contender|Hold|Lease"))
			.should()
			.dependOnClassesThat()
			.haveNameMatching(
					".*[.](LockStore|LockListener|LockObserver|LockHandle|LockContext|LockKeeper|Log|LogFactory)")
			.orShould()
			.callMethodWhere(target(owner(resideInAPackage("java.util.function").or(assignableTo(Future.class))
				.or(assignableTo(Executor.class)))))
			.check(CLASSES);
	}

	/**
	 * Matches classes of the engine and what is nested in them.
	 */
	private static String engine(String names) {
		return "\\Q" + in("engine") + ".\\E(" + names + ")([$].*)?";
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					Redis               | redis, autoconfigure.. | org.springframework.data.., io.lettuce..
					Lettuce             | redis | io.lettuce..
					Reactor             | reactive.., kotlin, annotation.., transaction.., configuration.., autoconfigure.., redis, web.. | reactor.., org.reactivestreams..
					Kotlin              | kotlin | kotlin.., kotlinx..
					databases           | fencing.., autoconfigure.fencing | javax.sql.., java.sql.., org.springframework.jdbc.., org.springframework.orm..
					context propagation | reactive.. | io.micrometer.context..
					the actuator        | actuate.., autoconfigure.. | org.springframework.boot.actuate.., org.springframework.boot.health..
					HTTP                | web.., configuration.., autoconfigure.. | org.springframework.web.., org.springframework.http.., jakarta.servlet..
					Spring Boot         | actuate.., autoconfigure.. | org.springframework.boot..
					""")
	void onlyTheirPackagesKnow(String what, String packages, String libraries) {
		noClasses().that()
			.resideOutsideOfPackages(Stream.of(packages.split(", ")).map(ArchitectureTests::in).toArray(String[]::new))
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(libraries.split(", "))
			.check(CLASSES);
	}

	@Test
	void onlyMetricsAndTheirConfigurationKnowMeters() {
		noClasses().that()
			.resideOutsideOfPackages(in("metrics"), in("leadership.metrics"), in("observation") + "..",
					ROOT + "..configuration..", in("autoconfigure.."))
			.should()
			.dependOnClassesThat(
					resideInAPackage("io.micrometer..").and(not(resideInAPackage("io.micrometer.context.."))))
			.check(CLASSES);
	}

	@Test
	void packagesAreFreeOfCycles() {
		slices().matching(ROOT + ".(*)..")
			.should()
			.beFreeOfCycles()
			// Its package is that of leadership, and its module that of the annotations,
			// which refuse it without leadership
			.ignoreDependency(alwaysTrue(), type(LeaderOnly.class))
			.check(CLASSES);
	}

	@Test
	void everyPackageDeclaresItsNullness() {
		assertThat(CLASSES.stream().map(JavaClass::getPackage).distinct())
			.allSatisfy((javaPackage) -> assertThat(javaPackage.isAnnotatedWith("org.jspecify.annotations.NullMarked"))
				.as(javaPackage.getName())
				.isTrue());
	}

	@Test
	void classesDoNotWriteToTheStandardStreams() {
		noClasses().should(ACCESS_STANDARD_STREAMS).check(CLASSES);
	}

	@Test
	void classesNeitherSleepNorReadTheWallClock() {
		noClasses().should()
			.callMethod(Thread.class, "sleep", long.class)
			.orShould()
			.callMethod(Thread.class, "sleep", long.class, int.class)
			.orShould()
			.callMethod(System.class, "currentTimeMillis")
			.orShould()
			.callMethod("java.util.concurrent.TimeUnit", "sleep", "long")
			.orShould()
			.callMethod(Throwable.class, "printStackTrace")
			.check(CLASSES);
	}

	@Test
	void nothingIsInjectedIntoFields() {
		fields().should().notBeAnnotatedWith(Autowired.class).check(CLASSES);
	}

	@Test
	void classNamesHaveNoMeaninglessSuffix() {
		noClasses().should().haveNameMatching(".*(Utils?|Helper|Manager|Impl)$").check(CLASSES);
	}

	@Test
	void visibleFieldsAreFinal() {
		fields().that().arePublic().or().areProtected().should().beFinal().check(CLASSES);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					engine        | DefaultLockService, EngineSettings, Ticker
					redis         | RedisLockStore, RedisLockSettings
					memory        | InMemoryLockStore
					leadership    | LeaderElection, Leadership, LeadershipEvent, LeadershipListener
					annotation    | DistributedLock, DistributedLocks, DistributedLockConfiguration, DistributedLockAdvisor, DistributedLockAspect, \
					                InvalidLockDefinitionException, LockFinding, LockValidation, LockValidationException, \
					                LockedMethodRegistry, LossReaction, OnContention, OncePerFireTime, RunsOnEveryInstance, SuppressLockWarnings
					leadership.annotation | LeaderOnly
					fencing       | Fences, JdbcFences, FencedTransactionPostProcessor, StaleLockException
					scheduling    | FireTime, JobListener, JobRun
					reactive      | ReactiveLocks, ReactiveLockContext
					kotlin        | LockServiceExtensionsKt
					metrics       | LockMetrics
					leadership.metrics | LeadershipMetrics
					actuate.endpoint | LeadingContributor, LocksEndpoint, LocksEndpointWebExtension
					autoconfigure | DistributedLockProperties
					observation   | LockObservations, LockObservationDocumentation, LockObservationContext, \
					                LockAcquireObservationContext, LockHoldObservationContext, \
					                LockAcquireObservationConvention, LockHoldObservationConvention, \
					                DefaultLockAcquireObservationConvention, DefaultLockHoldObservationConvention
					""")
	void packagesHaveFewPublicTypes(String name, String allowed) {
		assertThat(CLASSES.stream()
			.filter((type) -> type.getPackageName().equals(in(name)))
			.filter(JavaClass::isTopLevelClass)
			.filter((type) -> type.getModifiers().contains(JavaModifier.PUBLIC))
			.map(JavaClass::getSimpleName)
			.filter((type) -> !type.endsWith("AutoConfiguration"))).containsExactlyInAnyOrder(allowed.split(",\\s+"));
	}

	/** What is public is promised: every type more is a decision. */
	@Test
	void fewTypesArePublic() {
		assertThat(CLASSES.stream()
			.filter(JavaClass::isTopLevelClass)
			.filter((type) -> type.getModifiers().contains(JavaModifier.PUBLIC))
			.filter((type) -> !type.getPackageName().matches(".*[.]internal([.].*)?"))
			.filter((type) -> !type.getSimpleName().endsWith("Kt"))
			.map(JavaClass::getName)).hasSizeLessThanOrEqualTo(104);
	}

	@Test
	void autoConfigurationsArePublicAndFinalAndTheirMethodsAreNot() {
		classes().that()
			.haveSimpleNameEndingWith("AutoConfiguration")
			.should()
			.bePublic()
			.andShould()
			.haveModifier(JavaModifier.FINAL)
			.andShould()
			.beAnnotatedWith("org.springframework.boot.autoconfigure.AutoConfiguration")
			.check(CLASSES);
		assertThat(CLASSES.stream()
			.filter((type) -> type.getSimpleName().endsWith("AutoConfiguration"))
			.flatMap((type) -> type.getMethods().stream())
			.filter((method) -> method.getModifiers().contains(JavaModifier.PUBLIC))
			.map(HasName.AndFullName::getFullName)).isEmpty();
	}

	private static String in(String name) {
		return ROOT + "." + name;
	}

}
