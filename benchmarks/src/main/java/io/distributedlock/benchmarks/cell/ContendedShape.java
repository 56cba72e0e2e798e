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

package io.distributedlock.benchmarks.cell;

import java.time.Duration;
import java.util.List;

import io.distributedlock.benchmarks.fleet.Fleet;

/**
 * How many contend, and how long each stays inside.
 */
public record ContendedShape(int jvms, int threads, Duration section, Company company) {

	private static final int THREADS = 16;

	public static final List<ContendedShape> ALONE = List.of(of(1, Duration.ZERO), of(4, Duration.ZERO),
			of(1, Duration.ofMillis(1)), of(4, Duration.ofMillis(1)));

	public static final List<ContendedShape> IN_COMPANY = List.of(
			new ContendedShape(4, THREADS, Duration.ofMillis(1), Company.THREE),
			new ContendedShape(4, 10, Duration.ofMillis(1), Company.READERS_AND_WRITERS));

	static ContendedShape of(int jvms, Duration section) {
		return new ContendedShape(jvms, THREADS, section, Company.NONE);
	}

	ContendedShape withoutSection() {
		return new ContendedShape(this.jvms, this.threads, Duration.ZERO, this.company);
	}

	/**
	 * How long to contend: longer where each thread has fewer turns, because one turn
	 * more or less must not decide about fairness.
	 * @param shortest the length for one JVM and an empty section
	 */
	public Duration length(Duration shortest) {
		int factor = this.section.isZero() ? 1 : 2;
		return shortest.multipliedBy((this.jvms == 1) ? factor : 2 * factor);
	}

	/**
	 * Lets JVMs contend, all from the same moment on.
	 */
	List<Contend.Tally> contend(Rig rig, Fleet fleet, Duration length) {
		rig.clear();
		Contend contend = new Contend("contended", this.threads, this.jvms * this.threads, this.section, length,
				rig.boardFile(), this.company);
		return fleet.run(this.jvms, (index) -> contend);
	}

	String label() {
		String who = ((this.jvms == 1) ? "1 JVM" : this.jvms + " JVMs") + " x " + this.threads + " threads";
		who += switch (this.company) {
			case NONE -> "";
			case THREE -> ", 3 permits";
			case READERS_AND_WRITERS -> ", 9 readers to 1 writer";
		};
		return who + (this.section.isZero() ? ", empty section" : ", " + this.section.toMillis() + " ms section");
	}

}
