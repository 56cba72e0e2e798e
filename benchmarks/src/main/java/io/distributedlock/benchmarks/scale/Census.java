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

package io.distributedlock.benchmarks.scale;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.management.JMException;
import javax.management.ObjectName;

/**
 * What lives in this JVM after garbage collection.
 *
 * @param bytes the used heap
 */
record Census(long bytes, long ofEngine) {

	private static final Pattern OF_A_LOCK = Pattern.compile(
			"(?m)^\\s*\\d+:\\s+(\\d+)\\s+\\d+\\s+io\\.distributedlock\\.(engine\\.(Gate|Contender|Hold|Lease|Handle|BlockingWaiter|AsyncWaiter)"
					+ "|redis\\.ScriptCall)\\s");

	private static final int COLLECTIONS = 4;

	static Census take() throws JMException {
		for (int collection = 0; collection < COLLECTIONS; collection++) {
			System.gc();
		}
		String histogram = String.valueOf(ManagementFactory.getPlatformMBeanServer()
			.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
					new Object[] { new String[0] }, new String[] { String[].class.getName() }));
		Matcher line = OF_A_LOCK.matcher(histogram);
		long objects = 0;
		while (line.find()) {
			objects += Long.parseLong(line.group(1));
		}
		return new Census(ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(), objects);
	}

	static List<String> threads(String prefix) {
		Thread[] threads = new Thread[2 * Thread.activeCount() + 100];
		int count = Thread.enumerate(threads);
		return Arrays.stream(threads, 0, count).map(Thread::getName).filter((name) -> name.startsWith(prefix)).toList();
	}

}
