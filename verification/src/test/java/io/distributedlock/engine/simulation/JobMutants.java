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
package io.distributedlock.engine.simulation;

import java.util.List;

import io.distributedlock.testsupport.mutation.Mutant;

/**
 * The planted bugs of jobs.
 */
final class JobMutants {

	private static final String JOB = "java/io/distributedlock/scheduling/internal/Job.java";

	private static final String RECORD = "java/io/distributedlock/scheduling/internal/JobRecord.java";

	private static final String SCHEDULE = "java/io/distributedlock/scheduling/internal/Schedule.java";

	private static final String JOBS = "java/io/distributedlock/scheduling/internal/Jobs.java";

	private static final String TABLE = "java/io/distributedlock/memory/LockTable.java";

	private JobMutants() {
	}

	static List<Mutant> all() {
		return List.of(
				Mutant.of("job: claimed-without-the-token", TABLE,
						"if (entry == null || hold == null || hold.limit() != 1) {", "if (entry == null) {",
						"A call that has lost its lock claims a fire time, or writes the end of its run."),
				Mutant.of("job: record-not-compared", TABLE,
						"if (!Objects.equals(present, change.expected()) && !change.text().equals(present)) {",
						"if (false) {", "Each call claims its fire time, whoever has run it."),
				Mutant
					.of("job: lost-lock-ignored", JOB, "if (run.text().equals(text)) {",
							"if (run.text().equals(text) || !answer.held()) {",
							"A call whose lock was lost before the claim runs the job.")
					.also("if (!answer.held()) {", "if (false) {"),
				Mutant.of("job: fire-time-by-floor", SCHEDULE,
						"return (nearer && early.compareTo(MOST_EARLY) <= 0) ? next : latest;", "return latest;",
						"After its clock was set back, a scheduler calls for the fire time before."),
				Mutant.of("job: repeated-without-catch-up", JOB, "return horizon != null && !fireTime",
						"return horizon == null || !fireTime",
						"A run that failed is repeated although nobody wants that."),
				Mutant.of("job: horizon-ignored", JOB, "return horizon != null && !fireTime.plus(horizon).isBefore(",
						"return horizon != null && !fireTime.plus(SHORTEST_MEMORY).isBefore(",
						"A run is made up for long after its time."),
				Mutant.of("job: oldest-caught-up", JOB, "if (order < 0) {\n\t\t\t\treturn newRun(handle, due, 1, 0);",
						"if (order < 0) {\n\t\t\t\treturn newRun(handle, this.late ? Job.this.schedule.next(last.fireTime()) : due, 1, 0);",
						"All fire times are caught up, one after the other."),
				Mutant.of("job: repeated-again-and-again", RECORD,
						"return this.state != State.SUCCEEDED && this.attempt - Math.min(this.stopped, MOST_STOPPED) < 2;",
						"return this.state != State.SUCCEEDED;", "A run that fails is repeated until it succeeds."),
				Mutant.of("job: success-repeated", RECORD,
						"return this.state != State.SUCCEEDED && this.attempt - Math.min(this.stopped, MOST_STOPPED) < 2;",
						"return this.attempt - this.stopped < 2;", "A run that succeeded is repeated."),
				Mutant.of("job: failure-not-recorded", RECORD, "(problem != null) ? State.FAILED : State.SUCCEEDED",
						"State.SUCCEEDED", "A run that failed passes for one that succeeded."),
				Mutant.of("job: failure-not-repeated", JOB,
						"if ((failure != null && Job.this.attributes.repeat())\n\t\t\t\t\t\t|| (due", "if ((due",
						"Nobody plans to repeat a run that failed."),
				Mutant.of("job: repeated-against-its-will", JOB, "if (order == 0 && Job.this.attributes.repeat() &&",
						"if (order == 0 &&", "A run that failed is repeated although its job says repeat = false."),
				Mutant.of("job: stop-counts", RECORD, "this.attempt - Math.min(this.stopped, MOST_STOPPED) < 2",
						"this.attempt < 2", "A deployment spends the repetition of a run."),
				Mutant.of("job: each-failure-is-a-stop", RECORD, "((problem != null && stopping) ? 1 : 0)",
						"((problem != null) ? 1 : 0)", "A run that fails is repeated ten times."),
				Mutant.of("job: stops-forgotten", JOB, "last.attempt() + 1, last.stopped());",
						"last.attempt() + 1, 0);", "The second stop spends the repetition."),
				Mutant.of("job: failure-blocks-the-job", JOB, "if (order < 0) {",
						"if (order < 0 && last.state() == JobRecord.State.SUCCEEDED) {",
						"A job whose run failed or did not end is never run again."),
				Mutant.of("job: end-not-written", JOB,
						"return replace(handle, claimed.text(), ended, ATTEMPTS).thenCompose(",
						"return replace(handle, null, ended, ATTEMPTS).thenCompose(",
						"A run that succeeded seems not to have ended."),
				Mutant
					.of("job: record-of-another-concluded", TABLE,
							"if (entry == null || hold == null || hold.limit() != 1) {",
							"boolean ends = !change.text().contains(\" running \");\n"
									+ "\t\tif (entry == null || (!ends && (hold == null || hold.limit() != 1))) {",
							"The end of a run takes the place of a record that is not its own.")
					.also("if (!Objects.equals(present, change.expected()) && !change.text().equals(present)) {",
							"if (!ends && !Objects.equals(present, change.expected()) && !change.text().equals(present)) {"),
				Mutant.of("job: missed-not-told", JOB, "if (newest == null || !newest.isAfter(last)) {",
						"if (newest != null) {", "Nobody learns of fire times that nobody ran."),
				Mutant.of("job: repetition-not-told", JOB, "run.attempt() > 1, 1));", "false, 1));",
						"A second run passes for the first one."),
				Mutant
					.of("job: told-after-the-claim", JOB, "reportEarlierRuns(handle.name(), found, next);", "",
							"An instance that dies after its claim takes along what it knows of missed fire times.")
					.also("return claim(handle, text, next, attempts - 1);",
							"return claim(handle, text, next, attempts - 1).whenComplete((begun, problem) -> reportEarlierRuns(handle.name(), found, next));"));
	}

	/**
	 * Those that forget the zone of a cron expression. In the simulation and the
	 * campaign, jobs fire every few seconds, which is at the same times in each zone.
	 */
	static List<Mutant> ofZones() {
		return List.of(
				Mutant.of("job: zone-forgotten", SCHEDULE, "time.atZone(this.zone)",
						"time.atZone(java.time.ZoneOffset.UTC)",
						"A job is claimed, missed and run late at the fire times of another zone."),
				Mutant.of("job: zone-not-read", JOBS,
						"zone.isEmpty() ? ZoneId.systemDefault() : StringUtils.parseTimeZoneString(zone).toZoneId()",
						"ZoneId.of(\"UTC\")", "Each job has the fire times of one zone, whichever it names."));
	}

}
