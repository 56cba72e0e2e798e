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

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SkipLog}.
 */
@ExtendWith(OutputCaptureExtension.class)
class SkipLogTests {

	private final AtomicLong nanoTime = new AtomicLong(-5);

	private final SkipLog log = new SkipLog(this.nanoTime::get);

	private final AnnotatedMethod method = new AnnotatedMethod(ReflectionUtils.findMethod(SkipLogTests.class, "locked"),
			SkipLogTests.class);

	@Test
	void aSkipIsLoggedOnceAMinute(CapturedOutput output) {
		skip("a");
		skip("b");
		this.nanoTime.addAndGet(Duration.ofSeconds(59).toNanos());
		skip("c");
		this.nanoTime.addAndGet(Duration.ofSeconds(1).toNanos());
		skip("d");
		skip("e");
		assertThat(output.toString().lines().filter((line) -> line.contains("is skipped"))).hasSize(2)
			.allMatch((line) -> line.contains("INFO"))
			.satisfiesExactly((line) -> assertThat(line).contains("lock 'a'"),
					(line) -> assertThat(line).contains("lock 'd'"));
	}

	@Test
	void allSkipsAreLoggedAtDebugLevel(CapturedOutput output) {
		Logger logger = (Logger) LoggerFactory.getLogger(DistributedLock.class);
		logger.setLevel(Level.DEBUG);
		try {
			skip("a");
			skip("b");
			skip("c\nERROR d");
		}
		finally {
			logger.setLevel(null);
		}
		assertThat(output).containsPattern("INFO .*SkipLogTests.locked is skipped: lock 'a' is held elsewhere")
			.containsPattern("DEBUG .*SkipLogTests.locked is skipped: lock 'b' is held elsewhere")
			.containsPattern("DEBUG .*lock 'c\\\\u000AERROR d'");
	}

	private void skip(String name) {
		this.log.skipped(this.method, "is skipped", new LockNotAcquiredException(name, Duration.ZERO, null), "");
	}

	void locked() {
	}

}
