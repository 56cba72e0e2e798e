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

import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.AopUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for beans of which two auto-proxy creators have made a proxy each, as happens
 * when an application registers one of its own.
 */
class TwoProxiesTests {

	private final LockFixture fixture = new LockFixture();

	@AfterEach
	void stop() {
		this.fixture.close();
	}

	@Test
	void eachCallIsLockedOnce() throws Exception {
		Work work = startWithTwoCreators(true).start(Work.class);
		assertThat(AopUtils.isAopProxy(((Advised) work).getTargetSource().getTarget())).isTrue();
		assertThat(work.run("1")).isEqualTo("1");
		assertThat(this.fixture.locks.takeLog()).filteredOn(TwoProxiesTests::isAcquisition)
			.hasSize(1)
			.allMatch((entry) -> entry.contains("run:1"));
		assertThat(work.future("2").join()).isEqualTo("2");
		assertThat(this.fixture.locks.takeLog()).filteredOn(TwoProxiesTests::isAcquisition).hasSize(1);
		assertThat(work.mono("3").block()).isEqualTo("3");
		assertThat(this.fixture.locks.takeLog()).filteredOn(TwoProxiesTests::isAcquisition).hasSize(1);
	}

	@Test
	void callOfTheBeanThroughItsOwnProxyIsLocked() {
		Work work = startWithTwoCreators(true).start(Work.class);
		assertThat(work.runWithin(work)).isEqualTo("inner");
		assertThat(this.fixture.locks.takeLog()).filteredOn(TwoProxiesTests::isAcquisition)
			.hasSize(2)
			.anyMatch((entry) -> entry.contains("run:inner"));
	}

	@Test
	void twoInterfaceProxiesLockOnce() {
		startWithTwoCreators(false).bean("api", Impl.class, Impl::new).start(Unlocked.class);
		Api api = this.fixture.context.getBean(Api.class);
		assertThat(AopUtils.isJdkDynamicProxy(api)).isTrue();
		api.call();
		assertThat(this.fixture.locks.takeLog()).filteredOn(TwoProxiesTests::isAcquisition).hasSize(1);
	}

	private LockFixture startWithTwoCreators(boolean targetClass) {
		if (!targetClass) {
			this.fixture.interfaceProxies();
		}
		return this.fixture.bean("secondCreator", DefaultAdvisorAutoProxyCreator.class, () -> {
			DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
			creator.setProxyTargetClass(targetClass);
			return creator;
		});
	}

	private static boolean isAcquisition(String entry) {
		return entry.startsWith("acquire");
	}

	static class Work {

		@DistributedLock(name = "'run:' + #id")
		public String run(String id) {
			return id;
		}

		@DistributedLock(name = "outer")
		public String runWithin(Work self) {
			return self.run("inner");
		}

		@DistributedLock(name = "'future:' + #id")
		public CompletableFuture<String> future(String id) {
			return CompletableFuture.completedFuture(id);
		}

		@DistributedLock(name = "'mono:' + #id")
		public Mono<String> mono(String id) {
			return Mono.just(id);
		}

	}

	static class Unlocked {

	}

	interface Api {

		@DistributedLock
		void call();

	}

	static class Impl implements Api {

		@Override
		public void call() {
		}

	}

}
