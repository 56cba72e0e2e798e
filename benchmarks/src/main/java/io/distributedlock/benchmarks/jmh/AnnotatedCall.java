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

package io.distributedlock.benchmarks.jmh;

import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.benchmarks.contestant.LockApplication;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import reactor.core.publisher.Mono;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * A call of an annotated method whose lock name is one SpEL expression of one argument,
 * without Redis: the store grants everything.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AnnotatedCall {

	// Set before the first call
	@SuppressWarnings("NullAway.Init")
	private ConfigurableApplicationContext application;

	// Set before the first call
	@SuppressWarnings("NullAway.Init")
	private Orders annotated;

	/**
	 * Starts the application.
	 */
	@Setup
	public void start() {
		this.application = LockApplication.with(Application.class)
			.properties("distributed-lock.provider=in-memory")
			.initializers((context) -> context.getBeanFactory().registerSingleton("granting", new GrantingStore()))
			.run();
		this.annotated = this.application.getBean(Orders.class);
	}

	/**
	 * The call through the proxy.
	 */
	@Benchmark
	public int annotatedCall() {
		return this.annotated.pay("4711");
	}

	/**
	 * The same, reactive.
	 */
	@Benchmark
	public int annotatedMono() {
		return Objects.requireNonNull(this.annotated.payLater("4711").block());
	}

	/**
	 * Stops the application.
	 */
	@TearDown
	public void stop() {
		this.application.close();
	}

	/**
	 * Something to lock.
	 */
	public static class Orders {

		/**
		 * Pays an order.
		 */
		@DistributedLock(name = "'order:' + #orderId", timeout = 30)
		public int pay(String orderId) {
			return orderId.length();
		}

		/**
		 * Pays an order on subscription.
		 */
		@DistributedLock(name = "'order:' + #orderId", timeout = 30)
		public Mono<Integer> payLater(String orderId) {
			return Mono.fromSupplier(orderId::length);
		}

	}

	/**
	 * One annotated bean.
	 */
	public static class Application {

		@Bean
		Orders orders() {
			return new Orders();
		}

	}

}
