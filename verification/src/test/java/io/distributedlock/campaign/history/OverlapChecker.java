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

package io.distributedlock.campaign.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A checker to begin your own with: it reads the file of a campaign, knows nothing else
 * of this project, and looks for two exclusive holders at one time. Run it with
 * {@code java OverlapChecker.java history.jsonl}.
 */
final class OverlapChecker {

	private static final Pattern FIELD = Pattern.compile("\"(\\w+)\":(?:\"((?:[^\"\\\\]|\\\\.)*)\"|(-?\\d+))");

	private final Map<String, Hold> holds = new HashMap<>();

	/** The end of each loss of data by its beginning: the last line about it counts. */
	private final Map<Long, Long> losses = new HashMap<>();

	private OverlapChecker() {
	}

	public static void main(String... args) throws IOException {
		try (Stream<String> lines = Files.lines(Path.of(args[0]))) {
			List<String> found = check(lines);
			found.forEach(System.out::println);
			System.out.println(found.isEmpty() ? "No exclusive holders overlap." : found.size() + " overlaps.");
			System.exit(found.isEmpty() ? 0 : 1);
		}
	}

	static List<String> check(Stream<String> lines) {
		OverlapChecker checker = new OverlapChecker();
		lines.map(OverlapChecker::fields).forEach(checker::read);
		return checker.overlaps();
	}

	private static Map<String, String> fields(String line) {
		Map<String, String> fields = new HashMap<>();
		for (Matcher field = FIELD.matcher(line); field.find();) {
			fields.put(field.group(1), (field.group(2) != null) ? field.group(2) : field.group(3));
		}
		return fields;
	}

	private void read(Map<String, String> event) {
		long at = Long.parseLong(event.get("at"));
		String hold = event.get("worker") + "/" + event.get("hold");
		switch (event.get("type")) {
			case "GRANTED" -> {
				if (event.get("limit").equals("1")) {
					this.holds.put(hold, new Hold(event.get("lock"), hold));
				}
			}
			// The handle says until when the lock is held, or zero if it is not
			case "CHECKED" -> {
				if (!event.get("until").equals("0") && this.holds.containsKey(hold)) {
					this.holds.get(hold).seen(at);
				}
			}
			case "DATA_LOST" -> this.losses.put(at, Long.parseLong(event.get("until")));
			default -> {
				// Begins and ends nothing that this checker compares
			}
		}
	}

	private List<String> overlaps() {
		Map<String, Hold> latest = new HashMap<>();
		List<String> found = new ArrayList<>();
		this.holds.values()
			.stream()
			.filter((hold) -> hold.from != 0)
			.sorted(Comparator.comparingLong((hold) -> hold.from))
			.forEach((hold) -> {
				Hold other = latest.get(hold.lock);
				if (other != null && other.to > hold.from && !isExcused(other, hold)) {
					found.add("Lock %s: %s and %s overlap by %d µs".formatted(hold.lock, other.id, hold.id,
							(Math.min(other.to, hold.to) - hold.from) / 1000));
				}
				if (other == null || hold.to > other.to) {
					latest.put(hold.lock, hold);
				}
			});
		return found;
	}

	/** A loss of data stands between them: nobody promises anything to the first one. */
	private boolean isExcused(Hold first, Hold second) {
		return this.losses.entrySet()
			.stream()
			.anyMatch((loss) -> first.from <= loss.getValue() && second.from >= loss.getKey());
	}

	/** From the first to the last time at which its handle said that the lock is held. */
	private static final class Hold {

		private final String lock;

		private final String id;

		private long from;

		private long to;

		private Hold(String lock, String id) {
			this.lock = lock;
			this.id = id;
		}

		private void seen(long at) {
			this.from = (this.from == 0) ? at : this.from;
			this.to = at;
		}

	}

}
