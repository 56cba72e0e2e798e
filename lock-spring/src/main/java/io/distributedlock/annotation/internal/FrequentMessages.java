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

package io.distributedlock.annotation.internal;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;

/**
 * Logs messages of one kind: all of them at debug level, one of them a minute at info
 * level.
 */
public final class FrequentMessages {

	private static final long INFO_INTERVAL = TimeUnit.MINUTES.toNanos(1);

	private final Log logger;

	private final String others;

	private final LongSupplier nanoTime;

	private final AtomicLong nextInfo;

	/**
	 * Create a new instance.
	 * @param others says at info level what happens to the other messages
	 * @param nanoTime the source of time, in nanoseconds from any origin
	 */
	public FrequentMessages(Log logger, String others, LongSupplier nanoTime) {
		this.logger = logger;
		this.others = others;
		this.nanoTime = nanoTime;
		this.nextInfo = new AtomicLong(nanoTime.getAsLong());
	}

	public void log(Supplier<String> message) {
		if (this.logger.isInfoEnabled() && isTimeForInfo()) {
			this.logger.info(message.get() + ' ' + this.others);
		}
		else if (this.logger.isDebugEnabled()) {
			this.logger.debug(message.get());
		}
	}

	private boolean isTimeForInfo() {
		long now = this.nanoTime.getAsLong();
		long next = this.nextInfo.get();
		return now - next >= 0 && this.nextInfo.compareAndSet(next, now + INFO_INTERVAL);
	}

}
