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

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.benchmarks.CommandLine;
import io.distributedlock.benchmarks.redis.RedisProbe;
import io.distributedlock.testsupport.RedisServer;

/**
 * Measures how locks scale: many held at once, many names, many instances.
 */
final class ScaleRun {

	private static final Logger logger = LoggerFactory.getLogger(ScaleRun.class);

	private final RedisServer redis;

	private final RedisProbe probe;

	private final Path directory;

	private final boolean small;

	private ScaleRun(RedisServer redis, RedisProbe probe, Path directory, boolean small) {
		this.redis = redis;
		this.probe = probe;
		this.directory = directory;
		this.small = small;
	}

	/**
	 * Runs the workloads.
	 * @param args --mode, where smoke is a tenth of the size and anything else the full
	 * size, --directory for logs, --output with the file to write, and --contestants with
	 * the workloads: held, names and instances, separated by commas, or all
	 * @throws Exception if a workload failed
	 */
	public static void main(String[] args) throws Exception {
		CommandLine options = new CommandLine(args);
		Path directory = Files.createDirectories(Path.of(options.get("--directory", "target/benchmarks")));
		List<String> workloads = options.get("--contestants", "all").equals("all")
				? List.of("held", "names", "instances") : List.of(options.get("--contestants", "all").split(","));
		List<String> rows = new ArrayList<>(
				List.of("| Workload | Figure | Target | Measured |", "| --- | --- | ---: | ---: |"));
		try (RedisServer redis = RedisServer.start(); RedisProbe probe = new RedisProbe(redis)) {
			ScaleRun run = new ScaleRun(redis, probe, directory, options.get("--mode", "quick").equals("smoke"));
			for (String workload : workloads) {
				run.run(workload).forEach((row) -> {
					logger.info(row);
					rows.add(row);
				});
			}
		}
		Files.writeString(Path.of(options.get("--output", "target/benchmarks/report.md")),
				String.join("\n", rows) + "\n");
	}

	private List<String> run(String workload) throws Exception {
		return switch (workload) {
			case "held" -> held();
			case "names" -> names();
			case "instances" -> instances();
			default -> throw new IllegalArgumentException("There is no workload '" + workload + "'");
		};
	}

	private List<String> held() throws InterruptedException {
		HeldLocks.Figures seen = new HeldLocks(url(), this.probe).measure(size(10_000), Duration.ofSeconds(30));
		String workload = String.format(Locale.ROOT, "%,d locks held by one instance, leases of 15 s", seen.count());
		return List.of(row(workload, "commands/s", "≤ " + seen.count() / 500, "%.1f", seen.commandsPerSecond()),
				row(workload, "renewal threads", "1", "%d", seen.threads()),
				row(workload, "still held", "%,d".formatted(seen.count()), "%,d", seen.held()));
	}

	private List<String> names() throws Exception {
		ManyNames.Figures seen = new ManyNames(url(), this.redis).measure(size(100_000));
		String workload = String.format(Locale.ROOT, "%,d names contended by 8 instances, then idle", seen.names());
		return List.of(row(workload, "acquisitions/s meanwhile", "-", "%,.0f", seen.pairsPerSecond()),
				row(workload, "heap growth, KiB for each instance", "0", "%.0f", seen.heapGrowth() / 1024.0 / 8),
				row(workload, "gates, holds, leases, handles, waiters and calls left", "0", "%d", seen.objects()),
				row(workload, "keys left in Redis", "0", "%d", seen.keys()));
	}

	private List<String> instances() throws InterruptedException {
		ManyInstances.Figures seen = new ManyInstances(url(), this.redis, this.probe, this.directory)
			.measure(size(1_000), Duration.ofSeconds(20));
		String workload = String.format(Locale.ROOT, "%,d instances wait for one lock", seen.count());
		return List.of(row(workload, "commands/s for each instance", "≤ 1", "%.2f", seen.commandsPerInstance()),
				row(workload, "connections of Redis", "-", "%,d", seen.connections()),
				row(workload, "served", "%,d".formatted(seen.count()), "%,d", seen.served()),
				row(workload, "served out of order", "0", "%d", seen.outOfOrder()),
				row(workload, "last one served after, s", "-", "%.2f", seen.seconds()));
	}

	private int size(int full) {
		return this.small ? full / 10 : full;
	}

	private URI url() {
		return URI.create(this.redis.url());
	}

	private static String row(String workload, String figure, String target, String format, Object measured) {
		return "| %s | %s | %s | %s |".formatted(workload, figure, target,
				String.format(Locale.ROOT, format, measured));
	}

}
