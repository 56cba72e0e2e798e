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

package io.distributedlock.sample.stage;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The two instances that the scenarios are played against.
 *
 * @param watcher is told each step of a scenario
 */
record Instances(Instance first, Instance second, Consumer<String> watcher) {

	private static final Duration TIME_TO_WARM_UP = Duration.ofSeconds(30);

	/** In a row, each of which asks Redis. */
	private static final int QUICK_ANSWERS = 10;

	private static final Duration QUICK = Duration.ofMillis(200);

	/** Use two running instances, given by their addresses. */
	static Instances at(String... urls) {
		if (urls.length != 2) {
			throw new IllegalArgumentException("Two instances are needed, but these were given: " + List.of(urls));
		}
		return new Instances(new Instance(urls[0].strip()), new Instance(urls[1].strip()), (step) -> {
		});
	}

	/** The same instances with a watcher. */
	Instances watchedBy(Consumer<String> watcher) {
		return new Instances(this.first, this.second, watcher);
	}

	/** Say what a scenario does from now on. */
	void step(String what) {
		this.watcher.accept(what);
	}

	/** A name that no earlier run has used. */
	static String fresh(String prefix) {
		return prefix + "-" + UUID.randomUUID().toString().substring(0, 4);
	}

	/** Wait until both instances are healthy, which includes their connections. */
	void awaitHealthy() {
		for (Instance instance : List.of(this.first, this.second)) {
			for (int attempt = 0; attempt < 120 && !instance.isHealthy(); attempt++) {
				Pause.of(Duration.ofMillis(500));
			}
		}
	}

	/** Wait until both instances answer quickly, which a JVM that starts does not. */
	void awaitWarm() {
		Pause.until(() -> isWarm(this.first) && isWarm(this.second), TIME_TO_WARM_UP);
	}

	private static boolean isWarm(Instance instance) {
		return Stream.generate(() -> instance.get("/actuator/locks"))
			.limit(QUICK_ANSWERS)
			.allMatch((answer) -> answer.is(Answer.OK) && answer.took().compareTo(QUICK) < 0);
	}

	/** Both instances do the same at the same moment. */
	<T> List<T> bothAtOnce(Function<Instance, T> request) {
		return atOnce(2, request);
	}

	/** As many clients, alternately at the one and the other instance, all at once. */
	<T> List<T> atOnce(int clients, Function<Instance, T> request) {
		CountDownLatch start = new CountDownLatch(1);
		ExecutorService threads = Executors.newCachedThreadPool();
		try {
			List<Future<T>> answers = IntStream.range(0, clients).mapToObj((client) -> threads.submit(() -> {
				start.await();
				return request.apply((client % 2 == 0) ? this.first : this.second);
			})).toList();
			start.countDown();
			return answers.stream().map(Instances::await).toList();
		}
		finally {
			threads.shutdownNow();
		}
	}

	private static <T> T await(Future<T> answer) {
		try {
			return answer.get();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for an answer", ex);
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("A client got no answer", ex.getCause());
		}
	}

	@Override
	public String toString() {
		return this.first.url() + " and " + this.second.url();
	}

}
