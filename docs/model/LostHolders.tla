---------------------------- MODULE LostHolders ----------------------------
(***************************************************************************)
(* Holders.tla with a connection that is interrupted, and a server that    *)
(* may lose its data meanwhile: all of them, as in a restart, or those of  *)
(* some holders, as in a failover to a replica that lacks the newest       *)
(* writes.  More clients than are accepted may then believe to hold.  Each *)
(* hears of the interruption, asks, and is told: see LostData.tla.         *)
(*                                                                         *)
(* The question is an extension that lengthens nothing.  Here it has a     *)
(* name of its own, "ask", so that EntryStepsOrLoss can tell that it       *)
(* changes nothing at all.                                                 *)
(*                                                                         *)
(* The counter of fencing tokens is not lost.  No holder gets an end back  *)
(* that it had before: a replica that only lacks a renewal is left out.    *)
(***************************************************************************)
EXTENDS Holders

CONSTANTS
    MaxInterruptions,   \* how often the connection is interrupted; each time, data may be lost

    \* The rules under test.  FALSE makes a mutant.  First those of the client, as in LostData.tla.
    AsksAfterLoss,      \* who hears of an interruption asks
    UnderWayCounts,     \* so does who does not hold yet, but has asked for the lock
    LaterAnswersOnly,   \* only the answer to what was sent after the news counts
    EachLossCounts,     \* an interruption during a question leads to another question
    AsksAgain,          \* a question without an answer is repeated
    BusyTellsFence,     \* a pushed grant is refused if its fencing token is not larger than the
                        \* one that the last busy answer told

    \* Those of the script.
    AskLengthensNothing,    \* the holder that asks keeps its end
    AskNeverCreates,        \* one that is gone stays so
    AskEndsNobody,          \* ... and those that hold now stay, too
    AskOfItself,            \* the answer is about the holder that asks, and not about anybody
    AskSeesAll              \* it is found wherever it is among the holders

\* Without fencing tokens, no pushed grant is told from an older one.
ASSUME InOrder /\ MaxFence > 0

VARIABLES
    doubt,          \* per client: none; unheard, heard or asked, after an interruption
    busy, told,     \* per client: the last fencing token in the busy answer on its way, and in
                    \* the last one received
    interruptions,
    ago             \* 0 while nothing is lost; then 1 and the ticks since, up to Over

lost == <<doubt, busy, told, interruptions, ago>>
lossy == <<vars, lost>>

\* By then, whatever was granted before the loss has ended for its client.
Over == Counts(MaxLease, 0) + 1

LossyInit ==
    /\ Init
    /\ doubt = [c \in Clients |-> "none"]
    /\ busy = [c \in Clients |-> 0]
    /\ told = [c \in Clients |-> 0]
    /\ interruptions = MaxInterruptions
    /\ ago = 0

Concerned(c) == Valid(c) \/ (UnderWayCounts /\ st[c] \in {"want", "try", "held"})

\* The server keeps all, some or none of its holders, and the queue or not.
Interrupt ==
    /\ interruptions > 0 /\ interruptions' = interruptions - 1
    /\ holders' \in SUBSET holders
    /\ keyTtl' = Largest({0} \cup {h.ttl : h \in holders'})
    /\ queue' \in {queue, <<>>}
    /\ grace' \in {grace, 0}
    /\ ago' = IF holders' = holders THEN ago ELSE 1
    /\ doubt' = [c \in Clients |-> IF /\ AsksAfterLoss /\ Concerned(c)
                                      /\ doubt[c] = "asked" => EachLossCounts
                                   THEN "unheard" ELSE doubt[c]]
    /\ UNCHANGED <<fence, st, seq, beside, left, tok, base, gap, sent, out, inbox, highs, rare, since,
                   free, busy, told>>

\* A connection breaks or is there again, or there is another master.
Hear(c) ==
    /\ doubt[c] = "unheard"
    /\ doubt' = [doubt EXCEPT ![c] = "heard"]
    /\ UNCHANGED <<vars, busy, told, interruptions, ago>>

\* For each hold, whether or not it is ever extended.
Question(c) ==
    /\ Valid(c) /\ doubt[c] = "heard" /\ out[c].ph = "none"
    /\ UNCHANGED seq
    /\ Send(c, "ask", 0)
    /\ doubt' = [doubt EXCEPT ![c] = "asked"]
    /\ UNCHANGED <<server, beside, st, left, tok, base, gap, inbox, highs, rare, free, busy, told,
                   interruptions, ago>>

\* A client that is done has no doubts.  Any command that is sent after the news is a question.
Doubt(c, answered) ==
    CASE st'[c] \notin {"want", "try", "held"} -> "none"
      [] doubt[c] = "heard" /\ out'[c].ph = "sent" /\ out[c].ph # "sent" -> "asked"
      [] doubt[c] = "asked" /\ answered -> "none"
      [] doubt[c] = "heard" /\ answered /\ ~LaterAnswersOnly -> "none"
      [] doubt[c] = "asked" /\ out[c].ph # "none" /\ out'[c].ph = "none" ->
            IF AsksAgain THEN "heard" ELSE "none"
      [] OTHER -> doubt[c]

\* What each step of Holders.tla means here.
Step(c, answered) ==
    /\ doubt' = [doubt EXCEPT ![c] = Doubt(c, answered)]
    /\ UNCHANGED <<interruptions, ago>>

IsBusy(o) == o.ph = "answer" /\ o.op = "acquire" /\ ~o.yes

Acts(c) ==
    /\ \/ Start(c) \/ Join(c) \/ Follow(c) \/ Repeat(c) \/ Extend(c) \/ Confirm(c) \/ Release(c)
       \/ Cancel(c) \/ RepeatRelease(c) \/ TimeOut(c) \/ Reset(c) \/ Crash(c)
    /\ Step(c, FALSE)
    /\ told' = [told EXCEPT ![c] = IF st'[c] = "want" THEN @ ELSE 0]
    /\ busy' = [busy EXCEPT ![c] = IF IsBusy(out'[c]) THEN @ ELSE 0]

\* What the question finds.  A holder that is gone is not added, and nobody else is removed.
ExecAsk(c) ==
    LET t == sent[c][1].t
        hs == Live(holders)
        nearest == CHOOSE h \in hs : \A g \in hs : h.ttl <= g.ttl
        seen == IF AskSeesAll \/ hs = {} THEN hs ELSE {nearest}
        held == IF AskOfItself THEN Holds(seen, t) ELSE seen # {}
        longer(h) == IF h.t = t /\ ~AskLengthensNothing THEN [h EXCEPT !.ttl = Max(@, Lease)] ELSE h
    IN  /\ Write(IF held THEN {longer(h) : h \in hs}
                 ELSE IF ~AskNeverCreates THEN hs \cup {Entry(t, Lease, TRUE)}
                 ELSE IF ~AskEndsNobody THEN {}
                 ELSE hs, 0)
        /\ sent' = [sent EXCEPT ![c] = Tail(@)]
        /\ out' = IF out[c].ph = "sent" /\ Len(sent[c]) = 1
                  THEN [out EXCEPT ![c] = [@ EXCEPT !.ph = "answer", !.yes = held \/ ~AskNeverCreates]]
                  ELSE out
        /\ UNCHANGED <<queue, fence, st, seq, beside, left, tok, base, gap, inbox, highs, rare, since, free>>

Executes(c) ==
    /\ sent[c] # <<>>
    /\ IF sent[c][1].op = "ask" THEN ExecAsk(c) ELSE Exec(c)
    /\ Step(c, FALSE)
    /\ busy' = [busy EXCEPT ![c] = IF IsBusy(out'[c]) /\ ~IsBusy(out[c]) THEN fence' ELSE @]
    /\ UNCHANGED told

\* The answer to a question is that to an extension by nothing.
GotAsk(c) ==
    /\ out[c].ph = "answer" /\ out[c].op = "ask"
    /\ out' = [out EXCEPT ![c] = Nothing]
    /\ left' = [left EXCEPT ![c] = IF out[c].yes THEN @ ELSE 0]
    /\ UNCHANGED <<server, beside, st, seq, tok, base, gap, sent, inbox, highs, rare, since, free>>

Receives(c) ==
    /\ Receive(c) \/ GotAsk(c)
    /\ Step(c, TRUE)
    /\ told' = [told EXCEPT ![c] = IF st'[c] # "want" THEN 0
                                   ELSE IF IsBusy(out[c]) THEN busy[c] ELSE @]
    /\ busy' = [busy EXCEPT ![c] = 0]

IsGranted(c) ==
    /\ Notice(c)
    /\ BusyTellsFence => tok'[c] > told[c]
    /\ Step(c, FALSE)
    /\ told' = [told EXCEPT ![c] = 0]
    /\ busy' = [busy EXCEPT ![c] = 0]

Passes ==
    /\ Tick
    /\ ago' = IF ago = 0 THEN 0 ELSE Min(ago + 1, Over)
    /\ UNCHANGED <<doubt, busy, told, interruptions>>

LossyNext ==
    \/ Interrupt \/ Passes
    \/ \E c \in Clients : Hear(c) \/ Question(c) \/ Acts(c) \/ Executes(c) \/ Receives(c) \/ IsGranted(c)

LossySpec == LossyInit /\ [][LossyNext]_lossy

-----------------------------------------------------------------------------

\* Whoever believes to hold without being a holder for so long has asked, or will ask.
Told == \A c \in Clients : Valid(c) =>
            \/ \E h \in holders : h.t = Token(c) /\ h.ttl >= left[c]
            \/ out[c].op \in {"extend", "ask"}
            \/ doubt[c] # "none"

\* Before the loss, and from the longest lease after it on, nobody is in larger company than it
\* asked for, even if nobody hears of anything.
CompanyButAfterLoss == ago \in {0, Over} => Company /\ HolderHasEntry

\* The answer tells whether the client is a holder, and nothing else.
ToldTruly == [][\A c \in Clients :
                    /\ out[c].ph = "sent" /\ out'[c].ph = "answer"
                    /\ out[c].op \in {"extend", "ask"}
                    => out'[c].yes = Holds(holders', Token(c))]_lossy

\* No question changes a holder, and nothing but a loss does what no command of Holders.tla may.
EntryStepsOrLoss == [][interruptions' # interruptions \/ EntryStep]_lossy
=============================================================================
