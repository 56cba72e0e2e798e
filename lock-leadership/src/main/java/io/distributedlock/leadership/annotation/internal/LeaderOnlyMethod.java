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

package io.distributedlock.leadership.annotation.internal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.distributedlock.annotation.InvalidLockDefinitionException;
import io.distributedlock.annotation.LockFinding;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.ContainerCallback;
import io.distributedlock.annotation.internal.EmptyResult;
import io.distributedlock.annotation.internal.ProxyKind;
import io.distributedlock.annotation.internal.ProxyObstacle;
import io.distributedlock.annotation.internal.ReactiveTypes;
import io.distributedlock.annotation.internal.SimilarNames;
import io.distributedlock.internal.Printable;
import io.distributedlock.leadership.Leadership;
import io.distributedlock.leadership.annotation.LeaderOnly;
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

	/**
	 * Asks for no bean yet.
	 */
	LeaderOnlyMethod(AnnotatedMethod annotated, String name, ObjectProvider<Leadership> all) {
		this.annotated = annotated;
		this.name = name;
		this.leaderships = SingletonSupplier.of(() -> {
			requireEmptyResult(annotated, name);
			return resolve(all);
		});
	}

	/**
	 * Check the annotation against the method and the leaderships of the application.
	 * @throws InvalidLockDefinitionException if it cannot work
	 */
	void verify() {
		this.leaderships.get();
	}

	/**
	 * @param proxy the kind of proxy that the bean has, or will have
	 */
	List<LockFinding> inspect(ProxyKind proxy) {
		List<LockFinding> findings = new ArrayList<>();
		try {
			verify();
		}
		catch (InvalidLockDefinitionException ex) {
			findings.add(LockFinding.of(ex));
		}
		String obstacle = obstacle(proxy);
		if (obstacle != null) {
			findings.add(this.annotated.error(
					"@LeaderOnly(\"%s\") would have no effect, and every instance would run the method: %s."
						.formatted(this.name, obstacle),
					"Change that, or ask isLeader() of the Leadership at the beginning of the method."));
		}
		return findings;
	}

	private @Nullable String obstacle(ProxyKind proxy) {
		Class<?> type = this.annotated.targetClass();
		ContainerCallback callback = ContainerCallback.of(this.annotated.method(), type);
		if (callback != null) {
			return "it " + callback.role() + ", and Spring calls such a method on the bean itself";
		}
		ProxyObstacle obstacle = ProxyObstacle.of(this.annotated, proxy);
		return (obstacle == null) ? null : switch (obstacle) {
			case STATIC, PRIVATE -> "a proxy cannot intercept a static or private method";
			case FINAL_CLASS -> "a proxy cannot extend a final class";
			case NO_PROXY -> (AnnotatedMethod.isGenerated(type) || type.isInterface()) ? "the bean has no proxy for it"
					: "the bean was registered as a finished object, or was created before it could get a proxy";
			case NOT_IN_INTERFACE -> "the bean is proxied by its interfaces, and none of them has this method";
			case FINAL -> "a proxy cannot override a final method";
			case INVISIBLE -> "the method is package-private in another package than that of the proxy";
		};
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
		Supplier<?> empty = EmptyResult.of(this.annotated.resultType());
		return (empty != null) ? empty.get() : null;
	}

	/**
	 * Check that a call that only the leader runs can be skipped. What a publisher or a
	 * suspending function does begins after the call, when another instance may lead.
	 * @throws InvalidLockDefinitionException if it cannot
	 */
	private static void requireEmptyResult(AnnotatedMethod method, String leadership) {
		Class<?> type = method.resultType();
		String problem = null;
		if (method.isSuspending()) {
			problem = "The method is a suspending function, and would ask before it runs.";
		}
		else if (EmptyResult.of(type) != null) {
			return;
		}
		else if (ReactiveTypes.isPublisher(type)) {
			problem = "The method returns " + type.getSimpleName() + ", and would ask long before it is subscribed to.";
		}
		else if ((type.isPrimitive() && type != void.class) || EmptyResult.mustNotBeNull(method)) {
			problem = "The method returns " + type.getSimpleName() + ", which has no empty value for a skipped call.";
		}
		if (problem != null) {
			throw method.invalid("value", leadership, problem,
					"Return void, Optional or a future, or ask isLeader() of the Leadership in the method.");
		}
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
		String declare = "Declare a bean of type Leadership with this name, or with Spring Boot set 'distributed-lock.leadership["
				+ this.name + "].timeout=10s'.";
		return this.annotated.invalid("value", this.name, problem,
				(nearest != null) ? "Did you mean '" + nearest + "'? If not: " + declare : declare);
	}

}
