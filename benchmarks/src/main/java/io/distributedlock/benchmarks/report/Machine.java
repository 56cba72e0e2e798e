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

package io.distributedlock.benchmarks.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

import com.sun.management.OperatingSystemMXBean;
import io.lettuce.core.LettuceVersion;

/**
 * Where and with what a run was made.
 *
 * @param memory the memory in GiB
 * @param load the load average when the run began
 */
public record Machine(LocalDate date, String processor, long memory, String system, String java, String redis,
		double load, Map<String, String> versions) {

	private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

	public static Machine observe(String redis) {
		OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
		return new Machine(LocalDate.now(), system.getAvailableProcessors() + " x " + processorModel(),
				Math.round(system.getTotalMemorySize() / (double) (1L << 30)),
				system.getName() + ' ' + system.getVersion() + ' ' + system.getArch(),
				System.getProperty("java.vm.name") + ' ' + Runtime.version(), redis, system.getSystemLoadAverage(),
				libraryVersions());
	}

	private static String processorModel() {
		try {
			return Files.readAllLines(PROCESSORS)
				.stream()
				.filter((line) -> line.startsWith("model name"))
				.map((line) -> line.substring(line.indexOf(':') + 1).strip())
				.findFirst()
				.orElse("processor of unknown model");
		}
		catch (IOException ex) {
			return "processor of unknown model";
		}
	}

	private static Map<String, String> libraryVersions() {
		Properties properties = new Properties();
		try (InputStream file = Machine.class.getResourceAsStream("versions.properties")) {
			properties.load(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Map<String, String> versions = new TreeMap<>(
				Map.of("Lettuce", LettuceVersion.getVersion().replaceFirst("/.*", "")));
		properties.stringPropertyNames().forEach((name) -> versions.put(name, properties.getProperty(name)));
		return versions;
	}

}
