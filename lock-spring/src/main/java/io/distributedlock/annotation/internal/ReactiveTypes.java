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

package io.distributedlock.annotation.internal;

import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.BeanUtils;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/**
 * Knows the types whose work begins when they are subscribed to.
 */
public final class ReactiveTypes {

	/** Kotlin's type of several values. */
	public static final String FLOW = "kotlinx.coroutines.flow.Flow";

	/** Whether Reactor is on the class path. */
	public static final boolean AVAILABLE = ClassUtils.isPresent("reactor.core.publisher.Mono",
			ReactiveTypes.class.getClassLoader());

	/**
	 * Types whose work goes on after the method returned, and cannot be followed without
	 * Reactor. Other types of RxJava and Mutiny are publishers.
	 */
	private static final List<String> PUBLISHERS = List.of("org.reactivestreams.Publisher",
			"java.util.concurrent.Flow$Publisher", FLOW, "io.reactivex.rxjava3.core.Observable",
			"io.reactivex.rxjava3.core.Maybe", "io.reactivex.rxjava3.core.Single",
			"io.reactivex.rxjava3.core.Completable", "io.smallrye.mutiny.Uni");

	/**
	 * Types of RxJava 1 and 2, which Spring does not know. An application may teach it.
	 */
	private static final List<String> UNKNOWN = List.of("io.reactivex.Observable", "io.reactivex.Maybe",
			"io.reactivex.Single", "io.reactivex.Completable", "rx.Observable", "rx.Single", "rx.Completable");

	private ReactiveTypes() {
	}

	/**
	 * Return whether a value of the type can stand for no work that is still going on.
	 * True for most methods, which the start therefore need not inspect further.
	 */
	public static boolean isSimple(Class<?> type) {
		return type == void.class || BeanUtils.isSimpleValueType(type);
	}

	public static boolean isPublisher(Class<?> type) {
		return Stream.of(PUBLISHERS, UNKNOWN)
			.flatMap(List::stream)
			.anyMatch((name) -> AnnotatedMethod.isNamed(type, name)) || adapterFor(type) != null;
	}

	/**
	 * Return what to do about a method without an {@linkplain #adapterFor adapter},
	 * {@code null} if it returns no publisher.
	 */
	public static @Nullable String remedy(AnnotatedMethod method) {
		if (UNKNOWN.stream().anyMatch(method::returns)) {
			return "Return a Mono or Flux, or the type of RxJava 3.";
		}
		String library = method.returns(FLOW) ? "org.jetbrains.kotlinx:kotlinx-coroutines-reactor"
				: "io.projectreactor:reactor-core";
		return PUBLISHERS.stream().anyMatch(method::returns) ? "Add " + library + ", which is needed to follow it."
				: null;
	}

	/**
	 * Return {@code null} if the method is not reactive, or Reactor is absent.
	 */
	public static @Nullable ReactiveAdapter adapterFor(AnnotatedMethod method) {
		return AVAILABLE ? Reactor.adapterFor(method) : null;
	}

	/**
	 * Return {@code null} if the type is not reactive, or Reactor is absent.
	 */
	public static @Nullable ReactiveAdapter adapterFor(Class<?> type) {
		ReactiveAdapter adapter = (AVAILABLE && type != Object.class && !isSimple(type))
				? ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) : null;
		return (adapter != null && adapter.getDescriptor().isDeferred()) ? adapter : null;
	}

	/**
	 * The registry also finds the adapter of a supertype.
	 */
	public static boolean makes(ReactiveAdapter adapter, Class<?> type) {
		return type.isInstance(empty(adapter));
	}

	/**
	 * Return what completes empty. Spring's empty value of Mutiny's {@code Uni} never
	 * completes.
	 */
	public static Object empty(ReactiveAdapter adapter) {
		return Reactor.empty(adapter);
	}

	public static String made(ReactiveAdapter adapter) {
		return Reactor.made(adapter);
	}

	/**
	 * The part that requires Reactor.
	 */
	private static final class Reactor {

		/**
		 * Spring turns suspending functions into a Mono, or a Flux if they return a Flow.
		 */
		static @Nullable ReactiveAdapter adapterFor(AnnotatedMethod method) {
			return ReactiveTypes.adapterFor(
					!method.isSuspending() ? method.resultType() : method.returns(FLOW) ? Flux.class : Mono.class);
		}

		static Object empty(ReactiveAdapter adapter) {
			return adapter.fromPublisher(adapter.isMultiValue() ? Flux.empty() : Mono.empty());
		}

		static String made(ReactiveAdapter adapter) {
			Class<?> type = adapter.getReactiveType();
			return (type.isAssignableFrom(Flux.class) ? Flux.class : type).getName();
		}

	}

}
