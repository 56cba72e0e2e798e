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
import java.util.function.UnaryOperator;

import io.distributedlock.annotation.internal.ProxyKind;
import io.distributedlock.leadership.Leadership;
import io.distributedlock.leadership.annotation.LeaderOnly;
import io.distributedlock.leadership.annotation.internal.LeaderOnlyAdvisor;
import io.distributedlock.testsupport.ClassPath;
import io.reactivex.rxjava3.core.Single;
import io.smallrye.mutiny.Uni;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderOnly @LeaderOnly} on methods that return deferred work, in an
 * application without Reactor.
 */
class LeaderOnlyWithoutReactorTests {

	@ParameterizedTest
	@ValueSource(classes = { OfPublisher.class, OfSingle.class, OfUni.class })
	void deferredWorkIsRefused(Class<?> type) throws Exception {
		try (URLClassLoader loader = ClassPath.without("reactor-core")) {
			@SuppressWarnings("unchecked")
			UnaryOperator<String> application = (UnaryOperator<String>) loader.loadClass(Inspection.class.getName())
				.getConstructor()
				.newInstance();
			assertThat(application.apply(type.getName())).contains("and would ask long before it is subscribed to.");
		}
	}

	/**
	 * Runs in the class loader without Reactor, and says what is wrong with a method.
	 */
	public static class Inspection implements UnaryOperator<String> {

		@Override
		public String apply(String type) {
			try (LockFixture fixture = new LockFixture()) {
				fixture.context.refresh();
				return new LeaderOnlyAdvisor(fixture.context.getBean(LockedMethodRegistry.class),
						fixture.context.getBeanProvider(Leadership.class))
					.inspect(Class.forName(type), ProxyKind.CLASS)
					.toString();
			}
			catch (ClassNotFoundException ex) {
				throw new IllegalArgumentException(ex);
			}
		}

	}

	abstract static class Returning<T> {

		@LeaderOnly("returning")
		public abstract T run();

	}

	abstract static class OfPublisher extends Returning<Publisher<String>> {

	}

	abstract static class OfSingle extends Returning<Single<String>> {

	}

	abstract static class OfUni extends Returning<Uni<String>> {

	}

}
