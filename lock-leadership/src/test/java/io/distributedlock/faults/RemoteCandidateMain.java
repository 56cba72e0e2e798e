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

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

import io.distributedlock.LockOptions;
import io.distributedlock.leadership.LeaderElection;
import io.distributedlock.leadership.Leadership;

/**
 * What runs in the JVM of a candidate: stands for a leadership, and resigns.
 */
final class RemoteCandidateMain {

	private Leadership leadership;

	private RemoteCandidateMain() {
	}

	public static void main(String[] arguments) throws IOException {
		RemoteInstanceMain.run(arguments, new RemoteCandidateMain()::obey);
	}

	private void obey(Instance instance, String[] command) {
		String name = command[1];
		switch (command[0]) {
			case "lead" -> lead(instance, name, RemoteInstanceMain.millis(command[2]), Path.of(command[3]));
			case "resign" -> {
				this.leadership.close();
				RemoteInstanceMain.answer("resign " + name, "");
			}
			default -> throw new IllegalArgumentException(command[0]);
		}
	}

	private void lead(Instance instance, String name, Duration lease, Path witness) {
		Leadership leadership = new LeaderElection(instance.locks).campaign(name, LockOptions.ofLease(lease));
		this.leadership = leadership;
		Thread watch = new Thread(() -> LeaderWitness.open(witness).watch(leadership), "watch");
		watch.setDaemon(true);
		watch.start();
		RemoteInstanceMain.answer("lead " + name, "");
	}

}
