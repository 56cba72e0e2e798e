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

package io.distributedlock.annotation.internal.validation;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.Spliterator;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.BaseStream;
import java.util.stream.Stream;

import io.distributedlock.annotation.LockFinding;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.LockAttributes;
import io.distributedlock.annotation.internal.ReactiveTypes;
import io.distributedlock.internal.LockAttribute;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.core.io.InputStreamSource;

/**
 * Looks for annotations that work, but perhaps not as their author expects.
 */
public final class LockWarnings {

	private static final String SEQUENCE = "kotlin.sequences.Sequence";

	private static final String DISPOSABLE = "reactor.core.Disposable";

	private static final Set<Class<?>> LAZY = Set.of(BaseStream.class, Iterator.class, Spliterator.class,
			Supplier.class, Function.class, Runnable.class, InputStream.class, InputStreamSource.class);

	/** Type variables may refer to themselves. */
	private static final int DEEPEST = 3;

	private LockWarnings() {
	}

	public static List<LockFinding> of(InspectedMethod method) {
		List<LockFinding> findings = new ArrayList<>();
		AnnotatedMethod annotated = method.annotated();
		Class<?> type = annotated.resultType();
		if (type == Object.class && !annotated.isSuspending()) {
			findings.add(annotated.warning(
					"It is declared to return Object, and its lock is released when it returns: if the result is a future, a Mono or the like, its work continues without the lock.",
					"Declare the type that it really returns."));
		}
		Class<?> nested = annotated.isSuspending() ? null
				: nestedIn(ResolvableType.forMethodReturnType(annotated.method(), annotated.targetClass()), 0);
		if (nested != null) {
			findings.add(annotated.warning(
					"Its result is a %s that contains %s, and its lock is released without waiting for that: it is computed without the lock."
						.formatted(type.getSimpleName(), nested.getSimpleName()),
					"Return the values, or one future or publisher that ends when all of them are there, as of CompletableFuture.allOf."));
		}
		if (isLazy(type) || annotated.returns(SEQUENCE)) {
			findings.add(annotated.warning("Its result is of type " + type.getSimpleName()
					+ ", and its lock is released when it returns: what the result computes later is computed without the lock.",
					"Return a collection, or the value."));
		}
		method.locks()
			.stream()
			.filter((lock) -> lock.attributes().mentionsRenewal() && !lock.options().get().autoRenew())
			.findFirst()
			.ifPresent((lock) -> findings.add(withoutRenewal(annotated, lock.attributes())));
		if (method.locks()
			.stream()
			.anyMatch((lock) -> Integer.valueOf(1).equals(lock.attributes().given(LockAttribute.PERMITS)))) {
			findings.add(annotated.warning("It sets permits = 1, which a lock has anyway.", "Remove permits."));
		}
		return findings;
	}

	/**
	 * Only the configuration of a lock switches off what its annotation asks for.
	 */
	private static LockFinding withoutRenewal(AnnotatedMethod method, LockAttributes attributes) {
		if (attributes.given(LockAttribute.AUTO_RENEW) != null) {
			return method.warning(
					"Its annotation renews the lease, and the configuration of the lock switches that off: the lock is lost if the work takes longer than the lease.",
					"Remove the auto-renew of this lock (with Spring Boot, under distributed-lock.locks).");
		}
		return method.warning("It sets renewInterval or maxHold, but its lease is not renewed: they have no effect.",
				"Add autoRenew = true, or, with Spring Boot, set 'distributed-lock.defaults.auto-renew'; or remove them.");
	}

	private static boolean isLazy(Class<?> type) {
		return type == Iterable.class || LAZY.stream().anyMatch((lazy) -> lazy.isAssignableFrom(type))
				|| AnnotatedMethod.isNamed(type, DISPOSABLE);
	}

	private static @Nullable Class<?> nestedIn(ResolvableType type, int depth) {
		Stream<ResolvableType> parts = type.isArray() ? Stream.of(type.getComponentType())
				: Arrays.stream(type.getGenerics());
		return (depth == DEEPEST) ? null : parts.map((part) -> {
			Class<?> found = part.toClass();
			return (isLazy(found) || Future.class.isAssignableFrom(found)
					|| CompletionStage.class.isAssignableFrom(found) || ReactiveTypes.isPublisher(found)) ? found
							: nestedIn(part, depth + 1);
		}).filter(Objects::nonNull).findFirst().orElse(null);
	}

}
