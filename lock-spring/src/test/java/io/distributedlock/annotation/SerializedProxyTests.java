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

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;

import io.distributedlock.LockContext;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for proxies that are written and read, as session stores do.
 */
class SerializedProxyTests {

	@Test
	void aProxyThatWasWrittenAndReadStillLocks() throws Exception {
		try (LockFixture fixture = new LockFixture().interfaceProxies()) {
			Cart copy = read(write(start(fixture)));
			assertThat(copy.add("x")).isTrue();
			assertThat(fixture.locks.log).contains("acquire cart:x");
		}
	}

	@Test
	void aProxyThatIsReadWhereThereAreNoLocksIsRefused() throws Exception {
		byte[] bytes;
		try (LockFixture fixture = new LockFixture().interfaceProxies()) {
			bytes = write(start(fixture));
		}
		assertThatExceptionOfType(InvalidObjectException.class).isThrownBy(() -> read(bytes))
			.withMessageContaining("There is no DistributedLockAdvisor with the name 'distributedLockAdvisor'");
	}

	private static Cart start(LockFixture fixture) {
		fixture.context.registerBean("cart", CartBean.class);
		fixture.context.refresh();
		return fixture.context.getBean(Cart.class);
	}

	private static byte[] write(Object object) throws Exception {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
			out.writeObject(object);
		}
		return bytes.toByteArray();
	}

	private static Cart read(byte[] bytes) throws Exception {
		try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
			return (Cart) in.readObject();
		}
	}

	interface Cart {

		boolean add(String item);

	}

	static class CartBean implements Cart, Serializable {

		private static final long serialVersionUID = 1L;

		@Override
		@DistributedLock("'cart:' + #item")
		public boolean add(String item) {
			return LockContext.current().isPresent();
		}

	}

}
