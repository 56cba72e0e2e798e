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

package io.distributedlock.autoconfigure;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockContext;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnContention;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application whose locks are correct hears nothing of them, and does what it should.
 */
@ExtendWith(OutputCaptureExtension.class)
class CorrectApplicationTests {

	@Test
	void anApplicationWithoutMistakesHearsNothing(CapturedOutput output) {
		try (ConfigurableApplicationContext context = run(List.of(Application.class, Clean.class))) {
			assertThat(context.getBean(Orders.class).pay(new Order(7, true))).isTrue();
			assertThat(context.getBean(LazyOrders.class).pay(7)).isTrue();
			assertThat(context.getBean(Prototypes.class).pay(7)).isTrue();
		}
		assertThat(output.toString().lines().filter((line) -> line.contains(" WARN "))).singleElement()
			.asString()
			.contains("distributed-lock.provider is 'in-memory'");
		assertThat(output).doesNotContain("ERROR");
	}

	/**
	 * What the documentation says: look, lock, look again.
	 */
	@Test
	void manyRequestsLoadACachedAndLockedValueOnceWithoutRefusals() throws Exception {
		try (ConfigurableApplicationContext context = run(List.of(Application.class, Clean.class))) {
			Books books = context.getBean(Books.class);
			ExecutorService executor = Executors.newFixedThreadPool(50);
			try {
				List<Callable<String>> requests = Collections.nCopies(200, () -> books.book("isbn"));
				for (Future<String> answer : executor.invokeAll(requests)) {
					assertThat(answer.get()).isEqualTo("Book isbn");
				}
			}
			finally {
				executor.shutdownNow();
			}
			assertThat(context.getBean(BookLoader.class).loads()).isOne();
		}
	}

	private static ConfigurableApplicationContext run(List<Class<?>> sources) {
		SpringApplication application = new SpringApplication(sources.toArray(Class<?>[]::new));
		application.setWebApplicationType(WebApplicationType.NONE);
		return application.run("--distributed-lock.provider=in-memory", "--spring.main.banner-mode=off");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching(proxyTargetClass = true)
	@ImportAutoConfiguration({ DistributedLockAutoConfiguration.class, LockAnnotationAutoConfiguration.class })
	static class Application {

		@Bean
		CacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Clean {

		@Bean
		Orders orders() {
			return new Orders();
		}

		@Bean
		@Lazy
		LazyOrders lazyOrders() {
			return new LazyOrders();
		}

		@Bean
		@Scope("prototype")
		Prototypes prototypes() {
			return new Prototypes();
		}

		@Bean
		Books books(BookLoader loader) {
			return new Books(loader);
		}

		@Bean
		BookLoader bookLoader(CacheManager caches) {
			return new BookLoader(caches);
		}

	}

	record Order(long id, boolean paid) {
	}

	static class Orders {

		@DistributedLock(name = "'order:' + #order.id", timeout = 60, waitTime = 2,
				condition = "!#order.paid || #order.id > 0")
		public boolean pay(Order order) {
			return LockContext.current().isPresent();
		}

		@DistributedLock(name = "app:{shop}:nightly", onContention = OnContention.SKIP, minHoldString = "5s")
		public void nightly() {
		}

	}

	static class LazyOrders {

		@DistributedLock(name = "lazy:#{#id}")
		public boolean pay(long id) {
			return LockContext.current().isPresent();
		}

	}

	static class Prototypes {

		@DistributedLock(name = "'prototype:' + #id")
		public boolean pay(long id) {
			return LockContext.current().isPresent();
		}

	}

	static class Books {

		private final BookLoader loader;

		Books(BookLoader loader) {
			this.loader = loader;
		}

		@Cacheable("books")
		public String book(String isbn) {
			return this.loader.load(isbn);
		}

	}

	static class BookLoader {

		private final AtomicInteger loads = new AtomicInteger();

		private final Cache cache;

		BookLoader(CacheManager caches) {
			this.cache = caches.getCache("books");
		}

		@DistributedLock(name = "'book:' + #isbn", waitTime = 20)
		public String load(String isbn) {
			return this.cache.get(isbn, () -> fetch(isbn));
		}

		private String fetch(String isbn) {
			this.loads.incrementAndGet();
			return "Book " + isbn;
		}

		public int loads() {
			return this.loads.get();
		}

	}

}
