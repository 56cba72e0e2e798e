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

package io.distributedlock.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.kinds.LockKind;

/**
 * What runs in the JVM of a {@link RemoteInstance}: obeys the lines that it reads, and
 * ends with its input.
 */
final class RemoteInstanceMain {

	private final Instance instance;

	private final Map<String, LockHandle> handles = new ConcurrentHashMap<>();

	/** Obeys the commands that this class does not know. */
	private final BiConsumer<Instance, String[]> others;

	private RemoteInstanceMain(Instance instance, BiConsumer<Instance, String[]> others) {
		this.instance = instance;
		this.others = others;
	}

	public static void main(String[] arguments) throws IOException {
		run(arguments, (instance, command) -> {
			throw new IllegalArgumentException(command[0]);
		});
	}

	/**
	 * Run an instance that knows further commands.
	 */
	static void run(String[] arguments, BiConsumer<Instance, String[]> others) throws IOException {
		Instance instance = new Instance(arguments[0], arguments[1], Integer.parseInt(arguments[2]), Instance.PATIENT)
			.warm();
		RemoteInstanceMain main = new RemoteInstanceMain(instance, others);
		BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		answer("ready", "");
		String command = commands.readLine();
		while (command != null) {
			main.obey(command.split(" "));
			command = commands.readLine();
		}
		// Nobody is there any more who could want an orderly end
		Runtime.getRuntime().halt(0);
	}

	private void obey(String[] command) {
		String name = command[1];
		switch (command[0]) {
			case "acquire" -> acquire(name, LockKind.valueOf(command[2]), millis(command[3]), millis(command[4]));
			case "crowd" -> crowd(name, LockKind.valueOf(command[2]), Integer.parseInt(command[3]));
			case "step" -> answer("step " + name, step(this.handles.get(name)));
			case "release" -> {
				this.handles.remove(name).close();
				answer("release " + name, "");
			}
			default -> this.others.accept(this.instance, command);
		}
	}

	static Duration millis(String text) {
		return Duration.ofMillis(Long.parseLong(text));
	}

	static void answer(String to, String text) {
		System.out.println("> " + to + ": " + text);
	}

	private void acquire(String name, LockKind kind, Duration lease, Duration wait) {
		LockOptions options = kind.of(LockOptions.ofLease(lease).withWaitTime(wait).withAutoRenew());
		this.instance.locks.acquireAsync(name, options).whenComplete((handle, failure) -> {
			if (handle != null) {
				this.handles.put(name, handle);
			}
			answer("acquire " + name, (handle != null) ? Long.toString(handle.fencingToken()) : failure.toString());
		});
	}

	private void crowd(String name, LockKind kind, int callers) {
		LockOptions options = kind.of(LockOptions.defaults().withWaitTime(Duration.ofMinutes(1)));
		for (int i = 0; i < callers; i++) {
			this.instance.locks.acquireAsync(name, options).thenAccept(LockHandle::close);
		}
		answer("crowd " + name, "");
	}

	private static String step(LockHandle handle) {
		try {
			handle.assertHeld();
			return "held";
		}
		catch (LockLostException ex) {
			return "lost " + ex.getLossCause();
		}
	}

}
