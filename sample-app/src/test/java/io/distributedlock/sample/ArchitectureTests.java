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

package io.distributedlock.sample;

import java.util.Set;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.distributedlock.LockService;
import io.distributedlock.sample.stage.SampleApplication;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

class ArchitectureTests {

	private static final Set<String> PUBLIC = Set.of("io.distributedlock.annotation", "io.distributedlock.fencing",
			"io.distributedlock.leadership", "io.distributedlock.scheduling");

	private static final JavaClasses sample = classesBeside(SampleApplication.class);

	/** One class plays a Redis that loses a lock. */
	@Test
	void onlyThePublicPackagesOfTheLibraryAreUsed() {
		noClasses().that()
			.doNotHaveSimpleName("AccountController")
			.should()
			.dependOnClassesThat(internal())
			.check(sample);
	}

	@Test
	void theApplicationUsesTheLibraryAndKnowsNothingOfTheStage() {
		classes().that()
			.haveSimpleName("PaymentService")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("io.distributedlock.annotation")
			.check(sample);
		noClasses().that()
			.resideInAPackage("io.distributedlock.sample.app..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("io.distributedlock.sample.stage..")
			.check(sample);
	}

	@Test
	void ruleRecognizesInternalPackages() {
		assertThat(classesBeside(LockService.class).stream().filter(internal())).extracting(JavaClass::getPackageName)
			.contains("io.distributedlock.engine", "io.distributedlock.store")
			.doesNotContain("io.distributedlock", "io.distributedlock.annotation");
		assertThat(sample).isNotEmpty().noneMatch(internal());
	}

	private static JavaClasses classesBeside(Class<?> type) {
		return new ClassFileImporter().importUrl(type.getProtectionDomain().getCodeSource().getLocation());
	}

	private static DescribedPredicate<JavaClass> internal() {
		return DescribedPredicate.describe("internal to the library",
				(type) -> type.getPackageName().startsWith("io.distributedlock.")
						&& !type.getPackageName().startsWith("io.distributedlock.sample")
						&& !PUBLIC.contains(type.getPackageName()));
	}

}
