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

package io.distributedlock.mutation;

import java.util.List;
import java.util.Map;

import io.distributedlock.store.trace.ScriptTraces;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts on a server that does not know {@code SET} with {@code GET}, as Redis
 * before 6.2: they take another way, to the same end. No such server is at hand.
 */
@Timeout(120)
class OldServerTests {

	private static final int TRACES = 150;

	private final SentScripts scripts = new SentScripts();

	private final ScriptTraces traces = new ScriptTraces();

	@AfterEach
	void stop() {
		this.traces.close();
		this.scripts.restore();
	}

	@Test
	void theScriptsDoWhatTheModelsAllow() throws Exception {
		assertThat(onAnOldServer()).isNull();
	}

	@Test
	void aMistakeOnTheOtherWayIsFound() throws Exception {
		String line = "redis.call('SET', KEYS[2], fence, 'PX', retention) @1";
		for (Map.Entry<String, String> change : Map
			.of("reserve.lua", line, "acquire.lua", "holder = redis.pcall('GET', KEYS[1])")
			.entrySet()) {
			ScriptMutant mutant = SentScripts.mutants(List.of(change.getKey()))
				.stream()
				.filter((each) -> each.line().equals(change.getValue()) && each.change().equals("removed"))
				.findFirst()
				.orElseThrow();
			assertThat(this.scripts.plant(mutant)).isTrue();
			assertThat(onAnOldServer()).as(change.getKey()).isNotNull();
			this.scripts.restore();
		}
	}

	private String onAnOldServer() throws Exception {
		return this.scripts.with((text) -> SentScripts.onAnOldServer(ScriptTraces.withStandingClock(text)),
				() -> this.traces.check(TRACES));
	}

}
