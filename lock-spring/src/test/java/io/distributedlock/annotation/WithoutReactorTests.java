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

import java.net.URLClassLoader;
import java.util.concurrent.Flow;
import java.util.function.UnaryOperator;

import io.distributedlock.testsupport.ClassPath;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;

import org.springframework.beans.factory.BeanCreationException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for return types in an application that has no Reactor to follow them with.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WithoutReactorTests {

	private final URLClassLoader loader = ClassPath.without("reactor-core");

	@AfterAll
	void close() throws Exception {
		this.loader.close();
	}

	@ParameterizedTest
	@ValueSource(classes = { Returning.OfPublisher.class, Returning.OfFlowPublisher.class, Returning.OfFlowable.class,
			Returning.OfObservable.class, Returning.OfMaybe.class, Returning.OfSingle.class,
			Returning.OfCompletable.class, Returning.OfUni.class, Returning.OfMulti.class })
	void deferredWorkIsRefusedAtTheStart(Class<?> type) throws Exception {
		assertThat(start(type)).contains("It is not known when the work of a method that returns ")
			.contains("Add io.projectreactor:reactor-core, which is needed to follow it.");
	}

	@Test
	void deferredWorkUnsupportedByReactorIsRefusedAtTheStart() throws Exception {
		assertThat(start(Returning.OfSingleOfRxJava2.class))
			.contains("Return a Mono or Flux, or the type of RxJava 3.");
	}

	@Test
	void aValueIsNotRefused() throws Exception {
		assertThat(start(Returning.OfText.class)).isEqualTo("started");
	}

	private String start(Class<?> type) throws Exception {
		return run(Application.class, type);
	}

	private String run(Class<? extends UnaryOperator<String>> what, Class<?> type) throws Exception {
		@SuppressWarnings("unchecked")
		UnaryOperator<String> application = (UnaryOperator<String>) this.loader.loadClass(what.getName())
			.getConstructor()
			.newInstance();
		return application.apply(type.getName());
	}

	/**
	 * Runs in the class loader without Reactor.
	 */
	public static class Application implements UnaryOperator<String> {

		@Override
		public String apply(String type) {
			try (LockFixture fixture = new LockFixture()) {
				fixture.context.setClassLoader(getClass().getClassLoader());
				fixture.start(Class.forName(type));
				return "started";
			}
			catch (BeanCreationException ex) {
				return String.valueOf(ex.getCause());
			}
			catch (ClassNotFoundException ex) {
				throw new IllegalArgumentException(ex);
			}
		}

	}

	static class Returning<T> {

		@DistributedLock("returning")
		T run() {
			throw new IllegalStateException("Never called.");
		}

		static class OfText extends Returning<String> {

		}

		static class OfPublisher extends Returning<Publisher<String>> {

		}

		static class OfFlowPublisher extends Returning<Flow.Publisher<String>> {

		}

		static class OfFlowable extends Returning<Flowable<String>> {

		}

		static class OfObservable extends Returning<Observable<String>> {

		}

		static class OfMaybe extends Returning<Maybe<String>> {

		}

		static class OfSingle extends Returning<Single<String>> {

		}

		static class OfCompletable extends Returning<Completable> {

		}

		static class OfSingleOfRxJava2 extends Returning<io.reactivex.Single<String>> {

		}

		static class OfUni extends Returning<Uni<String>> {

		}

		static class OfMulti extends Returning<Multi<String>> {

		}

	}

}
