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

package io.distributedlock.test;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.autoconfigure.json.JsonTest;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for locked methods in slices of an application, with and without
 * {@link AutoConfigureDistributedLock}.
 */
@ExtendWith(OutputCaptureExtension.class)
class SlicedTests {

	private static final String WARNING = " without a lock in context ";

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Application {

	}

	static class Stock {

		@DistributedLock(name = "'stock:' + #article", timeout = 10)
		public void sell(long article) {
		}

	}

	@Nested
	@JsonTest
	@Import(Stock.class)
	@TestMethodOrder(MethodOrderer.MethodName.class)
	class WithoutLocks {

		@Test
		void first(CapturedOutput output) {
			assertThat(output).containsOnlyOnce(WARNING)
				.contains("1 method with a lock annotation runs" + WARNING)
				.contains("for example " + Stock.class.getName() + ".sell(long). ")
				.contains("In a test with a slice of the application, add @AutoConfigureDistributedLock.");
		}

		@Test
		void second(CapturedOutput output) {
			assertThat(output).containsOnlyOnce(WARNING);
		}

	}

	@Nested
	@JsonTest
	@Import(Stock.class)
	@AutoConfigureDistributedLock
	class WithLocks {

		@Autowired
		private Stock stock;

		@Autowired
		private TestLocks locks;

		@Test
		void locks(CapturedOutput output) {
			LockHandle elsewhere = this.locks.hold("stock:1");
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.stock.sell(1));
			elsewhere.close();
			this.stock.sell(1);
			assertThat(output).doesNotContain(WARNING);
		}

	}

	@Nested
	@JsonTest
	class WithAMock {

		@MockitoBean
		private Stock stock;

		@Test
		void isNotWarnedOf(CapturedOutput output) {
			assertThat(this.stock).isNotNull();
			assertThat(output).doesNotContain(WARNING);
		}

	}

	@Nested
	@JsonTest
	@Import(Stock.class)
	class WithASpy {

		@MockitoSpyBean
		private Stock stock;

		@Test
		void isWarnedOf(CapturedOutput output) {
			assertThat(this.stock).isNotNull();
			assertThat(output).containsOnlyOnce(WARNING);
		}

	}

	@Nested
	@JsonTest
	@Import(Stock.class)
	@TestPropertySource(properties = "distributed-lock.enabled=false")
	class SwitchedOff {

		@Test
		void isNotWarnedOf(CapturedOutput output) {
			assertThat(output).doesNotContain(WARNING);
		}

	}

	@Nested
	@SpringBootTest(properties = "distributed-lock.provider=in-memory")
	class WholeApplicationWithAMock {

		@MockitoBean
		private Stock stock;

		@Test
		void starts(CapturedOutput output) {
			assertThat(this.stock).isNotNull();
			assertThat(output).doesNotContain(WARNING);
		}

	}

	@Nested
	@SpringBootTest(properties = "distributed-lock.provider=in-memory")
	@Import(Stock.class)
	class WholeApplication {

		@Test
		void isNotWarnedOf(CapturedOutput output) {
			assertThat(output).doesNotContain(WARNING);
		}

	}

}
