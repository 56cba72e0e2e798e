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
package io.distributedlock.sample.app.payment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.sample.app.SlowWork;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Pays without a lock, as if it had been lost: only the key is left.
 */
class PaymentServiceTests {

	private final EmbeddedDatabase database = new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2)
		.generateUniqueName(true)
		.addScript("schema.sql")
		.build();

	private final PaymentRepository payments = new PaymentRepository(JdbcClient.create(this.database));

	private final List<Duration> asked = new ArrayList<>();

	@AfterEach
	void shutdown() {
		this.database.shutdown();
	}

	@Test
	void theKeyRefusesAPaymentThatSlipsThroughTheLockBeforeTheGatewayIsAsked() {
		PaymentService second = new PaymentService(this.payments, new Gateway(() -> {
		}));
		List<Throwable> refusals = new ArrayList<>();
		PaymentService first = new PaymentService(this.payments,
				new Gateway(() -> refusals.add(catchThrowable(() -> second.pay(8, "4711")))));
		assertThat(first.pay(7, "4711").newlyPaid()).isTrue();
		assertThat(refusals).singleElement().isInstanceOf(DuplicateKeyException.class);
		assertThat(this.asked).hasSize(1);
		assertThat(this.payments.count("4711")).isEqualTo(1);
		assertThat(second.pay(7, "4711").newlyPaid()).as("later").isFalse();
		assertThat(second.pay(7, "4712").newlyPaid()).as("another order").isTrue();
	}

	@Test
	void aPaymentWhoseEndIsNotKnownIsNotRepeated() {
		PaymentService service = new PaymentService(this.payments, new Gateway(() -> {
			throw new IllegalStateException("no answer");
		}));
		assertThatIllegalStateException().isThrownBy(() -> service.pay(7, "4711"));
		assertThatExceptionOfType(DuplicateKeyException.class).isThrownBy(() -> service.pay(7, "4711"));
		assertThat(this.asked).hasSize(1);
		assertThat(this.payments.count("4711")).as("paid, as far as is known").isZero();
	}

	private final class Gateway extends SlowWork {

		private final Runnable meanwhile;

		Gateway(Runnable meanwhile) {
			this.meanwhile = meanwhile;
		}

		@Override
		public void take(Duration time) {
			PaymentServiceTests.this.asked.add(time);
			this.meanwhile.run();
		}

	}

}
