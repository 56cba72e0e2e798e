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

package io.distributedlock.migration;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.openrewrite.Parser;
import org.openrewrite.Recipe;
import org.openrewrite.SourceFile;
import org.openrewrite.groovy.GroovyParser;
import org.openrewrite.xml.XmlParser;

import static org.assertj.core.api.Assertions.assertThat;

class ReplaceDependencyTests {

	@Test
	void dependenciesOfMavenAreReplaced() {
		migrates(pom("""
				<project>
				    <dependencyManagement>
				        <dependencies>
				            <dependency>
				                <groupId>net.javacrumbs.shedlock</groupId>
				                <artifactId>shedlock-bom</artifactId>
				                <version>7.10.1</version>
				                <type>pom</type>
				                <scope>import</scope>
				            </dependency>
				            <dependency>
				                <groupId>org.example</groupId>
				                <artifactId>other</artifactId>
				                <version>1</version>
				            </dependency>
				        </dependencies>
				    </dependencyManagement>
				    <dependencies>
				        <dependency>
				            <groupId>net.javacrumbs.shedlock</groupId>
				            <artifactId>shedlock-spring</artifactId>
				        </dependency>
				        <dependency>
				            <groupId>net.javacrumbs.shedlock</groupId>
				            <artifactId>shedlock-provider-redis-spring</artifactId>
				        </dependency>
				    </dependencies>
				</project>
				""", """
				<project>
				    <dependencyManagement>
				        <dependencies>
				            <dependency>
				                <groupId>org.example</groupId>
				                <artifactId>other</artifactId>
				                <version>1</version>
				            </dependency>
				        </dependencies>
				    </dependencyManagement>
				    <dependencies>
				        <dependency>
				            <groupId>io.distributedlock</groupId>
				            <artifactId>lock-spring-boot-starter</artifactId>
				            <version>1.0.0</version>
				        </dependency>
				    </dependencies>
				</project>
				"""));
	}

	@Test
	void dependencyOfTestsOnlyIsRemoved() {
		migrates(pom("""
				<project>
				    <dependencies>
				        <dependency>
				            <groupId>net.javacrumbs.shedlock</groupId>
				            <artifactId>shedlock-provider-inmemory</artifactId>
				            <version>7.10.1</version>
				            <scope>test</scope>
				        </dependency>
				        <dependency>
				            <groupId>org.example</groupId>
				            <artifactId>other</artifactId>
				        </dependency>
				    </dependencies>
				</project>
				""", """
				<project>
				    <dependencies>
				        <dependency>
				            <groupId>org.example</groupId>
				            <artifactId>other</artifactId>
				        </dependency>
				    </dependencies>
				</project>
				"""));
	}

	@Test
	void dependencyThatIsUsedStays() {
		migrates(java("""
				class Uses {
				    net.javacrumbs.shedlock.core.LockProvider provider;
				}
				"""), pom("""
				<project>
				    <dependencies>
				        <dependency>
				            <groupId>net.javacrumbs.shedlock</groupId>
				            <artifactId>shedlock-spring</artifactId>
				            <version>7.10.1</version>
				        </dependency>
				    </dependencies>
				</project>
				""", """
				<project>
				    <dependencies>
				        <dependency>
				            <groupId>io.distributedlock</groupId>
				            <artifactId>lock-spring-boot-starter</artifactId>
				            <version>1.0.0</version>
				        </dependency>
				        <!--~~(Still used by what is marked in the sources.)~~>--><dependency>
				            <groupId>net.javacrumbs.shedlock</groupId>
				            <artifactId>shedlock-spring</artifactId>
				            <version>7.10.1</version>
				        </dependency>
				    </dependencies>
				</project>
				"""));
	}

	@Test
	void dependenciesOfGradleAreReplaced() {
		migrates(gradle("""
				dependencies {
				    implementation 'org.example:other:1'
				    implementation 'net.javacrumbs.shedlock:shedlock-spring:7.10.1'
				    implementation("net.javacrumbs.shedlock:shedlock-provider-redis-spring:7.10.1")
				}
				""", """
				dependencies {
				    implementation 'org.example:other:1'
				    implementation 'io.distributedlock:lock-spring-boot-starter:1.0.0'
				}
				"""));
	}

	@Test
	void dependencyOfGradleWithAVariableIsMarked() {
		migrates(gradle("""
				dependencies {
				    implementation "net.javacrumbs.shedlock:shedlock-spring:$version"
				}
				""",
				"""
						/*~~(Replace net.javacrumbs.shedlock by hand, with io.distributedlock:lock-spring-boot-starter:1.0.0.)~~>*/dependencies {
						    implementation "net.javacrumbs.shedlock:shedlock-spring:$version"
						}
						"""));
	}

	private record Change(SourceFile before, String after) {

	}

	private static Change pom(String before, String after) {
		return new Change(file(XmlParser.builder().build(), "pom.xml", before), after);
	}

	private static Change gradle(String before, String after) {
		return new Change(file(GroovyParser.builder().build(), "build.gradle", before), after);
	}

	private static Change java(String source) {
		return new Change(MigrationTests.parse(List.of(source)).get(0), source);
	}

	private static SourceFile file(Parser parser, String name, String content) {
		return parser
			.parseInputs(List.of(Parser.Input.fromString(Path.of(name), content)), null, MigrationTests.context())
			.findFirst()
			.orElseThrow();
	}

	private static void migrates(Change... changes) {
		Recipe recipe = new ReplaceDependency("net.javacrumbs.shedlock", "shedlock", "net.javacrumbs.shedlock",
				"io.distributedlock:lock-spring-boot-starter:1.0.0");
		assertThat(MigrationTests.run(recipe, Stream.of(changes).map(Change::before).toList()))
			.containsExactlyElementsOf(Stream.of(changes).map(Change::after).toList());
	}

}
