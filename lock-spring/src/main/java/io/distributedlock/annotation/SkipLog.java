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

import java.util.function.LongSupplier;

import io.distributedlock.LockInfo;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.FrequentMessages;
import io.distributedlock.internal.Printable;
import org.apache.commons.logging.LogFactory;

/**
 * Logs the calls that did not get one lock, by its declared name: all of them at debug
 * level, one of them a minute at info level.
 */
final class SkipLog {

	private final FrequentMessages messages;

	SkipLog(LongSupplier nanoTime) {
		this.messages = new FrequentMessages(LogFactory.getLog(DistributedLock.class),
				"Further skips of this lock are logged once a minute, and all of them at debug level.", nanoTime);
	}

	/**
	 * @param instead how the call was answered instead
	 * @param busy contains the holder of the lock, which may be done and keep the lock
	 * only for its minimum hold
	 * @param purpose what the call was for, as a sentence, or an empty text
	 */
	void skipped(AnnotatedMethod method, String instead, LockNotAcquiredException busy, String purpose) {
		this.messages.log(() -> message(method, instead, busy) + (purpose.isEmpty() ? "" : " " + purpose));
	}

	private static String message(AnnotatedMethod method, String instead, LockNotAcquiredException busy) {
		LockInfo info = busy.getHolder();
		return method.shortName() + " " + instead + ": lock '" + Printable.of(busy.getLockName()) + "' is "
				+ ((info != null) ? info.describe() : "held elsewhere") + ".";
	}

}
