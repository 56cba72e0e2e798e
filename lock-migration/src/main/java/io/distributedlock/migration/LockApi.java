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

import java.util.List;
import java.util.Map;

import org.openrewrite.Cursor;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.JavaParser;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.tree.J;

/**
 * What templates need to know of this project. A recipe runs without its jars.
 */
final class LockApi {

	static final String ANNOTATIONS = "io.distributedlock.annotation.";

	static final String CONTEXT = "io.distributedlock.LockContext";

	/** Types that attributes name, by how they are written. */
	static final Map<String, String> VALUES = Map.of("OnContention.", ANNOTATIONS + "OnContention", "LossReaction.",
			ANNOTATIONS + "LossReaction", "LockMode.", "io.distributedlock.LockMode", "TimeUnit.",
			"java.util.concurrent.TimeUnit");

	private static final String[] SOURCES = { """
			package io.distributedlock;
			public enum LockMode { EXCLUSIVE, SHARED }
			""", """
			package io.distributedlock;
			public interface LockHandle {
				void assertHeld();
				void extend(java.time.Duration additional);
			}
			""", """
			package io.distributedlock;
			public interface LockContext {
				static java.util.Optional<LockHandle> current() { return java.util.Optional.empty(); }
			}
			""", """
			package io.distributedlock.annotation;
			public enum OnContention { THROW, SKIP }
			""", """
			package io.distributedlock.annotation;
			public enum LossReaction { DEFAULT, LOG, INTERRUPT, THROW }
			""", """
			package io.distributedlock.annotation;
			public @interface OncePerFireTime {
				String[] name() default {};
				String timeout() default "";
				String maxHold() default "";
			}
			""", """
			package io.distributedlock.annotation;
			public @interface DistributedLock {
				String[] name() default {};
				String timeoutString() default "";
				String waitTimeString() default "";
				String minHoldString() default "";
				String renewIntervalString() default "";
				long timeout() default 0;
				long waitTime() default 0;
				java.util.concurrent.TimeUnit timeUnit() default java.util.concurrent.TimeUnit.SECONDS;
				boolean autoRenew() default false;
				OnContention onContention() default OnContention.THROW;
				LossReaction onLost() default LossReaction.DEFAULT;
				io.distributedlock.LockMode mode() default io.distributedlock.LockMode.EXCLUSIVE;
			}
			""" };

	/** A template of OpenRewrite has its own meaning for {@code #{…}}. */
	private static final String EXPRESSION_BEGINS = "\uE000{";

	private LockApi() {
	}

	/**
	 * Return the annotation of this source, in place of another one.
	 */
	static J.Annotation annotation(String source, List<String> imports, Cursor cursor, J.Annotation replaced) {
		J.Annotation annotation = template(source.replace("#{", EXPRESSION_BEGINS), imports).apply(cursor,
				replaced.getCoordinates().replace());
		return (J.Annotation) new JavaIsoVisitor<Integer>() {

			@Override
			public J.Literal visitLiteral(J.Literal literal, Integer p) {
				return (literal.getValue() instanceof String text && text.contains(EXPRESSION_BEGINS))
						? literal.withValue(text.replace(EXPRESSION_BEGINS, "#{"))
							.withValueSource(String.valueOf(literal.getValueSource()).replace(EXPRESSION_BEGINS, "#{"))
						: literal;
			}

		}.visitNonNull(annotation, 0);
	}

	static JavaTemplate template(String code, List<String> imports) {
		return JavaTemplate.builder(code)
			.javaParser(JavaParser.fromJavaVersion().dependsOn(SOURCES))
			.imports(imports.toArray(String[]::new))
			.build();
	}

}
