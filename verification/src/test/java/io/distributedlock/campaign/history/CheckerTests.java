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

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.distributedlock.LossCause;
import io.distributedlock.campaign.history.DataLoss.Extent;
import io.distributedlock.campaign.history.Event.Outcome;
import io.distributedlock.campaign.history.Event.Place;
import io.distributedlock.campaign.history.Event.Type;
import io.distributedlock.campaign.history.Tally.Count;
import io.distributedlock.scheduling.JobRun;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the checker with histories that are made by hand: each rule has one that breaks
 * it, and a good one beside it.
 * <p>
 * The first line of a history says what it shows. A step is a worker, what it does, and
 * when: {@code 2 holds 100-200} is a grant and its release. Times are in milliseconds.
 * {@code for} is a length, or the fire time of a job, which is run once unless the step
 * says {@code TWICE}. {@code #} is the fencing token; without it, it is that of a server
 * whose clock began with the history. {@code of} is the largest company that the holder
 * accepts, or how many fire times are reported; without it, it is alone. What stands on
 * both sides of {@code <>} comes from the journals of different workers, and may be read
 * in either order. Among the steps stands what must have been found by then: {@code fine}
 * or the violated rules, and what was counted.
 */
class CheckerTests {

	private static final String HOLDERS = """
			holders that follow each other
				1 holds 100-200; 2 holds 201-300; 1 holds 301-400; fine; GRANTS 3

			two holders at one instant
				1 holds 100-200 <> 2 holds 199-300
				EXCLUSION

			a long hold is compared with all within it
				2 holds 110-120 #10001; 3 holds 130-140 #10002
				1 gets 100 #10000; 1 checks 150 for 500; 1 releases 160; EXCLUSION EXCLUSION

			a holder that was killed counts as long as it was promised
				1 gets 100; 1 dies; 2 holds 900-950; EXCLUSION

			a holder that was killed does not count longer
				1 gets 100; 1 dies; 2 holds 1000-1050; fine; KILLED_HOLDERS 1

			a holder that was stopped, and looks then, does not count longer
				1 gets 100; 2 holds 1200-1250; 1 lost 5000; 1 releases 5001; fine

			a holder says long after its lease that it holds
				1 gets 100; 2 holds 1200-1250; 1 checks 1210; 1 releases 1300; EXCLUSION

			a holder that is releasing does not count any more
				1 gets 100; 1 releasing 200; 1 dies; 2 holds 201-300; fine

			an extension counts
				1 gets 100; 1 extends 150 for 1000; 1 checks 200 for 2000; 1 dies; 2 holds 1500-1600; EXCLUSION

			more than the holder asked for is no promise
				1 gets 100; 1 checks 200 for 2000; 1 dies; 2 holds 1500-1600; fine

			a grant that comes too late is compared with nothing
				2 holds 500-600; 1 misses 700 #10000; 1 releases 701; fine; GRANTED_TOO_LATE 1

			a later holder with the same token
				1 holds 100-200 #10000; 2 holds 201-300 #10000; TOKEN_ORDER

			a later holder with a smaller token
				1 holds 100-200 #10001; 2 holds 201-300 #10000; TOKEN_ORDER

			a minimum hold is cut short
				1 holds 100-110 for 300; 2 holds 350-400; MINIMUM_HOLD

			a minimum hold is kept
				1 holds 100-110 for 300; 2 holds 401-450; fine

			a handle that nobody closed says that it is released
				1 gets 100; 1 vanished 200; 1 releases 201; UNCLOSED_END
			""";

	private static final String COMPANY = """
			as many holders as there are permits
				1 holds 100-200 of 2; 2 holds 150-300 of 2 <> 1 holds 200-400 of 2; 3 holds 300-500 of 2
				fine

			more holders than there are permits
				1 holds 100-200 of 2; 2 holds 150-300 of 2 <> 3 holds 199-400 of 2
				EXCLUSION
				"in a company of at most 2, and 3 were told"
				"worker 1 (token 100000, test, 2 permits)"
				"worker 3 (token 199000, test, 2 permits)"

			a long hold meets others that do not meet each other
				1 gets 100 of 2
				20 times, 10 apart: 2 holds 110-120 of 2
				1 checks 400 for 500; 1 releases 401; fine

			a long hold is counted with all that meet within it
				1 gets 100 of 2; 2 holds 110-125 of 2; 3 holds 120-135 of 2; fine
				1 checks 400 for 500; 1 releases 401; EXCLUSION

			who accepts more is counted by those who accept less
				1 holds 100-200 of 5; 2 holds 110-200 of 5; 3 holds 120-200 of 5; fine
				1 holds 190-300 of 2; EXCLUSION
				"worker 1 had lock 7 (token 190000, test) in a company of at most 2, and 4 were told"

			who shares is counted by those with permits
				1 holds 100-200 of any; 2 holds 110-200 of any; 3 holds 120-200 of 3; fine
				1 holds 130-200 of any; EXCLUSION

			any number shares
				30 times, 1 apart: 1 holds 100-200 of any
				1 holds 229-300; 2 holds 300-400 of any; fine

			who is alone meets one that shares
				1 holds 100-200 of any <> 2 holds 199-300
				EXCLUSION

			a holder beside others that was killed counts as long as it was promised
				1 gets 100 of 2; 1 dies; 2 holds 200-1100 of 2; 3 holds 1000-1100 of 2; fine
				3 holds 980-1000 of 2; EXCLUSION

			holders beside each other may have their tokens in any order
				1 holds 100-200 #10001 of 2; 2 holds 150-300 #10000 of 2; 1 holds 310-400 #9999 of 2; fine

			holders with the same token, wherever they are
				3 holds 90-500 #9999 of any; 3 holds 210-220 #10001 of any
				1 holds 100-200 #10000 of any <> 2 holds 300-400 #10000 of any
				TOKEN_ORDER

			who is alone has a larger token than all before it
				1 holds 100-200 #10002 of any; 2 holds 150-250 #10000 of any <> 3 holds 260-300 #10001
				TOKEN_ORDER

			who is alone has a smaller token than all after it
				3 holds 100-200 #10001 <> 1 holds 210-300 #10002 of any; 2 holds 220-300 #10000 of any
				TOKEN_ORDER
			""";

	private static final String DATA_LOSS = """
			two holders are excused by a loss of all data
				1 gets 100; lose ALL 150-151; 2 holds 200-300; 1 releases 400; fine; EXCUSED 1

			two holders are excused by a loss of the latest data
				1 gets 100; lose LATEST 150-151; 2 holds 200-300; 1 releases 400; fine; EXCUSED 1

			a loss of all data excuses a larger company
				1 gets 100 of 2; 2 gets 110 of 2; lose ALL 150-151; 3 holds 200-300 of 2; 3 holds 250-300 of 2
				1 releases 400; 2 releases 400; fine; EXCUSED 2

			a loss of the latest data excuses a larger company
				1 gets 100 of 2; 2 gets 110 of 2; lose LATEST 150-151; 3 holds 200-300 of 2; 3 holds 250-300 of 2
				1 releases 400; 2 releases 400; fine; EXCUSED 2

			a loss of data does not excuse those of one side of it
				1 gets 100 of 2; lose ALL 150-151; 2 holds 200-300 of 2; 3 holds 210-300 of 2; fine
				2 holds 220-300 of 2; EXCLUSION

			two holders of after a loss of data are not excused
				lose ALL 50-51; 1 holds 100-200; 2 holds 150-300; EXCLUSION

			two holders of before a loss of data are not excused
				1 holds 100-200; 2 holds 150-300; lose ALL 400-401; EXCLUSION

			a lease of before a loss that is handed on after it is excused, as its token shows
				1 holds 100-149; lose ALL 150-151; 2 holds 155-300; 1 holds 160-200 #100001; fine; EXCUSED 1

			a grant of just before a loss that is told after one of just after it is excused
				lose ALL 100-156 #151000; 2 holds 154-170 #152000; 1 holds 157-170 #150000; fine; EXCUSED 1

			after a loss of data the tokens go on growing, also if holders overlap
				1 holds 100-200; lose ALL 150-151; 2 holds 155-300 #1; TOKEN_ORDER

			a holder is told of the loss by the end of its lease
				1 gets 100; lose ALL 150-151; 1 checks 900 for 900; 1 checks 3000 for 900; 1 releases 3100; RESURRECTION

			a lock that survives a failover
				1 gets 100; lose LATEST 150-151; 1 checks 900 for 900; 1 checks 3000 for 900; 1 releases 3100; fine
			""";

	private static final String WAITERS = """
			a wait that is over
				1 asks 100-600; 1 ends BUSY 2601; tick 10000; WAIT_LIMIT

			a wait that does not end
				1 asks 100-600; tick 3600; fine; tick 3601; tick 3700; WAIT_LIMIT

			a job tries to claim its fire time for eight seconds more
				1 asks 100-600; 1 calls 100 for 1000; 1 ends BUSY 10600; tick 20000; fine

			a job that takes longer
				1 asks 100-600; 1 calls 100 for 1000; 1 ends BUSY 10601; tick 20000; WAIT_LIMIT

			a waiter that was stopped may take longer
				1 asks 100-600; 1 stopped 200-1200; 1 ends BUSY 3600; tick 6000; fine
				1 asks 10000-10500; 1 ends BUSY 12501; tick 20000; WAIT_LIMIT

			that a waiter was stopped may be known afterwards
				1 asks 100-600; 1 ends BUSY 3600; tick 3700; 1 stopped 200-1200; tick 6000; fine

			a failure that is not documented
				1 asks 100-600; 1 ends FAILED 200; UNEXPECTED_FAILURE

			a waiter was forgotten in the calm: the lock is free from 200 on
				calm 50; 1 holds 100-200; 2 asks 150-3150; 2 ends BUSY 3150; over; FORGOTTEN_WAITER

			a calm in which the machine stood still does not count
				calm 50; 1 holds 100-200; 2 asks 150-3150; suspended 1000-3000; 2 ends BUSY 3150; over
				fine; SUSPENSIONS 1

			a calm in which a worker was slow does not count
				calm 50; 1 holds 100-200; 2 asks 150-3150; 1 stalls 700-1000; 2 ends BUSY 3150; over
				fine; STALLED_CALMS 1

			what was slow before the calm excuses nothing
				calm 50; 1 holds 100-200; 2 asks 150-3150; 1 stalls 0-100; 2 ends BUSY 3150; over
				FORGOTTEN_WAITER; STALLED_CALMS 0

			a waiter that finds the lock held is not forgotten
				calm 50; 2 asks 150-3150
				6 times, 600 apart: 1 holds 100-690
				2 ends BUSY 3150; over; fine

			a waiter for a permit was forgotten in the calm: the other one is free from 200 on
				calm 50; 2 holds 100-200 #1 of 2; 3 asks 150-3150 of 2
				6 times, 600 apart: 1 holds 100-690 of 2
				3 ends BUSY 3150; over; FORGOTTEN_WAITER

			a waiter that finds all permits taken is not forgotten
				calm 50; 3 asks 150-3150 of 2
				6 times, 600 apart: 1 holds 100-690 of 2; 2 holds 110-680 of 2
				3 ends BUSY 3150; over; fine

			a waiter may wait for one in front that wants less company
				calm 50; 1 holds 100-900 of any; 2 asks 110-3110; 3 asks 150-3150 of any
				1 holds 850-1700 of any; 1 holds 1650-2500 of any; 3 ends BUSY 3150; 2 ends BUSY 3160; over; fine

			a waiter is passed by many in the calm
				calm 50; 2 asks 150-3150
				310 times, 9 apart: 1 asks 160-1160; 1 gets 165; 1 releases 166
				2 ends BUSY 3150; over; FORGOTTEN_WAITER

			waiters find free locks by themselves in the calm
				calm 50
				10 times, 1000 apart: 1 holds 100-110; 2 asks 105-5105; 2 ends GRANTED 900
				over; SLOW_HANDOVER

			in a storm waiters may be late
				10 times, 1000 apart: 1 holds 100-110; 2 asks 105-5105; 2 ends GRANTED 900
				calm 20000; over; fine
			""";

	private static final String LOSSES = """
			a loss is told soon after a restart
				1 gets 100 for 9000; outage 1000-2000; restart ALL 1100-1200; 1 told KEY_VANISHED 2900; 1 releases 2901
				tick 9000; fine; NEWS 1

			a loss is told long after a restart
				1 gets 100 for 9000; outage 1000-2000; restart ALL 1100-1200; 1 told KEY_VANISHED 4900; 1 releases 4901
				tick 9000; TOLD_LATE
				"and was told that it has lost it 2900.0 ms after the store could say so"

			a holder without renewal is told at its deadline only
				1 gets 100 for 9000; outage 1000-2000; restart ALL 1100-1200; 1 told LEASE_EXPIRED 8800; 1 releases 8801
				tick 20000; TOLD_LATE

			without an interruption nobody can tell a loss
				1 gets 100 for 9000; lose ALL 1100-1200; 1 told KEY_VANISHED 4900; 1 releases 4901
				tick 9000; fine; NEWS 0

			a holder that stood still is told late
				1 gets 100 for 9000; outage 1000-2000; restart ALL 1100-1200; 1 stopped 2100-4800
				1 told KEY_VANISHED 4900; 1 releases 4901; tick 9000; fine; NEWS 1

			a lock that was taken after the restart is another one
				outage 1000-2000; restart ALL 1100-1200; 1 gets 1300 for 9000; 1 told LEASE_EXPIRED 10070
				1 releases 10071; tick 20000; fine; NEWS 0

			a lock that is not renewed is lost at the end of its lease
				1 gets 100 for 3000; 1 told LEASE_EXPIRED 2770; 1 releases 2771; tick 5000
				fine; LOSSES_TOLD 1; LOSSES_OF_RENEWED 0

			a lock that is not renewed is lost before the end of its lease
				1 gets 100 for 3000; 1 told LEASE_EXPIRED 1500; 1 releases 1501; fine; tick 5000; UNEXPLAINED_LOSS
				"worker 1 had lock 7 (token 100000, test) for 1400.0 ms, never renewed it, and was told that it has lost it"
				"LEASE_EXPIRED, and before that, nothing kept it from the store for 1400.0 ms"

			a lease that was left over could not be lengthened
				1 gets 100 for 3000; 1 outage 90-1600; 1 told LEASE_EXPIRED 1500; 1 releases 1501; tick 5000; fine

			a renewal fails until the lease is over
				1 gets 100 for 3000; 1 outage 1100-2800; 1 told STORE_UNREACHABLE 2770; 1 releases 2771; tick 5000
				fine; LOSSES_OF_RENEWED 1

			a renewal fails for all workers until the lease is over
				1 gets 100 for 3000; outage 1100-2800; 1 told STORE_UNREACHABLE 2770; 1 releases 2771; tick 5000; fine

			an outage is not over when its loss is judged
				1 gets 100 for 3000; 1 outage 1100; 1 told STORE_UNREACHABLE 2770; 1 releases 2771; tick 5000; fine

			a renewed lock is lost, and nothing is broken
				1 gets 100 for 3000; 1 told STORE_UNREACHABLE 2770; 1 releases 2771; tick 5000; UNEXPLAINED_LOSS

			no outage was long enough for a loss
				1 gets 100 for 3000; 1 outage 1100-1700; 1 outage 1800-2200; 1 told STORE_UNREACHABLE 2770
				1 releases 2771; tick 5000; UNEXPLAINED_LOSS

			an outage of before the first renewal explains no loss
				1 gets 100 for 3000; 1 outage 90-1200; 1 told STORE_UNREACHABLE 2770; 1 releases 2771; tick 5000
				UNEXPLAINED_LOSS

			an outage of another worker explains no loss
				1 gets 100 for 3000; 2 outage 1100-2800; 1 told STORE_UNREACHABLE 2770; 1 releases 2771; tick 5000
				UNEXPLAINED_LOSS

			a short lease may be lost for any reason
				1 gets 100; 1 told STORE_UNREACHABLE 990; 1 releases 991; tick 5000; fine

			a worker that was stopped loses a renewed lock
				1 gets 100 for 3000; 1 stopped 1000-5000; 1 told PROCESS_PAUSED 5010; 1 releases 5011; tick 8000; fine

			a worker that was stopped for a moment loses no renewed lock
				1 gets 100 for 3000; 1 stopped 1000-1400; 1 told PROCESS_PAUSED 2770; 1 releases 2771; tick 8000
				UNEXPLAINED_LOSS

			a worker that was slow loses a renewed lock
				1 gets 100 for 3000; 1 stalls 1000-2500; 1 told STORE_UNREACHABLE 2770; 1 releases 2771; tick 8000; fine

			the store lost all data, and then a holder its lock
				1 gets 100; lose ALL 150-151; 1 told KEY_VANISHED 500; 1 releases 501; tick 5000; fine

			the store may have lost the latest data, and then a holder its lock
				1 gets 100; lose LATEST 150-151; 1 told TAKEN_BY_OTHER 500; 1 releases 501; tick 5000; fine

			a holder loses its lock, and the store had lost nothing
				1 gets 100; 1 told KEY_VANISHED 500; 1 releases 501; tick 5000; UNEXPLAINED_LOSS
				"always renewed it, and was told that it has lost it: KEY_VANISHED, and the store had lost nothing"

			a holder learns by its release that it has lost its lock, and the store had lost nothing
				1 gets 100; 1 releases 500; 1 told TAKEN_BY_OTHER 510; tick 5000; UNEXPLAINED_LOSS

			a holder loses its lock, and the store had lost data before the grant
				lose ALL 50-51; 1 gets 100; 1 told KEY_VANISHED 500; 1 releases 501; tick 5000; UNEXPLAINED_LOSS

			a holder loses its lock before the store loses data
				1 gets 100; 1 told KEY_VANISHED 500; 1 releases 501; lose ALL 600-601; tick 5000; UNEXPLAINED_LOSS

			the release of a lock comes after the end of its lease
				1 gets 100; 1 releases 500; 1 told KEY_VANISHED 1200; tick 5000; fine

			a lock is taken by force, which nobody did
				1 gets 100; 1 told FORCED 500; 1 releases 501; tick 5000; UNEXPLAINED_LOSS

			a leader loses its lock, and nothing is broken
				1 elected 100 #7 for 2000; 1 checks 1990; 1 deposed STORE_UNREACHABLE 2000-2001 #7; 1 releases 2002
				tick 5000; UNEXPLAINED_LOSS

			a leader loses its lock in an outage
				1 elected 100 #7 for 2000; 1 checks 1990; 1 outage 500-2000
				1 deposed STORE_UNREACHABLE 2000-2001 #7; 1 releases 2002; tick 5000; fine

			a leader loses its lock when its application closes
				1 elected 100 #7 for 2000; 1 checks 1990; 1 deposed SHUTDOWN 2000-2001 #7; 1 releases 2002
				tick 5000; fine
			""";

	private static final String COSTS = """
			workers ask once a second for each of 52 places
				scripts WAITING_COST 0-3000 #170 for 52; fine; COSTS 1

			workers ask more often than once a second
				scripts WAITING_COST 0-3000 #190 for 52; WAITING_COST
				"The workers sent 190 scripts within 3000 ms, and need 156"

			workers renew several locks with one script
				scripts RENEWAL_COST 0-3000 #60 for 90; fine; COSTS 1

			workers renew each lock with a script of its own
				scripts RENEWAL_COST 0-3000 #360 for 90; RENEWAL_COST

			scripts of a worker that was slow do not count
				1 stopped 500-1000; scripts WAITING_COST 0-3000 #190 for 52; fine; COSTS 0
			""";

	private static final String LEADERS = """
			leaders that follow each other
				1 leads 100-900; 2 leads 901-3000; succession 500-3000; fine; TERMS 2; absent 1

			two leaders at one instant
				2 leads 1500-1800; 1 leads 100-1600; EXCLUSION

			a long term is compared with those that began after it
				1 leads 100-100000; tick 100100; 2 leads 99000-99500; EXCLUSION

			two leaders are excused by a loss of data
				1 elected 100; lose ALL 150-151; 2 leads 200-300; 1 checks 400; 1 releases 401; fine; EXCUSED 1

			a leader that was stopped does not lead until it says so
				1 elected 100; 1 checks 200; 2 leads 1300-1400; 1 lost 5000; 1 releases 5001; fine

			a later leader with a smaller token
				1 leads 100-200 #10001; 2 leads 201-300 #10000; TOKEN_ORDER

			the next leader follows a killed one in time
				1 elected 100; 1 leading; 1 checks 500; 1 dies; 2 leads 3500-6000; succession 400-6000; fine

			nobody follows a killed leader in time
				1 elected 100; 1 checks 500; 1 dies; 2 leads 3501-6000; succession 400-6000; LEADERLESS

			the time in which a candidate was slow is added to a succession
				1 elected 100; 1 checks 500; 1 dies; 2 stalls 1000-1300; 2 leads 4300-6000; succession 400-6000
				fine; SUCCESSIONS 1; absent 3000

			a candidate that was slow has died when the succession is checked
				1 elected 100; 1 checks 500; 1 dies; 2 stalls 1000-1300; 2 dies; 3 leads 4300-6000
				succession 400-6000; fine

			nobody follows in time, and that a candidate was slow does not explain it
				1 elected 100; 1 checks 500; 1 dies; 2 stalls 1000-1300; 2 leads 4301-6000; succession 400-6000
				LEADERLESS
				"Nobody led lock 7 for 3001.0 ms in which no worker was slow, with a lease of 1000.0 ms"

			a candidate was slow for a moment only
				1 elected 100; 1 checks 500; 1 dies; 2 stalls 1000-1250; 2 leads 3501-6000; succession 400-6000
				LEADERLESS

			a candidate was slow when somebody led again
				1 elected 100; 1 checks 500; 1 dies; 2 leads 3501-6000; 2 stalls 4000-4600; succession 400-6000
				LEADERLESS

			that a leader was stopped does not excuse that nobody follows it
				1 elected 100; 1 checks 500; 1 stopped 510-3010; 1 stalls 480-3060; 1 lost 3070; 1 releases 3071
				2 leads 3501-6000; succession 400-6000; LEADERLESS

			a succession during which the machine stood still does not count
				1 leads 100-500; suspended 1000-3000; succession 400-6000; fine; SUCCESSIONS 0

			a leader begins while the one that resigned has not stopped
				1 resigns 1000-1500; 2 elected 1400; farewells 900-2000; EARLY_SUCCESSION

			a leader begins when the one that resigned has stopped
				1 resigns 1000-1500; 2 elected 1501; farewells 900-2000; fine; RESIGNATIONS 1

			a leader that has lost its lock keeps nobody from leading
				1 deposed 1000-1500; 2 elected 1400; farewells 900-2000; fine

			a leader that stands still while it resigns keeps nobody from leading
				1 resigns 1000-1500; 2 elected 1400; 1 stopped 1100-1400; farewells 900-2000; fine
			""";

	private static final String TRANSACTIONS = """
			fenced transactions whose balances grow with the tokens
				2 writes 2 #10001; 1 writes 1 #10000; 2 writes 3 #10001; 1 refused; fine; COMMITTED 3; REFUSED 1

			two fenced transactions read the same balance
				1 writes 1 #10000; 2 writes 1 #10001; LOST_UPDATE

			a fenced transaction of an old holder after that of a new one
				2 writes 1 #10001 <> 1 writes 2 #10000
				FENCE_ORDER

			an old holder commits after a new one, whatever they write
				2 does OUTER 200-210 #10001 <> 1 does AFTER_COMMIT 220-230 #10000
				OLD_HOLDER

			transactions that commit at the same time may be in either order
				1 does OUTER 100-110 #10000; 2 does OUTER 200-210 #10001; 1 does AFTER_COMMIT 209-230 #10000
				fine; COMMITTED_INSIDE 1

			an old holder is admitted after a rollback and before the fence is claimed anew
				2 begins OUTER 100; 2 does BODY 110-120 #10001; 1 does OUTER 130-150 #10000; 2 aborts 140; tick 1000
				fine; ADMITTED 1

			an old holder is admitted after the fence is claimed anew
				2 begins OUTER 100; 2 does BODY 110-120 #10001; 2 aborts 140; 1 does OUTER 150-160 #10000; OLD_HOLDER

			an old holder is admitted while the transaction around a new one is open
				2 begins OUTER 100; 2 does BODY 110-120 #10001; 1 does OUTER 130-140 #10000; fine
				2 commits OUTER 150-160 #10001; OLD_HOLDER

			nobody claims anew for a worker that was killed
				2 begins OUTER 100; 2 does BODY 110-120 #10001; 1 does OUTER 130-140 #10000; 2 dies; fine
			""";

	private static final String JOBS = """
			each fire time is run once
				1 runs 100-200 for 1000; 2 runs 300-400 for 2000; tick 3000; fine; RUNS 2; REPEATED_RUNS 0

			a fire time is run twice
				1 runs 100-200 for 1000 <> 2 runs 300-400 for 1000
				fine; tick 3000; FIRE_TIME
				"Fire time 1000 of job 7 is run 2 times, which is to be run once: by worker"

			a fire time is run again long after
				1 runs 100-200 for 1000; tick 3000; fine; 2 runs 20000-20100 for 1000; tick 30000; FIRE_TIME

			a run that failed is repeated by a job without catchUp
				1 fails 100-200 for 1000; 2 runs 300-400 for 1000; tick 3000; FIRE_TIME

			a run that failed is repeated
				1 fails TWICE 100-200 for 1000 <> 2 runs TWICE 300-400 for 1000
				tick 3000; fine; REPEATED_RUNS 1

			a run that failed is repeated twice
				1 fails TWICE 100-200 for 1000; 2 fails TWICE 300-400 for 1000 <> 3 runs TWICE 500-600 for 1000
				tick 3000; FIRE_TIME
				"Fire time 1000 of job 7 is run 3 times, which is to be run twice at most: by worker"

			a run that succeeded is repeated
				1 runs TWICE 100-200 for 1000 <> 2 runs TWICE 300-400 for 1000
				tick 3000; REPEATED_SUCCESS
				"is run again, although its run has succeeded: by worker 1 (token 100000, -200.0 ms), which succeeded after 100.0 ms"

			a run whose worker was killed is repeated
				1 starts TWICE 100 for 1000; 1 dies; 2 runs TWICE 1200-1300 for 1000; tick 3000; fine; REPEATED_RUNS 1

			a worker was killed before it could write that its run succeeded
				1 starts TWICE 100 for 1000; 1 succeeds 200 for 1000; 1 dies; 2 runs TWICE 1200-1300 for 1000
				tick 3000; fine

			a run that lost its lock goes on beside the second one
				1 starts TWICE 100 for 1000; 1 lost 990; 2 runs TWICE 1100-1200 for 1000; 1 succeeds 1300 for 1000
				1 releases 1301; tick 3000; fine; REPEATED_RUNS 1

			a run that lost its lock and succeeded is repeated
				1 starts TWICE 100 for 1000; 1 lost 990; 1 succeeds 1000 for 1000; 1 releases 1001
				2 runs TWICE 1100-1200 for 1000; tick 3000; fine

			a run is repeated while its worker believes that it holds the lock
				1 starts TWICE 100 for 1000; 2 runs TWICE 500-600 for 1000; 1 succeeds 700 for 1000
				1 releases 701; tick 3000; EXCLUSION

			a run that was claimed first begins last, because its worker was stopped
				2 runs TWICE 1500-1600 for 1000; 1 lags TWICE 1700-1800 #100000 for 1000; tick 3000; fine

			a success could not be written in an outage
				1 runs TWICE 100-200 for 1000; 1 outage 150-900; 2 runs TWICE 1200-1300 for 1000; tick 3000; fine

			a success could not be written because the worker was stopped
				1 runs TWICE 100-200 for 1000; 1 stopped 150-2900; 2 runs TWICE 3000-3100 for 1000; tick 9000; fine

			a success could not be written because the store refused it
				1 runs TWICE 100-200 for 1000; refuses 150-900; 2 runs TWICE 1200-1300 for 1000; tick 3000; fine

			an outage was over when the run succeeded
				1 outage 90-199; refuses 90-199; 1 runs TWICE 100-200 for 1000; 2 runs TWICE 1200-1300 for 1000
				tick 3000; REPEATED_SUCCESS

			another worker had an outage when the run succeeded
				2 outage 150-900; 1 runs TWICE 100-200 for 1000; 2 runs TWICE 1200-1300 for 1000
				tick 3000; REPEATED_SUCCESS

			an outage does not excuse a job that is to run once
				1 fails 100-200 for 1000; 1 outage 90-900; 2 runs 1200-1300 for 1000; tick 3000; FIRE_TIME

			a loss of all data excuses the second run
				1 runs 100-200 for 1000; lose ALL 250-251; 2 runs 300-400 for 1000; tick 3000; fine; RUNS_EXCUSED 1

			a loss of the latest data excuses the second run
				1 runs 100-200 for 1000; lose LATEST 250-251; 2 runs 300-400 for 1000; tick 3000; fine; RUNS_EXCUSED 1

			two runs of after a loss of data are not excused
				lose ALL 50-51; 1 runs 100-200 for 1000; 2 runs 300-400 for 1000; tick 3000; FIRE_TIME

			two runs of before a loss of data are not excused
				1 runs 100-200 for 1000; 2 runs 300-400 for 1000; lose ALL 450-451; tick 3000; FIRE_TIME

			a run that failed is repeated on both sides of a loss of data
				1 fails TWICE 100-200 for 1000; 2 runs TWICE 300-400 for 1000; lose ALL 450-451
				1 fails TWICE 500-600 for 1000; 2 runs TWICE 700-800 for 1000; tick 3000; fine; RUNS_EXCUSED 4

			a run that failed is repeated twice after a loss of data
				1 fails TWICE 100-200 for 1000; lose ALL 250-251; 1 fails TWICE 300-400 for 1000
				2 fails TWICE 500-600 for 1000; 1 runs TWICE 700-800 for 1000; tick 3000; FIRE_TIME

			fire times are run in the calm
				calm 50
				6 times, 1000 apart: 1 calls 100 for 1000; 2 calls 105 for 1000; 1 runs 110-120 for 1000
				over; fine; CALM_FIRE_TIMES 6; CALM_FIRE_TIMES_RUN 6

			most fire times are missed in the calm
				calm 50
				2 times, 1000 apart: 1 calls 100 for 1000; 1 runs 110-120 for 1000
				3 times, 1000 apart: 1 calls 2100 for 3000
				over; MISSED
				"Of 5 fire times of job 7 in a calm, only 2 were run"

			each fire time is run or reported as missed
				1 calls 90 for 1000; 1 runs 100-200 for 1000; 1 reports SUCCEEDED 200 for 1000
				2 reports MISSED 3100 of 2 for 3000; 2 runs 3100-3200 for 4000; 2 reports SUCCEEDED 3200 for 4000
				account; fine

			a fire time is neither run nor reported
				1 calls 90 for 1000; 1 runs 100-200 for 1000; 1 reports SUCCEEDED 200 for 1000
				2 reports MISSED 3100 of 1 for 3000; 2 runs 3100-3200 for 4000; 2 reports SUCCEEDED 3200 for 4000
				account; OUTCOME
				"Fire time 2000 of job 7 is neither run nor reported"

			a worker runs before it tells of a fire time that was missed, and dies
				1 calls 90 for 1000; 1 runs 100-200 for 1000; 1 reports SUCCEEDED 200 for 1000
				2 starts 2100 for 3000; 2 dies; account; OUTCOME

			a fire time is run, and reported as missed
				1 calls 90 for 1000; 1 runs 100-200 for 1000; 1 reports SUCCEEDED 200 for 1000
				2 reports MISSED 1100 for 1000; account; OUTCOME

			a run is not reported
				1 calls 90 for 1000; 1 runs 100-200 for 1000; account; OUTCOME

			a repeated run says so
				1 calls 90 for 1000; 1 fails TWICE 100-200 for 1000; 1 reports FAILED 200 for 1000
				2 runs TWICE 300-400 for 1000; 2 repeats SUCCEEDED 400 for 1000; account; fine

			a repeated run does not say so
				1 calls 90 for 1000; 1 fails TWICE 100-200 for 1000; 1 reports FAILED 200 for 1000
				2 runs TWICE 300-400 for 1000; 2 reports SUCCEEDED 400 for 1000; account; OUTCOME

			a worker died between its claim and its run
				1 calls 90 for 1000; 1 runs 100-200 for 1000; 1 reports SUCCEEDED 200 for 1000
				2 reports ABANDONED 2100 for 2000; 2 runs 2100-2200 for 3000; 2 reports SUCCEEDED 2200 for 3000
				account; fine

			a late run begins too late
				1 starts LATE 100 for 1000; CATCH_UP

			half of the fire times are missed in the calm
				calm 50
				2 times, 1000 apart: 1 calls 100 for 1000; 1 runs 110-120 for 1000
				2 times, 1000 apart: 1 calls 2100 for 3000
				over; fine; CALM_FIRE_TIMES 4; CALM_FIRE_TIMES_RUN 2

			long runs may keep fire times from being run
				calm 50
				6 times, 1000 apart: 1 calls LONG 100 for 1000
				over; fine; CALM_FIRE_TIMES 0

			fire times are missed in a storm
				6 times, 1000 apart: 1 calls 100 for 1000
				calm 20000; over; fine
			""";

	private static final Pattern REPEATED = Pattern.compile("(\\d+) times, (\\d+) apart: (.*)");

	private static final Pattern STEP = Pattern.compile("(?:(?<worker>\\d) )?(?<verb>[a-z]+)(?: (?<word>[A-Z_]+))?"
			+ "(?: (?<from>\\d+)(?:-(?<to>\\d+))?)?(?: #(?<token>\\d+))?(?: of (?<limit>\\d|any))?"
			+ "(?: for (?<length>\\d+))?");

	private static final int NAME = 7;

	private static final long LEASE = 1000;

	/** Of the fire times of the job. */
	private static final int PERIOD = 1000;

	private final Checker checker = new Checker(Duration.ofSeconds(2), (kind) -> "test");

	/** The latest hold of each worker. */
	private final Map<Integer, Long> holds = new HashMap<>();

	private long ids;

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void history(String history) {
		history.lines().skip(1).map(String::strip).forEach((line) -> {
			Matcher repeated = REPEATED.matcher(line);
			if (line.startsWith("\"")) {
				assertThat(this.checker.violations().get(0).summary()).contains(line.substring(1, line.length() - 1));
			}
			else if (repeated.matches()) {
				for (int i = 0; i < Integer.parseInt(repeated.group(1)); i++) {
					play(repeated.group(3), i * Long.parseLong(repeated.group(2)));
				}
			}
			else {
				play(line, 0);
			}
		});
	}

	static Stream<Named<String>> history() {
		return Stream.of(HOLDERS, COMPANY, DATA_LOSS, WAITERS, LOSSES, COSTS, LEADERS, TRANSACTIONS, JOBS)
			.flatMap((histories) -> Stream.of(histories.split("\n\n")))
			.flatMap((history) -> {
				String title = history.lines().findFirst().orElseThrow();
				Named<String> inOrder = Named.of(title, history.replace(" <> ", "; "));
				String swapped = history.replaceAll("(?m)^\t(.*) <> (.*)$", "\t$2; $1");
				return swapped.equals(history) ? Stream.of(inOrder)
						: Stream.of(inOrder, Named.of(title + ", in the other order", swapped));
			});
	}

	@Test
	void violationShowsNearbyEventsAndFaults() {
		this.checker.note(millis(190), "FLUSHALL");
		play("1 holds 100-200 #10000; 2 holds 199-300 #10001", 0);
		Violation violation = this.checker.violations().get(0);
		assertThat(violation.summary()).contains("worker 1 had lock 7 (token 10000")
			.contains("until 1.0 ms after the grant to worker 2");
		assertThat(violation.around()).anyMatch((line) -> line.contains("-9.0 ms") && line.contains("FLUSHALL"))
			.anyMatch((line) -> line.contains("+0.0 ms") && line.contains("worker 2 granted"));
	}

	private void play(String steps, long later) {
		for (String step : steps.split("; ")) {
			if (step.equals("fine")) {
				assertThat(this.checker.violations()).isEmpty();
			}
			else if (step.matches("[A-Z_]+ \\d+")) {
				String[] count = step.split(" ");
				assertThat(this.checker.tally().get(Count.valueOf(count[0]))).as(step)
					.isEqualTo(Long.parseLong(count[1]));
			}
			else if (step.matches("[A-Z_ ]+")) {
				assertThat(this.checker.violations()).map(Violation::rule)
					.containsExactly(Stream.of(step.split(" ")).map(Rule::valueOf).toArray(Rule[]::new));
			}
			else {
				play(Step.parse(step, later));
			}
		}
	}

	private void play(Step step) {
		int worker = step.worker;
		Span span = new Span(millis(step.from), millis(step.to));
		switch (step.verb) {
			case "gets" -> grant(step, Math.max(LEASE, step.length), 0);
			case "misses" -> begin(step, Type.GRANTED, 0, millis(LEASE), 0);
			case "holds" -> {
				grant(step, LEASE, step.length);
				release(step, step.to);
			}
			case "elected" -> begin(step, Type.ELECTED, step.from, millis(Math.max(LEASE, step.length)), 0);
			case "leads" -> {
				begin(step, Type.ELECTED, step.from, millis(LEASE), 0);
				write(step, Type.CHECKED, step.to, step.to, 0, 0);
				release(step, step.to);
			}
			case "checks" -> write(step, Type.CHECKED, step.from, step.from + step.length, 0, 0);
			case "extends" -> write(step, Type.EXTENDING, step.from, 0, millis(step.length), 0);
			case "lost" -> write(step, Type.LOST, step.from, 0, 0, 0);
			case "told" ->
				write(step, Type.TOLD, step.from, 0, step.word.equals("LEASE_EXPIRED") ? 0 : 1, step.cause());
			case "vanished" -> write(step, Type.LOST, step.from, 0, 0, 1);
			case "releasing" -> write(step, Type.RELEASING, step.from, 0, 0, 0);
			case "releases" -> release(step, step.from);
			case "asks" -> write(step, Type.ASKED, step.from, 0, millis(step.to - step.from), 0);
			case "ends" -> write(step, Type.ENDED, step.from, 0, 0, Outcome.valueOf(step.word).ordinal());
			case "resigns", "deposed" -> {
				write(step, Type.REVOKING, step.from, 0, step.verb.equals("deposed") ? 1 : 0, step.cause());
				write(step, Type.REVOKED, step.to, 0, 0, 0);
			}
			case "begins" -> write(step, Type.BEGINNING, step.from, 0, 0, step.place());
			case "commits" -> write(step, Type.COMMITTED, step.to, step.from, ++this.ids, step.place());
			case "does" -> {
				write(step, Type.BEGINNING, step.from, 0, 0, step.place());
				write(step, Type.COMMITTED, step.to, step.from, ++this.ids, step.place());
			}
			case "aborts" -> write(step, Type.ROLLED_BACK, step.from, step.from, 0, 0);
			case "writes" -> write(step, Type.COMMITTED, 100, 0, step.from, Place.OUTER.ordinal());
			case "runs", "fails" -> {
				grant(step, LEASE, 0);
				run(step, step.verb.equals("runs") ? Type.SUCCEEDED : Type.FAILED);
			}
			case "lags" -> {
				begin(step, Type.GRANTED, 0, millis(LEASE), 0);
				run(step, Type.SUCCEEDED);
			}
			case "starts" -> {
				grant(step, LEASE, 0);
				writeOfJob(step, Type.RUNNING, step.from);
			}
			case "succeeds" -> {
				writeOfJob(step, Type.SUCCEEDED, step.from);
				write(step, Type.RELEASING, step.from, 0, 0, 0);
			}
			case "calls" -> writeOfJob(step, Type.CALLED, step.from);
			case "reports", "repeats" ->
				this.checker.accept(new Event(Type.REPORTED, worker, NAME, 0, 0, span.from(), 0, step.length,
						step.limit, 0, Event.detail(JobRun.Outcome.valueOf(step.word), step.verb.equals("repeats"))));
			case "account" -> this.checker.checkOutcomes();
			case "refuses" -> {
				Outage refusal = Outage.since(Outage.ALL, span.from());
				this.checker.beganToRefuse(refusal);
				this.checker.ended(refusal, span.to());
			}
			case "refused" -> write(step, Type.REFUSED, 100, 0, 0, 0);
			case "stalls" -> this.checker.accept(new Event(Type.STALLED, worker, Event.SEVERAL, 0, 0, span.to(), 0, 0,
					span.to() - span.from(), 0, 0));
			case "stopped" -> this.checker.stopped(worker, span);
			case "outage" -> {
				Outage outage = Outage.since((worker != 0) ? worker : Outage.ALL, span.from());
				this.checker.began(outage);
				if (step.to != 0) {
					this.checker.ended(outage, span.to());
				}
			}
			case "scripts" -> this.checker.cost(new Cost(Rule.valueOf(step.word), span, step.token, (int) step.length));
			case "dies" -> this.checker.died(worker);
			case "leading" -> assertThat(this.checker.leader()).hasValue(worker);
			case "lose", "restart" ->
				this.checker.dataLost(new DataLoss(span, (step.token != 0) ? step.token : step.to * 1000,
						Extent.valueOf(step.word), step.verb.equals("restart")));
			case "suspended" -> this.checker.suspended(List.of(1, 2), span);
			case "succession" -> this.checker.checkSuccession(span);
			case "absent" -> assertThat(this.checker.tally().longestAbsence()).isEqualTo(span.from());
			case "farewells" -> this.checker.checkFarewells(span);
			case "calm" -> this.checker.calm(span.from());
			case "over" -> this.checker.endCalm();
			case "tick" -> this.checker.tick(span.from());
			default -> throw new IllegalArgumentException(step.verb);
		}
	}

	private void grant(Step step, long lease, long minHold) {
		begin(step, Type.GRANTED, step.from + lease - 110, millis(lease), (int) minHold);
	}

	private void begin(Step step, Type type, long until, long lease, int minHold) {
		this.holds.put(step.worker, ++this.ids);
		write(step, type, step.from, until, lease, minHold);
	}

	private void run(Step step, Type end) {
		writeOfJob(step, Type.RUNNING, step.from);
		writeOfJob(step, end, step.to);
		release(step, step.to);
	}

	private void writeOfJob(Step step, Type type, long at) {
		boolean isLong = "LONG".equals(step.word);
		int detail = (type == Type.CALLED) ? PERIOD : "TWICE".equals(step.word) ? 2 : 1;
		this.checker.accept(new Event(type, step.worker, NAME, 1, this.holds.getOrDefault(step.worker, 0L), millis(at),
				0, step.length + step.later, isLong ? millis(1000) : "LATE".equals(step.word) ? 1 : 0, 0, detail));
	}

	private void release(Step step, long at) {
		write(step, Type.RELEASING, at, 0, 0, 0);
		write(step, Type.RELEASED, at, 0, 0, 0);
	}

	private void write(Step step, Type type, long at, long until, long amount, int detail) {
		long token = (step.token != 0) ? step.token : step.from * 1000;
		this.checker.accept(new Event(type, step.worker, NAME, 1, this.holds.getOrDefault(step.worker, 0L), millis(at),
				token, millis(until), amount, 0, detail, step.limit));
	}

	private static long millis(long millis) {
		return TimeUnit.MILLISECONDS.toNanos(millis);
	}

	private record Step(int worker, String verb, String word, long from, long to, long token, int limit, long length,
			long later) {

		static Step parse(String text, long later) {
			Matcher step = STEP.matcher(text);
			assertThat(step.matches()).as(text).isTrue();
			String limit = step.group("limit");
			return new Step((int) number(step, "worker"), step.group("verb"), step.group("word"),
					number(step, "from") + later, number(step, "to") + later, number(step, "token"),
					(limit == null) ? 1 : limit.equals("any") ? 0 : Integer.parseInt(limit), number(step, "length"),
					later);
		}

		private static long number(Matcher step, String group) {
			return (step.group(group) != null) ? Long.parseLong(step.group(group)) : 0;
		}

		int place() {
			return Place.valueOf(this.word).ordinal();
		}

		int cause() {
			return (this.word != null) ? Event.detail(LossCause.valueOf(this.word)) : 0;
		}

	}

}
