----------------------------- MODULE LostData -----------------------------
(***************************************************************************)
(* RedisLock.tla with a server that loses its data: a restart, a flush, an *)
(* eviction, a failover to a replica without them.  Two clients may then   *)
(* believe to hold the lock.  What the protocol promises is that none of   *)
(* them believes it for good: each hears of the interruption, asks, and is *)
(* told.  The question is an extension that lengthens nothing.             *)
(*                                                                         *)
(* The counter of fencing tokens is not lost: it rests on the clock of the *)
(* server.                                                                 *)
(***************************************************************************)
EXTENDS RedisLock

CONSTANTS
    MaxLosses,      \* how often the data may be lost

    \* The rules under test.  FALSE makes a mutant.
    AsksAfterLoss,      \* who hears of an interruption asks
    UnderWayCounts,     \* so does who does not hold yet, but has asked for the lock: the grant
                        \* may be older than the interruption
    LaterAnswersOnly,   \* only the answer to what was sent after the news counts
    EachLossCounts,     \* an interruption during a question leads to another question
    AsksAgain,          \* a question without an answer is repeated
    BusyTellsFence      \* a pushed grant is refused if its fencing token is not larger than the
                        \* one that the last busy answer told

VARIABLES
    doubt,          \* per client: none; unheard, heard or asked, after a loss
    busy, told,     \* per client: the last fencing token in the busy answer on its way, and in
                    \* the last one received
    losses

lost == <<doubt, busy, told, losses>>
lossy == <<vars, lost>>

LossyInit ==
    /\ Init
    /\ doubt = [c \in Clients |-> "none"]
    /\ busy = [c \in Clients |-> 0]
    /\ told = [c \in Clients |-> 0]
    /\ losses = MaxLosses

Concerned(c) == Valid(c) \/ (UnderWayCounts /\ st[c] \in {"want", "held"})

Lose ==
    /\ losses > 0 /\ losses' = losses - 1
    /\ key' = None /\ ttl' = 0 /\ queue' = <<>>
    /\ doubt' = [c \in Clients |-> IF /\ AsksAfterLoss /\ Concerned(c)
                                      /\ doubt[c] = "asked" => EachLossCounts
                                   THEN "unheard" ELSE doubt[c]]
    /\ UNCHANGED <<fence, st, seq, left, tok, rest, base, gap, sent, out, old, inbox, high, rare,
                   since, free, busy, told>>

\* A connection breaks or is there again, or there is another master.
Hear(c) ==
    /\ doubt[c] = "unheard"
    /\ doubt' = [doubt EXCEPT ![c] = "heard"]
    /\ UNCHANGED <<vars, busy, told, losses>>

Question(c) ==
    /\ Valid(c) /\ doubt[c] = "heard" /\ out[c].ph = "none" /\ old[c].ph = "none"
    /\ UNCHANGED seq
    /\ SendLease(c, "extend", 0, FALSE)
    /\ doubt' = [doubt EXCEPT ![c] = "asked"]
    /\ UNCHANGED <<server, st, left, tok, rest, base, gap, old, inbox, high, rare, free, busy, told,
                   losses>>

\* A client that is done has no doubts.  Any command that is sent after the news is a question.
Doubt(c, answered) ==
    CASE st'[c] \notin {"want", "held"} -> "none"
      [] doubt[c] = "heard" /\ out'[c].ph = "sent" /\ out[c].ph # "sent" -> "asked"
      [] doubt[c] = "asked" /\ answered -> "none"
      [] doubt[c] = "heard" /\ answered /\ ~LaterAnswersOnly -> "none"
      [] doubt[c] = "asked" /\ out[c].ph # "none" /\ out'[c].ph = "none" ->
            IF AsksAgain THEN "heard" ELSE "none"
      [] OTHER -> doubt[c]

\* What each step of RedisLock.tla means here.
Step(c, answered) ==
    /\ doubt' = [doubt EXCEPT ![c] = Doubt(c, answered)]
    /\ UNCHANGED losses

Acts(c) ==
    /\ \/ Start(c) \/ Repeat(c) \/ Extend(c) \/ Confirm(c) \/ Release(c) \/ Cancel(c)
       \/ RepeatRelease(c) \/ HandOff(c) \/ TimeOut(c) \/ Reset(c) \/ Crash(c)
    /\ Step(c, FALSE)
    /\ told' = [told EXCEPT ![c] = IF st'[c] = "want" THEN @ ELSE 0]
    /\ UNCHANGED busy

IsBusy(o) == o.ph = "answer" /\ o.op = "acquire" /\ ~o.yes

Executes(c) ==
    /\ Exec(c)
    /\ Step(c, FALSE)
    /\ busy' = [busy EXCEPT ![c] = IF IsBusy(out'[c]) /\ ~IsBusy(out[c]) THEN fence' ELSE @]
    /\ UNCHANGED told

Receives(c) ==
    /\ Receive(c)
    /\ Step(c, TRUE)
    /\ told' = [told EXCEPT ![c] = IF st'[c] # "want" THEN 0
                                   ELSE IF IsBusy(out[c]) THEN busy[c] ELSE @]
    /\ busy' = [busy EXCEPT ![c] = 0]

IsGranted(c) ==
    /\ Notice(c)
    /\ BusyTellsFence => tok'[c] > told[c]
    /\ Step(c, FALSE)
    /\ told' = [told EXCEPT ![c] = 0]
    /\ UNCHANGED busy

LossyNext ==
    \/ Lose
    \/ Tick /\ UNCHANGED lost
    \/ \E c \in Clients : Hear(c) \/ Question(c) \/ Acts(c) \/ Executes(c) \/ Receives(c) \/ IsGranted(c)

LossySpec == LossyInit /\ [][LossyNext]_lossy

-----------------------------------------------------------------------------

\* Whoever believes to hold the lock without having its key has asked, or will ask.
Told == \A c \in Clients : Valid(c) =>
            key = Token(c) \/ out[c].op = "extend" \/ doubt[c] # "none"
=============================================================================
