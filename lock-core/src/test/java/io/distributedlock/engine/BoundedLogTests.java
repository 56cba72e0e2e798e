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

package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link BoundedLog}, and for what is logged through it.
 */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class BoundedLogTests extends EngineFixture {

	private final List<String> lines = new ArrayList<>();

	private final BoundedLog log = new BoundedLog("happened", this.here.engine().timer(), Runnable::run,
			this.lines::add);

	@Test
	void linesBeyondTheFirstInASecondAreCounted() {
		for (int i = 0; i < 1000; i++) {
			log("lock" + i);
		}
		assertThat(this.lines).hasSize(BoundedLog.MOST_LINES).startsWith("lock0").endsWith("lock19");
		advance(Duration.ofSeconds(1));
		assertThat(this.lines).last()
			.asString()
			.startsWith("980 more locks happened within a second")
			.contains("'lock20', 'lock21'")
			.doesNotContain("'lock999'");
		log("later");
		assertThat(this.lines).hasSize(BoundedLog.MOST_LINES + 2).endsWith("later");
	}

	@Test
	void linesThatComeSlowlyAreAllLogged() {
		for (int i = 0; i < 100; i++) {
			log("lock" + i);
			advance(Duration.ofMillis(100));
		}
		assertThat(this.lines).hasSize(100);
		assertThat(this.here.engine().timer().nextDue()).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void summaryLogsSuppressedLocksOnce() {
		for (int i = 0; i < 21; i++) {
			log("lock" + i);
		}
		this.log.summarize();
		assertThat(this.lines).hasSize(21).last().asString().startsWith("1 more locks happened");
		this.log.summarize();
		assertThat(this.lines).hasSize(21);
	}

	@Test
	void locksThatEndTogetherDoNotFloodTheLog(CapturedOutput output) throws Exception {
		List<LockHandle> handles = new ArrayList<>();
		for (int i = 0; i < 5000; i++) {
			handles.add(this.here.acquireAsync("lock" + i, LEASE_30S).join());
		}
		advance(Duration.ofSeconds(29));
		soon(() -> events(LockEvent.Lost.class).size() == 5000);
		advance(Duration.ofSeconds(1));
		soon(() -> output.toString().contains("4980 more locks were lost within a second"));
		assertThat(output.toString().lines().filter((line) -> line.contains("was lost"))).hasSize(20);
		assertThat(handles).noneMatch(LockHandle::isHeld);
	}

	private void log(String name) {
		this.log.log(name, this.ticker.nanos(), () -> this.lines.add(name));
	}

}
