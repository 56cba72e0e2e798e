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
import java.nio.file.Path;
import java.time.Duration;

import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.leadership.LeaderElection;
import io.distributedlock.leadership.Leadership;

/**
 * What runs in the JVM of a {@link RemoteInstance}: obeys the lines that it reads, and
 * ends with its input.
 */
final class RemoteInstanceMain {

	private final Instance instance;

	private LockHandle handle;

	private Leadership leadership;

	private RemoteInstanceMain(Instance instance) {
		this.instance = instance;
	}

	public static void main(String[] arguments) throws IOException {
		Instance instance = new Instance(arguments[0], arguments[1], Integer.parseInt(arguments[2]), Instance.PATIENT)
			.warm();
		RemoteInstanceMain main = new RemoteInstanceMain(instance);
		BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		String command = "ready";
		while (command != null) {
			System.out.println("> " + main.obey(command.split(" ")));
			command = commands.readLine();
		}
		// Nobody is there any more who could want an orderly end
		Runtime.getRuntime().halt(0);
	}

	private String obey(String[] command) {
		return switch (command[0]) {
			case "acquire" -> acquire(command[1], Duration.ofMillis(Long.parseLong(command[2])),
					Duration.ofMillis(Long.parseLong(command[3])));
			case "lead" -> lead(command[1], Duration.ofMillis(Long.parseLong(command[2])), Path.of(command[3]));
			case "resign" -> {
				this.leadership.close();
				yield "resigned";
			}
			case "step" -> "step " + step();
			case "release" -> {
				this.handle.close();
				yield "released";
			}
			default -> command[0];
		};
	}

	private String acquire(String name, Duration lease, Duration wait) {
		try {
			this.handle = this.instance.locks.acquire(name,
					LockOptions.ofLease(lease).withWaitTime(wait).withAutoRenew());
			return "granted " + this.handle.fencingToken();
		}
		catch (LockException ex) {
			return "refused " + ex.getMessage();
		}
	}

	private String lead(String name, Duration lease, Path witness) {
		Leadership leadership = new LeaderElection(this.instance.locks).campaign(name, LockOptions.ofLease(lease));
		this.leadership = leadership;
		Thread watch = new Thread(() -> LeaderWitness.open(witness).watch(leadership), "watch");
		watch.setDaemon(true);
		watch.start();
		return "stands";
	}

	private String step() {
		try {
			this.handle.assertHeld();
			return "held";
		}
		catch (LockLostException ex) {
			return "lost " + ex.getLossCause();
		}
	}

}
