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

package io.distributedlock.campaign.fleet;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.distributedlock.campaign.history.Event;
import io.distributedlock.campaign.history.JournalReader;
import io.distributedlock.campaign.worker.WorkerMain;
import io.distributedlock.internal.DaemonThread;
import org.jspecify.annotations.Nullable;

/**
 * One worker: a JVM that can be told what to do, stopped and killed.
 */
public final class WorkerProcess {

	/**
	 * Small and quick to start: many are killed. Databases end connections, so the pool
	 * looks at each one that it gives away.
	 */
	private static final List<String> OPTIONS = List.of("-XX:+UseSerialGC", "-Xms32m", "-Xmx256m", "-Xss512k",
			"-XX:TieredStopAtLevel=1", "-Dlogging.level.root=ERROR", "-Dspring.main.log-startup-info=false",
			"-Dcom.zaxxer.hikari.aliveBypassWindowMs=0");

	/** Looks rather than time: the whole machine may stand still. */
	private static final int LOOKS = 1200;

	private final int number;

	private final Process process;

	private final Writer orders;

	private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

	private final JournalReader journal;

	private volatile boolean killed;

	private WorkerProcess(int number, Process process, JournalReader journal) {
		this.number = number;
		this.process = process;
		this.orders = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
		this.journal = journal;
	}

	/**
	 * Starts a worker and does not wait until it is ready.
	 */
	static WorkerProcess start(int number, Launch launch, long seed, String[] properties) {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(OPTIONS);
		command.addAll(List.of("-cp", launch.classPath(number), WorkerMain.class.getName(), Integer.toString(number),
				launch.directory().toString(), Long.toString(seed), Integer.toString(launch.threads()),
				Integer.toString(launch.longThreads()), Integer.toString(launch.longNames())));
		command.addAll(List.of(properties));
		command.addAll(launch.properties());
		Path log = launch.directory().resolve("worker-%d.log".formatted(number));
		try {
			Process process = new ProcessBuilder(command).redirectError(log.toFile()).start();
			WorkerProcess worker = new WorkerProcess(number, process, new JournalReader(launch.directory(), number));
			new DaemonThread(worker::readAnswers, "worker-" + number).start();
			return worker;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot start worker " + number, ex);
		}
	}

	private void readAnswers() {
		try (BufferedReader reader = this.process.inputReader(StandardCharsets.UTF_8)) {
			String line;
			while ((line = reader.readLine()) != null) {
				this.answers.add(line);
			}
		}
		catch (IOException ex) {
			// It is gone
		}
	}

	public int number() {
		return this.number;
	}

	boolean wasKilled() {
		return this.killed;
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	void read(Consumer<Event> consumer) {
		this.journal.read(consumer);
	}

	void readRest(Consumer<Event> consumer) {
		this.journal.readRest(consumer);
	}

	/**
	 * Waits for an answer.
	 * @return the rest of it, or {@code null} if the worker died or there is none in time
	 */
	@Nullable String await(String word) throws InterruptedException {
		for (int i = 0; i < LOOKS && (isAlive() || !this.answers.isEmpty()); i++) {
			String answer = this.answers.poll(50, TimeUnit.MILLISECONDS);
			if (answer != null && answer.startsWith(word)) {
				return answer.substring(word.length()).strip();
			}
		}
		return null;
	}

	void order(String order) {
		try {
			this.orders.write(order + "\n");
			this.orders.flush();
		}
		catch (IOException ex) {
			// It is dead, which others find out
		}
	}

	/**
	 * Kills the process as a crash of its machine would, also if it is stopped.
	 */
	void kill() {
		this.killed = true;
		this.process.destroyForcibly();
		try {
			this.process.waitFor();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Stops the process for a while. A shell wakes it, so that it does not sleep for ever
	 * if this process is killed.
	 */
	void stop(Duration length) throws InterruptedException {
		try {
			new ProcessBuilder("sh", "-c", "kill -STOP \"$0\"; sleep \"$1\"; kill -CONT \"$0\"",
					Long.toString(this.process.pid()), Double.toString(length.toMillis() / 1000.0))
				.redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start()
				.waitFor();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * How workers are started.
	 *
	 * @param everySecond the class path of every second worker, as in a rolling change
	 * @param longThreads how many of them have long sections
	 * @param longNames how many locks these share
	 */
	public record Launch(Path directory, String classPath, String everySecond, int threads, int longThreads,
			int longNames, List<String> properties) {

		String classPath(int number) {
			return (number % 2 == 0) ? this.classPath : this.everySecond;
		}

		/**
		 * Returns the same with more properties.
		 */
		public Launch with(List<String> more) {
			List<String> all = new ArrayList<>(this.properties);
			all.addAll(more);
			return new Launch(this.directory, this.classPath, this.everySecond, this.threads, this.longThreads,
					this.longNames, List.copyOf(all));
		}

	}

}
