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

import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.distributedlock.annotation.InvalidLockDefinitionException.Kind;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.SimilarNames;
import io.distributedlock.internal.Printable;
import io.distributedlock.leadership.Leadership;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;

/**
 * A method that only the leader runs.
 */
final class LeaderOnlyMethod {

	private static final Log logger = LogFactory.getLog(LeaderOnly.class);

	private final AnnotatedMethod annotated;

	private final String name;

	/** Usually one. */
	private final Supplier<List<Leadership>> leaderships;

	private LeaderOnlyMethod(AnnotatedMethod annotated, String name, ObjectProvider<Leadership> all) {
		this.annotated = annotated;
		this.name = name;
		this.leaderships = SingletonSupplier.of(() -> {
			SkippingHandler.requireEmptyResult(annotated, name);
			return resolve(all);
		});
	}

	/**
	 * Create a method. Asks for no bean yet.
	 */
	static LeaderOnlyMethod of(AnnotatedMethod annotated, String name, ObjectProvider<Leadership> all) {
		return new LeaderOnlyMethod(annotated, name, all);
	}

	AnnotatedMethod annotated() {
		return this.annotated;
	}

	String name() {
		return this.name;
	}

	/**
	 * Check the annotation against the method and the leaderships of the application.
	 * @throws InvalidLockDefinitionException if it cannot work
	 */
	void verify() {
		this.leaderships.get();
	}

	@Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		for (Leadership leadership : this.leaderships.get()) {
			if (leadership.isLeader()) {
				return invocation.proceed();
			}
		}
		if (logger.isDebugEnabled()) {
			logger.debug(this.annotated.shortName() + " is skipped: this instance does not lead '"
					+ Printable.of(this.name) + "'.");
		}
		return SkippingHandler.emptyResult(this.annotated.resultType());
	}

	private List<Leadership> resolve(ObjectProvider<Leadership> all) {
		List<Leadership> known = all.stream().toList();
		List<Leadership> found = known.stream().filter((each) -> each.name().equals(this.name)).toList();
		if (found.isEmpty()) {
			throw unknown(known.stream().map(Leadership::name).collect(Collectors.toCollection(TreeSet::new)));
		}
		return found;
	}

	private InvalidLockDefinitionException unknown(Collection<String> known) {
		String nearest = SimilarNames.nearest(this.name, known);
		String problem = known.isEmpty() ? "This application has no leadership."
				: "This application has no leadership of this name, only "
						+ known.stream().map((each) -> "'" + each + "'").collect(Collectors.joining(", ")) + ".";
		String declare = "Set 'distributed-lock.leadership[" + this.name
				+ "].timeout=10s', or declare a bean of type Leadership with this name.";
		return this.annotated.invalid(Kind.LEADERSHIP, "value", this.name, problem,
				(nearest != null) ? "Did you mean '" + nearest + "'? If not: " + declare : declare);
	}

}
