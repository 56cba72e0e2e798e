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

package io.distributedlock.campaign.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.distributedlock.LockInspector;
import io.distributedlock.LockService;
import io.distributedlock.campaign.history.Journal;
import io.distributedlock.internal.DaemonThread;
import io.distributedlock.leadership.LeaderElection;
import io.distributedlock.reactive.ReactiveLocks;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * An application that takes and releases locks, as a user has it: Spring Boot, the
 * starter, the public API. The campaign tells it what to do through its standard input,
 * and it answers through its standard output; all that it did is in its journal.
 */
@EnableAutoConfiguration
@Import({ AnnotatedWork.class, FencedWork.class, CallbackWork.class, JobConfiguration.class })
public class WorkerMain {

	/**
	 * Starts a worker.
	 * @param args its number, the directory of its journal, a seed, the number of its
	 * threads, how many of them have long sections, how many locks are for these, and
	 * properties of Spring Boot as {@code name=value}
	 */
	public static void main(String[] args) throws Exception {
		PrintStream answers = System.out;
		System.setOut(System.err);
		int worker = Integer.parseInt(args[0]);
		Journal journal = new Journal(Path.of(args[1]), worker);
		SplittableRandom random = new SplittableRandom(Long.parseLong(args[2]));
		int threads = Integer.parseInt(args[3]);
		int longThreads = Integer.parseInt(args[4]);
		LockNames names = new LockNames(Integer.parseInt(args[5]));
		List<String> properties = new ArrayList<>(List.of(args).subList(6, args.length));
		properties.add("distributed-lock.instance-name=worker-" + worker);
		ConfigurableApplicationContext application = new SpringApplicationBuilder(WorkerMain.class)
			.web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.registerShutdownHook(false)
			.properties(properties.toArray(String[]::new))
			.run();
		Alarm alarm = new Alarm();
		Bench bench = new Bench(names, application.getBean(LockService.class), application.getBean(LockInspector.class),
				application.getBean(ReactiveLocks.class), application.getBean(AnnotatedWork.class),
				application.getBean(FencedWork.class), application.getBean(CallbackWork.class), alarm, journal,
				new AtomicLong());
		Candidates candidates = new Candidates(bench, application.getBean(LeaderElection.class), random.split());
		Traffic traffic = application.getBean(Traffic.class);
		for (int i = 0; i < threads; i++) {
			Workloads.Pace pace = (i < longThreads) ? Workloads.Pace.LONG : Workloads.Pace.SHORT;
			new DaemonThread(new WorkerThread(bench, traffic, pace, random.split()), "campaign-" + i).start();
		}
		application.getBean(JobCalls.class).start(application.getBean(JobWork.class), bench, random.split());
		Thread pulse = new DaemonThread(new Pulse(journal, redis(application.getEnvironment())), "campaign-pulse");
		pulse.start();
		StandingLoad load = new StandingLoad(bench.locks(), worker);
		load.warmUp();
		answers.println("ready");
		obey(bench, traffic, candidates, load, application, pulse, answers);
		// The campaign is over, or it is gone
		Runtime.getRuntime().halt(0);
	}

	/** Sentinels and clusters have no single address. */
	private static @Nullable InetSocketAddress redis(Environment environment) {
		String host = environment.getProperty("spring.data.redis.host");
		return (host != null)
				? new InetSocketAddress(host, environment.getRequiredProperty("spring.data.redis.port", Integer.class))
				: null;
	}

	private static void obey(Bench bench, Traffic traffic, Candidates candidates, StandingLoad load,
			ConfigurableApplicationContext application, Thread pulse, PrintStream answers)
			throws IOException, InterruptedException {
		BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		String order;
		while ((order = orders.readLine()) != null) {
			switch (order) {
				case "open" -> {
					traffic.open();
					candidates.stand();
				}
				case "drain" -> {
					candidates.resign();
					traffic.drain();
					answers.println("drained " + afterAMoment(() -> leftovers(bench)));
				}
				case "take" -> {
					load.take();
					answers.println("taken");
				}
				case "queue" -> {
					load.queue();
					answers.println("queued");
				}
				case "keep" -> {
					load.keep();
					answers.println("kept");
				}
				case "drop" -> {
					load.drop();
					answers.println("dropped");
				}
				case "close" -> {
					candidates.resign();
					traffic.end();
					application.close();
					pulse.interrupt();
					answers.println(closed(bench));
				}
				case "retire" -> {
					traffic.drain();
					traffic.end();
					candidates.resignBeside(application::close);
					pulse.interrupt();
					answers.println(closed(bench));
				}
				default -> throw new IllegalStateException("Unknown order: " + order);
			}
		}
	}

	private static String closed(Bench bench) throws InterruptedException {
		return "closed " + bench.alarm().interrupts() + " " + bench.alarm().cancels() + " "
				+ afterAMoment(WorkerMain::threads);
	}

	/** What is left when what goes on in the background had its time to end. */
	private static String afterAMoment(Supplier<String> left) throws InterruptedException {
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
		while (!left.get().isEmpty() && System.nanoTime() < deadline) {
			Thread.sleep(20);
		}
		return left.get();
	}

	private static String leftovers(Bench bench) {
		List<?> held = bench.inspector().held();
		List<?> waiting = bench.inspector().waiting();
		return (held.isEmpty() && waiting.isEmpty()) ? "" : "held " + held + " waiting " + waiting;
	}

	private static String threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.filter((name) -> name.startsWith("distributed-lock"))
			.collect(Collectors.joining(","));
	}

}
