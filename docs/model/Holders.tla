------------------------------ MODULE Holders ------------------------------
(***************************************************************************)
(* One name that several may hold at a time, some clients, one Redis       *)
(* server.  Each client has a limit: 1 is the exclusive lock, 2 stands for *)
(* permits, and NoLimit for shared.  Nobody is ever in larger company than *)
(* it asked for.  See README.md, and RedisLock.tla for the exclusive lock  *)
(* alone, of which this module keeps the rules of time and of messages.    *)
(*                                                                         *)
(* What is in Redis is one set of holders, each with its own end.  The     *)
(* main key is a string for an exclusive holder, and a set of holders for  *)
(* all others.  One variable is faithful to both: with an exclusive holder *)
(* there is no other, so a string is a set with one element; a key has one *)
(* type at a time; and each script that changes the type is one step.  The *)
(* key lives until the latest end of a holder, which for a string is the   *)
(* end of its only one; a set lives a grace longer.  A plain exclusive     *)
(* acquire takes an absent key, and looks at nothing else (PlainTakes).  A *)
(* string means that a holder is alive, so that it does not fit; and if    *)
(* all of a set have ended, it looks at the queue as well.                 *)
(*                                                                         *)
(* The shared clients in Sharing are in one JVM, and have one place in the *)
(* queue: one that comes while another one waits does not enter the queue. *)
(* When that one is granted the lock, it asks to be beside it.             *)
(*                                                                         *)
(* Holders whose end has passed vanish with the tick.  In Redis they stay  *)
(* until a script looks, and each script removes them before it counts.    *)
(*                                                                         *)
(* Time is discrete and relative, as in RedisLock.tla: each timer holds    *)
(* the ticks that are left, or that have passed.  A step may be late by    *)
(* any number of ticks unless Prompt is set.                               *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
    One, Two, Many,         \* the clients with limit 1, 2 and none; each is one contender
    Acquisitions,           \* how many times each client acquires, each with a new token
    Endless,                \* TRUE: again and again, once a tick, with one token; Prompt worlds only
    Tries,                  \* TRUE: a client may also make one attempt and not wait
    Lease,                  \* ticks for which an acquire keeps the holder
    ExtendLeases,           \* ticks for which an extend may ask
    GrantLease,             \* ticks for which a grant that was pushed keeps the holder
    Life,                   \* ticks for which the life sign of a waiter is good
    Poll,                   \* Prompt: a waiter repeats its acquire after so many ticks
    MaxSent,                \* bound of the exploration: commands on their way per client
    MaxFence,               \* bound of the exploration: no more grants than this; 0: no
                            \* bound, and no fencing tokens
    MaxFaults,              \* how often a command may time out or be lost
    MaxCrashes,             \* how many clients may crash
    ServeMax,               \* how many waiters one script looks at, dead ones included
    Grace,                  \* ticks for which the key of several outlives the last of them
    Sharing,                \* the clients of one JVM that share a place; a subset of Many
    Drift,                  \* ticks by which the clock of a client may be late at a deadline
    Margin,                 \* ticks taken off every deadline
    Prompt,                 \* TRUE: no command is under way when time moves, and polls are on time
    Reliable,               \* Prompt: messages are not lost, and holders extend or release in time
    FreeBound,              \* Prompt: the longest time for which the first waiter finds room
    InOrder,                \* TRUE: commands of a client are executed in the order of sending

    \* Choices that are safe either way; README.md says what they cost.
    PlainTakes,             \* an exclusive acquire takes an absent key whoever waits
    Help,                   \* an acquire that does not get in serves those in front of it

    \* The rules under test.  FALSE makes a mutant.
    EndedRemoved,           \* who counts holders leaves out those whose end has passed
    ServerTime,             \* ... by the time of the server, not of a client that is early
    HoldersLimits,          \* the limits of the holders count, not only that of the request
    WaitersLimits,          \* who is served counts with its own limit, not the releaser's
    UnconfirmedCount,       \* a grant counts before it is confirmed
    HeadStops,              \* who does not fit is not passed over when the queue is served
    QueueFirst,             \* an acquire does not get in while a living waiter is in front
    NextServed,             \* a release serves those behind the head as well
    CancelServes,           \* so does the release of one that only waited
    DeadSkipped,            \* a waiter without a life sign stops nobody
    OwnEnds,                \* an acquire or extend changes one end, not that of all
    KeyToLatest,            \* it keeps the key to the latest end, not to its own
    RepeatIsSame,           \* an acquire that finds its own token adds nothing
    ReleaseOwn,             \* a release removes its own token, or nothing
    ExtendNeverCreates,     \* extend does not add a holder
    StaleGrantsRefused,     \* see RedisLock.tla
    WaitersPoll,            \* waiters repeat their acquire
    RepeatIsNewToken,       \* a repeated acquire reserves a new fencing token
    BesideHolds,            \* who asks to be beside a holder gets in only while that one holds
    BesideFits              \* ... and only if it fits

Clients == One \cup Two \cup Many
NoLimit == 99
Limit(c) == IF c \in One THEN 1 ELSE IF c \in Two THEN 2 ELSE NoLimit

VARIABLES
    holders,        \* set of holders in Redis: token, ticks until its end, whether it has
                    \* confirmed; the rest is for mutants
    keyTtl,         \* ticks until Redis drops the key with all of them
    grace,          \* ticks until Redis drops the key of several, after the last has ended
    queue,          \* waiting tokens in order of arrival, each with the ticks it is alive
    fence,          \* the last fencing token given
    st, seq,        \* per client: what it does; number of its acquisition
    beside,         \* per client: the token with which it shares a place, or NoToken
    left,           \* per client: ticks for which it believes to hold
    tok,            \* per client: its fencing token
    base,           \* per client: ticks since the sending a pushed grant counts from
    gap,            \* per client: see RedisLock.tla
    sent,           \* per client: commands on their way to the server
    out,            \* per client: the command whose answer is awaited
    inbox,          \* pushed grants on their way
    high, highOne,  \* the largest fencing token of all who began to hold; of the exclusive
    faults, crashes,
    since, free     \* Prompt: ticks since a client's last command; ticks without use

server == <<holders, keyTtl, grace, queue, fence>>
highs == <<high, highOne>>
rare == <<faults, crashes>>
vars == <<holders, keyTtl, grace, queue, fence, st, seq, beside, left, tok, base, gap, sent, out, inbox, high,
          highOne, faults, crashes, since, free>>

Token(c) == <<c, seq[c]>>
NoToken == <<>>
N(t) == Limit(t[1])
Nothing == [ph |-> "none", op |-> "-", age |-> 0, lease |-> 0, exact |-> FALSE, yes |-> FALSE, f |-> 0]

Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Down(n) == IF n > 0 THEN n - 1 ELSE 0
Largest(s) == CHOOSE n \in s : \A m \in s : m <= n
MaxLease == Largest(ExtendLeases \cup {Lease})
Perms == {p @@ q @@ r @@ s : p \in Permutations(One), q \in Permutations(Two),
                            r \in Permutations(Many \ Sharing), s \in Permutations(Sharing)}

\* The client believes to hold, by its own clock.
Valid(c) == st[c] = "held" /\ left[c] > 0
Alive(c) == st[c] # "dead"
Waiting(c) == st[c] = "want"

\* How long a lease still counts, `age` ticks after the moment it is counted from, at worst:
\* the clock of the client may be late, which the margin must make up for.
Counts(lease, age) == IF lease + Drift > age + Margin THEN lease + Drift - age - Margin
                                                      ELSE 0

-----------------------------------------------------------------------------
Init ==
    /\ holders = {} /\ keyTtl = 0 /\ grace = 0 /\ queue = <<>> /\ fence = 0
    /\ st = [c \in Clients |-> "idle"]
    /\ seq = [c \in Clients |-> 0]
    /\ beside = [c \in Clients |-> NoToken]
    /\ left = [c \in Clients |-> 0]
    /\ tok = [c \in Clients |-> 0]
    /\ base = [c \in Clients |-> 0]
    /\ gap = [c \in Clients |-> "first"]
    /\ sent = [c \in Clients |-> <<>>]
    /\ out = [c \in Clients |-> Nothing]
    /\ inbox = {}
    /\ high = 0 /\ highOne = 0
    /\ faults = MaxFaults /\ crashes = MaxCrashes
    /\ since = [c \in Clients |-> 0]
    /\ free = 0

-----------------------------------------------------------------------------
(* The client sends. *)

SendLease(c, op, lease, exact) ==
    /\ Len(sent[c]) < MaxSent
    /\ sent' = [sent EXCEPT ![c] = Append(@, [op |-> op, t |-> <<c, seq'[c]>>, lease |-> lease,
                                             exact |-> exact, by |-> beside[c]])]
    /\ out' = [out EXCEPT ![c] = [Nothing EXCEPT !.ph = "sent", !.op = op, !.lease = lease,
                                                 !.exact = exact]]
    /\ since' = [since EXCEPT ![c] = 0]

Send(c, op, lease) == SendLease(c, op, lease, FALSE)

MaySend(c) == Prompt => since[c] > 0

\* Waits, or makes a single attempt.
Start(c) ==
    /\ st[c] = "idle"
    /\ c \in Sharing => \A d \in Sharing : st[d] # "want"
    /\ \/ seq[c] < Acquisitions /\ seq' = [seq EXCEPT ![c] = @ + 1]
       \/ Endless /\ seq[c] = Acquisitions /\ since[c] > 0 /\ UNCHANGED seq
    /\ \/ st' = [st EXCEPT ![c] = "want"] /\ Send(c, "acquire", Lease)
       \/ Tries /\ st' = [st EXCEPT ![c] = "try"] /\ Send(c, "try", Lease)
    /\ UNCHANGED <<server, beside, left, tok, base, gap, inbox, highs, rare, free>>

\* Waits with another one of the same JVM, which has the place in the queue.
Join(c) ==
    /\ c \in Sharing /\ st[c] = "idle" /\ seq[c] < Acquisitions
    /\ \E d \in Sharing \ {c} :
        /\ st[d] = "want"
        /\ beside' = [beside EXCEPT ![c] = Token(d)]
    /\ seq' = [seq EXCEPT ![c] = @ + 1]
    /\ st' = [st EXCEPT ![c] = "with"]
    /\ UNCHANGED <<server, left, tok, base, gap, sent, out, inbox, highs, rare, since, free>>

\* That one was granted the lock: asks to be beside it.  Or it does not wait any more: gives up.
Follow(c) ==
    /\ st[c] = "with"
    /\ LET d == beside[c][1]
       IN  IF Token(d) = beside[c] /\ st[d] = "want" THEN FALSE
           ELSE IF Token(d) = beside[c] /\ st[d] = "held"
           THEN /\ st' = [st EXCEPT ![c] = "try"]
                /\ UNCHANGED <<seq, beside>>
                /\ Send(c, "beside", Lease)
           ELSE /\ st' = [st EXCEPT ![c] = "idle"]
                /\ beside' = [beside EXCEPT ![c] = NoToken]
                /\ UNCHANGED <<seq, sent, out, since>>
    /\ UNCHANGED <<server, left, tok, base, gap, inbox, highs, rare, free>>

\* Repeats the acquire with the same token: poll, life sign and retry in one.
Repeat(c) ==
    /\ st[c] = "want" /\ out[c].ph = "none" /\ WaitersPoll /\ MaySend(c)
    /\ UNCHANGED seq
    /\ Send(c, "acquire", Lease)
    /\ gap' = [gap EXCEPT ![c] = IF @ = "first" THEN "short" ELSE @]
    /\ UNCHANGED <<server, beside, st, left, tok, base, inbox, highs, rare, free>>

\* A request for less than the client believes in says so, is obeyed, and is believed before
\* it is sent.
Extend(c) ==
    /\ Valid(c) /\ out[c].ph = "none" /\ MaySend(c)
    /\ UNCHANGED seq
    /\ \E l \in ExtendLeases :
        LET exact == Counts(l, 0) < left[c]
        IN  /\ SendLease(c, "extend", l, exact)
            /\ left' = [left EXCEPT ![c] = IF exact THEN Counts(l, 0) ELSE @]
    /\ UNCHANGED <<server, beside, st, tok, base, gap, inbox, highs, rare, free>>

\* Sends the confirmation of a pushed grant that could not be sent at once.
Confirm(c) ==
    /\ Valid(c) /\ out[c].ph = "due"
    /\ UNCHANGED seq
    /\ Send(c, "extend", Lease)
    /\ UNCHANGED <<server, beside, st, left, tok, base, gap, inbox, highs, rare, free>>

\* From here on the answers to earlier commands are ignored, and so are pushed grants.
Stop(c) ==
    /\ UNCHANGED seq
    /\ st' = [st EXCEPT ![c] = "leave"]
    /\ left' = [left EXCEPT ![c] = 0]
    /\ tok' = [tok EXCEPT ![c] = 0]
    /\ base' = [base EXCEPT ![c] = 0]
    /\ gap' = [gap EXCEPT ![c] = "first"]
    /\ inbox' = {m \in inbox : m.t[1] # c}
    /\ Send(c, "release", 0)
    /\ UNCHANGED <<server, beside, highs, rare, free>>

\* The holder ends, whether or not its deadline has passed.
Release(c) == st[c] = "held" /\ Stop(c)

\* The waiter gives up, or is interrupted; or a single attempt was not answered.
Cancel(c) == st[c] \in {"want", "try"} /\ Stop(c)

\* The release is repeated until it is answered.
RepeatRelease(c) ==
    /\ st[c] = "leave" /\ out[c].ph = "none"
    /\ UNCHANGED seq
    /\ Send(c, "release", 0)
    /\ UNCHANGED <<server, beside, st, left, tok, base, gap, inbox, highs, rare, free>>

-----------------------------------------------------------------------------
(* The server executes.  Each script is one atomic step. *)

Without(q, t) == SelectSeq(q, LAMBDA w : w.t # t)
Queued(q, t) == \E i \in DOMAIN q : q[i].t = t
Holds(hs, t) == \E h \in hs : h.t = t
Entry(t, ttl, sure) == [t |-> t, ttl |-> ttl, sure |-> sure, again |-> FALSE]

\* The holders that a script sees: it removes the others first.
Live(hs) == IF ServerTime THEN hs ELSE {h \in hs : h.ttl > 1}

\* One more with limit n, called by `by`, is in no larger company than it or anybody asked for.
Fits(hs, n) ==
    LET counted == {h \in hs : UnconfirmedCount \/ h.sure}
    IN  /\ Cardinality(counted) + 1 <= n
        /\ HoldersLimits => \A h \in counted : Cardinality(counted) + 1 <= N(h.t)

\* Serves the queue: the head and the next ones while they fit.  Who has no life sign is
\* dropped.  A script looks at `most` at most, and is then not done.  `n` is the limit of the
\* releaser, for a mutant.
RECURSIVE Serve(_, _, _, _, _)
Serve(hs, q, granted, most, n) ==
    LET stop == [hs |-> hs, q |-> q, granted |-> granted, more |-> FALSE]
    IN  IF q = <<>> THEN stop
        ELSE IF most = 0 THEN [stop EXCEPT !.more = TRUE]
        ELSE IF q[1].life = 0
        THEN IF DeadSkipped THEN Serve(hs, Tail(q), granted, most - 1, n) ELSE stop
        ELSE IF (IF WaitersLimits THEN Fits(hs, N(q[1].t)) ELSE Cardinality(hs) + 1 <= n)
        THEN Serve(hs \cup {Entry(q[1].t, GrantLease, FALSE)}, Tail(q), granted \cup {q[1].t}, most - 1, n)
        ELSE IF HeadStops
        THEN stop
        ELSE LET rest == Serve(hs, Tail(q), granted, most - 1, n)
             IN  [rest EXCEPT !.q = <<q[1]>> \o @]

\* The key is kept to the latest end.
Write(hs, own) ==
    /\ holders' = hs
    /\ grace' = IF hs = {} /\ holders = {} THEN grace ELSE 0
    /\ keyTtl' = IF hs = {} THEN 0
                 ELSE IF KeyToLatest \/ own = 0 THEN Largest({h.ttl : h \in hs}) ELSE own

\* A message to a client that does not wait for it, or will not take it, would be thrown away
\* at its arrival.  Each grant has the next fencing token.
Push(granted, first) ==
    LET taken == {t \in granted : /\ Token(t[1]) = t /\ st[t[1]] = "want"
                                  /\ StaleGrantsRefused => gap[t[1]] # "long"}
        order(t) == Cardinality({i \in DOMAIN queue : queue[i].t \in granted
                                    /\ i <= CHOOSE j \in DOMAIN queue : queue[j].t = t})
    IN  inbox \cup {[t |-> t, f |-> IF MaxFence = 0 THEN 0 ELSE first + order(t)] : t \in taken}

Answer(c, i, yes, f) ==
    out' = IF out[c].ph = "sent" /\ i = Len(sent[c])
           THEN [out EXCEPT ![c] = [@ EXCEPT !.ph = "answer", !.yes = yes, !.f = f]]
           ELSE out

Granted(n) == fence' = IF MaxFence = 0 THEN 0 ELSE fence + n

\* One end for all: only in a mutant.
Same(hs, ttl) == IF OwnEnds THEN hs ELSE {[h EXCEPT !.ttl = ttl] : h \in hs}

ExecAcquire(c, i, t, lease, waits, by) ==
    LET hs == Live(holders)
        mine == {h \in hs : h.t = t}
        new == Entry(t, lease, TRUE)
        q == IF ~waits \/ Queued(queue, t)
             THEN [j \in DOMAIN queue |-> IF queue[j].t = t THEN [queue[j] EXCEPT !.life = Life]
                                                            ELSE queue[j]]
             ELSE Append(queue, [t |-> t, life |-> Life])
        \* Those that wait in front of it and are alive: all if it has no place.
        place == IF Queued(q, t) THEN CHOOSE j \in DOMAIN q : q[j].t = t ELSE Len(q) + 1
        front == {j \in 1..(place - 1) : q[j].life > 0 \/ ~DeadSkipped}
        served == Serve(hs, SubSeq(q, 1, place - 1), {}, ServeMax, N(t))
        behind == SubSeq(q, place, Len(q))
        plain == PlainTakes /\ N(t) = 1 /\ hs = {} /\ grace = 0
        passes == by # NoToken /\ (Holds(hs, by) \/ ~BesideHolds)
        enters(room) == \/ room /\ (front = {} \/ ~QueueFirst \/ passes)
                        \/ passes /\ ~BesideFits
    IN  CASE mine # {} /\ RepeatIsSame ->
                /\ LET ttl == Largest({lease} \cup {h.ttl : h \in mine})
                   IN  Write(Same((hs \ mine) \cup {[new EXCEPT !.ttl = ttl]}, ttl), ttl)
                /\ IF RepeatIsNewToken
                   THEN Granted(1) /\ Answer(c, i, TRUE, fence')
                   ELSE UNCHANGED fence /\ Answer(c, i, TRUE, fence)
                /\ UNCHANGED <<queue, inbox>>
          [] ~(mine # {} /\ RepeatIsSame) /\ (plain \/ enters(Fits(hs, N(t)))) ->
                /\ Write(Same(hs \cup {[new EXCEPT !.again = mine # {}]}, lease), lease)
                /\ queue' = Without(queue, t)
                /\ Granted(1)
                /\ Answer(c, i, TRUE, fence')
                /\ UNCHANGED inbox
          [] OTHER ->
                IF Help /\ waits /\ served.granted # {}
                THEN LET in == ~served.more /\ served.q = <<>> /\ Fits(served.hs, N(t))
                     IN  /\ Write(IF in THEN served.hs \cup {new} ELSE served.hs, 0)
                         /\ queue' = served.q \o (IF in THEN Without(behind, t) ELSE behind)
                         /\ Granted(Cardinality(served.granted) + (IF in THEN 1 ELSE 0))
                         /\ inbox' = Push(served.granted, fence)
                         /\ Answer(c, i, in, IF in THEN fence' ELSE 0)
                ELSE /\ Write(hs, 0)
                     /\ queue' = q
                     /\ Answer(c, i, FALSE, 0)
                     /\ UNCHANGED <<fence, inbox>>

ExecExtend(c, i, t, lease, exact) ==
    LET hs == Live(holders)
        mine == {h \in hs : h.t = t}
        ttl == IF exact THEN lease ELSE Largest({lease} \cup {h.ttl : h \in mine})
    IN  /\ IF mine # {}
           THEN /\ Write(Same((hs \ mine) \cup {[h EXCEPT !.ttl = ttl, !.sure = TRUE] : h \in mine}, ttl), ttl)
                /\ Answer(c, i, TRUE, 0)
           ELSE IF ~ExtendNeverCreates
           THEN /\ Write(hs \cup {Entry(t, lease, TRUE)}, 0)
                /\ Answer(c, i, TRUE, 0)
           ELSE /\ Write(hs, 0)
                /\ Answer(c, i, FALSE, 0)
        /\ UNCHANGED <<queue, fence, inbox>>

\* Leaves the holders and the queue, and serves those that wait.  If the key is absent, nobody
\* is served: those that wait will look.  The answer tells whether to call again.  Until somebody
\* else holds, the token of a holder stays if the script is not done.
ExecRelease(c, i, t) ==
    LET all == Live(holders)
        mine == {h \in all : h.t = t}
        gone == IF mine # {} THEN {CHOOSE h \in mine : \A g \in mine : g.again => h.again}
                ELSE IF ReleaseOwn \/ all = {} THEN {} ELSE {CHOOSE h \in all : TRUE}
        hs == all \ gone
        q == Without(queue, t)
        serves == (all # {} \/ grace > 0) /\ (mine # {} \/ CancelServes)
        most == IF NextServed THEN ServeMax ELSE 1
        served == IF serves THEN Serve(hs, q, {}, most, N(t))
                  ELSE [hs |-> hs, q |-> q, granted |-> {}, more |-> FALSE]
        stays == NextServed /\ served.more /\ served.hs = {}
    IN  /\ Write(IF stays THEN gone ELSE served.hs, 0)
        /\ queue' = served.q
        /\ Granted(Cardinality(served.granted))
        /\ inbox' = Push(served.granted, fence)
        /\ Answer(c, i, NextServed /\ served.more, 0)

Exec(c) ==
    \E i \in (IF InOrder THEN {1} ELSE DOMAIN sent[c]) \cap DOMAIN sent[c] :
        LET m == sent[c][i]
        IN  /\ CASE m.op = "acquire" -> ExecAcquire(c, i, m.t, m.lease, TRUE, NoToken)
                 [] m.op = "try" -> ExecAcquire(c, i, m.t, m.lease, FALSE, NoToken)
                 [] m.op = "beside" -> ExecAcquire(c, i, m.t, m.lease, FALSE, m.by)
                 [] m.op = "extend" -> ExecExtend(c, i, m.t, m.lease, m.exact)
                 [] OTHER -> ExecRelease(c, i, m.t)
            /\ sent' = [sent EXCEPT ![c] = SubSeq(@, 1, i - 1) \o SubSeq(@, i + 1, Len(@))]
            /\ UNCHANGED <<st, seq, beside, left, tok, base, gap, highs, rare, since, free>>

-----------------------------------------------------------------------------
(* The client receives. *)

Hold(c, n, f) ==
    /\ st' = [st EXCEPT ![c] = "held"]
    /\ left' = [left EXCEPT ![c] = n]
    /\ tok' = [tok EXCEPT ![c] = f]
    /\ base' = [base EXCEPT ![c] = 0]
    /\ gap' = [gap EXCEPT ![c] = "first"]
    /\ inbox' = {m \in inbox : m.t[1] # c}
    /\ high' = Max(high, f)
    /\ highOne' = IF c \in One THEN Max(highOne, f) ELSE highOne

GotAcquire(c) ==
    /\ out[c].op \in {"acquire", "try", "beside"}
    /\ out' = [out EXCEPT ![c] = Nothing]
    /\ UNCHANGED seq
    /\ IF out[c].yes
       THEN LET n == Counts(Lease, out[c].age)
            IN  IF n > 0
                THEN Hold(c, n, out[c].f)
                ELSE \* too late to be of use: try again with the same token, or give back
                     UNCHANGED <<st, left, tok, base, gap, inbox, highs>>
       ELSE IF out[c].op # "acquire"
       THEN /\ st' = [st EXCEPT ![c] = "idle"]
            /\ UNCHANGED <<left, tok, base, gap, inbox, highs>>
       ELSE /\ gap' = [gap EXCEPT ![c] = IF @ = "short" /\ base[c] >= Counts(GrantLease, 0)
                                        THEN "long" ELSE @]
            /\ LET refuses == StaleGrantsRefused /\ gap'[c] = "long"
               IN  /\ base' = [base EXCEPT ![c] = IF refuses THEN Counts(GrantLease, 0)
                                ELSE Min(out[c].age, Counts(GrantLease, 0))]
                   /\ inbox' = IF refuses THEN {m \in inbox : m.t[1] # c} ELSE inbox
            /\ UNCHANGED <<st, left, tok, highs>>

GotExtend(c) ==
    /\ out[c].op = "extend"
    /\ out' = [out EXCEPT ![c] = Nothing]
    /\ LET n == Counts(out[c].lease, out[c].age)
       IN  left' = [left EXCEPT ![c] = IF ~out[c].yes \/ @ = 0 THEN 0  \* lost, and that is final
                                       ELSE IF out[c].exact THEN n ELSE Max(@, n)]
    /\ UNCHANGED <<st, seq, tok, base, gap, inbox, highs>>

\* If more could be served, the releaser calls again.
GotRelease(c) ==
    /\ out[c].op = "release"
    /\ out' = [out EXCEPT ![c] = Nothing]
    /\ st' = [st EXCEPT ![c] = IF out[c].yes THEN @ ELSE "idle"]
    /\ UNCHANGED <<seq, left, tok, base, gap, inbox, highs>>

Receive(c) ==
    /\ out[c].ph = "answer"
    /\ GotAcquire(c) \/ GotExtend(c) \/ GotRelease(c)
    /\ UNCHANGED <<server, beside, sent, rare, since, free>>

\* A pushed grant arrives and is taken.  One that is refused changes nothing: it stays in the
\* inbox, as messages may come twice, and the client may ask at any time anyway.
Notice(c) ==
    /\ st[c] = "want"
    /\ UNCHANGED seq
    /\ StaleGrantsRefused => gap[c] # "long"
    /\ \E m \in {m \in inbox : m.t = Token(c)} :
        LET n == Counts(GrantLease, base[c])
        IN  n > 0 /\ Hold(c, n, m.f)
    /\ IF Len(sent[c]) < MaxSent
       THEN Send(c, "extend", Lease)
       ELSE /\ out' = [out EXCEPT ![c] = [Nothing EXCEPT !.ph = "due", !.op = "extend"]]
            /\ UNCHANGED <<sent, since>>
    /\ UNCHANGED <<server, beside, rare, free>>

-----------------------------------------------------------------------------
(* Faults and time. *)

Fault == faults > 0 /\ faults' = faults - 1

\* The client stops awaiting: the answer was lost, or comes too late.  The command is
\* still on its way, or was executed.
TimeOut(c) ==
    /\ out[c].ph \in {"sent", "answer"}
    /\ Alive(c) /\ Fault
    /\ out' = [out EXCEPT ![c] = Nothing]
    /\ UNCHANGED <<server, beside, st, seq, left, tok, base, gap, sent, inbox, highs, crashes, since, free>>

\* The connection breaks; what was not executed is lost.
Reset(c) ==
    /\ sent[c] # <<>> /\ Alive(c) /\ Fault
    /\ sent' = [sent EXCEPT ![c] = <<>>]
    /\ out' = [out EXCEPT ![c] = IF @.ph = "sent" THEN Nothing ELSE @]
    /\ UNCHANGED <<server, beside, st, seq, left, tok, base, gap, inbox, highs, crashes, since, free>>

Crash(c) ==
    /\ Alive(c) /\ crashes > 0
    /\ crashes' = crashes - 1
    /\ st' = [st EXCEPT ![c] = "dead"]
    /\ left' = [left EXCEPT ![c] = 0]
    /\ tok' = [tok EXCEPT ![c] = 0]
    /\ base' = [base EXCEPT ![c] = 0]
    /\ gap' = [gap EXCEPT ![c] = "first"]
    /\ out' = [out EXCEPT ![c] = Nothing]
    /\ inbox' = {m \in inbox : m.t[1] # c}
    /\ since' = [since EXCEPT ![c] = 0]
    /\ UNCHANGED <<server, seq, beside, sent, highs, faults, free>>

\* In a prompt world time moves only when nothing is under way and nobody is late.
OnTime(c) ==
    /\ sent[c] = <<>>
    /\ Alive(c) =>
        /\ out[c].ph = "none"
        /\ st[c] \notin {"leave", "try"}
        /\ st[c] = "with" => st[beside[c][1]] = "want" /\ Token(beside[c][1]) = beside[c]
        /\ st[c] = "want" /\ WaitersPoll => since[c] < Poll
        /\ Reliable => /\ st[c] = "held" => left[c] > 1
                       /\ \A m \in inbox : m.t[1] # c

Older(o) == IF o.op \in {"acquire", "try", "beside", "extend"}
            THEN [o EXCEPT !.age = Min(@ + 1, Counts(MaxLease, 0))] ELSE o

Ticked == IF keyTtl <= 1 THEN {}
          ELSE {h \in {[h EXCEPT !.ttl = Down(@)] : h \in holders} : h.ttl > 0 \/ ~EndedRemoved}

\* There is something for a living waiter that it does not use: a grant of which it does not
\* know, or room for the first of those that wait.
Unused ==
    LET mine(t) == st[t[1]] # "idle" /\ Token(t[1]) = t
        used == {h \in holders : mine(h.t) /\ st[h.t[1]] \in {"held", "want"} /\ h.ttl > 0}
        waits == SelectSeq(queue, LAMBDA w : mine(w.t) /\ Waiting(w.t[1]))
        room(n) == /\ Cardinality(used) + 1 <= n
                   /\ \A h \in used : Cardinality(used) + 1 <= N(h.t)
    IN  \/ \E h \in used : Waiting(h.t[1])
        \/ waits # <<>> /\ room(N(waits[1].t))

Tick ==
    /\ Prompt => \A c \in Clients : OnTime(c)
    /\ holders' = Ticked
    /\ keyTtl' = Down(keyTtl)
    /\ grace' = IF Ticked # {} THEN 0
                ELSE IF \E h \in holders : N(h.t) > 1 THEN Grace ELSE Down(grace)
    /\ queue' = [i \in DOMAIN queue |-> [queue[i] EXCEPT !.life = Down(@)]]
    /\ left' = [c \in Clients |-> Down(left[c])]
    /\ base' = [c \in Clients |-> IF st[c] = "want" THEN Min(base[c] + 1, Counts(GrantLease, 0))
                                                    ELSE 0]
    /\ out' = [c \in Clients |-> Older(out[c])]
    /\ since' = IF ~Prompt THEN since
                ELSE [c \in Clients |-> IF st[c] \in {"want", "held"} \/ (Endless /\ st[c] = "idle")
                                      THEN Min(since[c] + 1, Poll) ELSE 0]
    /\ free' = IF Prompt /\ Unused THEN Min(free + 1, FreeBound + 1) ELSE 0
    /\ UNCHANGED <<fence, st, seq, beside, tok, gap, sent, inbox, highs, rare>>

Act(c) ==
    \/ Start(c) \/ Join(c) \/ Follow(c) \/ Repeat(c) \/ Extend(c) \/ Confirm(c) \/ Release(c) \/ Cancel(c)
    \/ RepeatRelease(c) \/ Exec(c) \/ Receive(c) \/ Notice(c) \/ TimeOut(c) \/ Reset(c) \/ Crash(c)

Next == Tick \/ \E c \in Clients : Act(c)

Spec == Init /\ [][Next]_vars

\* Everyone goes on: time, the server, the clients, and the work under the lock ends.  Nothing
\* is asked of pushed grants, which may all be lost, of cancels and of faults.
Fair == /\ WF_vars(Tick)
        /\ \A c \in Clients : /\ WF_vars(Exec(c))
                              /\ WF_vars(Receive(c))
                              /\ WF_vars(Follow(c))
                              /\ WF_vars(Repeat(c))
                              /\ WF_vars(RepeatRelease(c))
                              /\ WF_vars(Release(c))
FairSpec == Spec /\ Fair

-----------------------------------------------------------------------------
(* What must hold. *)

\* Bounds of the exploration.
Bounded == fence <= MaxFence

TypeOK ==
    /\ EndedRemoved /\ KeyToLatest => keyTtl = Largest({0} \cup {h.ttl : h \in holders})
    /\ holders = {} <=> keyTtl = 0
    /\ grace > 0 => holders = {}
    /\ \A c \in Clients :
        /\ st[c] \in {"idle", "want", "with", "try", "held", "leave", "dead"}
        /\ beside[c] # NoToken => c \in Sharing
        /\ left[c] > 0 => st[c] = "held"
        /\ out[c].ph = "sent" => Len(sent[c]) > 0
    /\ \A g, h \in holders : g.t = h.t /\ g.again = h.again => g = h
    /\ \A i, j \in DOMAIN queue : queue[i].t = queue[j].t => i = j
    /\ \A h \in holders : ~Queued(queue, h.t)

\* 1. Nobody is in larger company than it asked for, by the holders' own clocks ...
Company == LET valid == {c \in Clients : Valid(c)}
           IN  \A c \in valid : Cardinality(valid) <= Limit(c)

\* 1. ... because who believes to hold is a holder in Redis, for as long as it believes ...
HolderHasEntry == \A c \in Clients : Valid(c) => \E h \in holders : h.t = Token(c) /\ h.ttl >= left[c]

\* 1. ... where the rule holds as well, also for grants of which nobody knows yet.
CompanyInRedis == \A h \in holders : Cardinality({g.t : g \in holders}) <= N(h.t)

\* 2. Nobody gets in while another one that is alive waits in front of it, except for an
\* exclusive acquire that finds the key absent, and for one that is beside a holder with which
\* it shared a place.
Overtakes(t) == \E i \in DOMAIN queue :
                    /\ queue[i].life > 0 /\ queue[i].t # t /\ Queued(queue', queue[i].t)
                    /\ Queued(queue, t) => i < CHOOSE j \in DOMAIN queue : queue[j].t = t
Entered == {h.t : h \in holders'} \ {h.t : h \in holders}
NobodyOvertakenAtAll == [][\A t \in Entered : ~Overtakes(t)]_vars
NobodyOvertaken == [][\A t \in Entered : Overtakes(t) =>
                        \/ PlainTakes /\ N(t) = 1 /\ holders = {} /\ grace = 0
                        \/ Holds(holders, beside[t[1]]) /\ Token(t[1]) = t]_vars

\* 3. With a first waiter that finds room, or does not know of its grant, time is bounded ...
SoonInUse == free <= FreeBound

\* 3. ... and no waiter is forgotten.
NoLostWaiter == \A c \in Clients : Waiting(c) ~> ~Waiting(c)

\* 4. A holder changes by a command with its token, or by the end of its time; it comes by an
\* acquire with its token, or from the queue.  A waiter that is alive leaves the queue by a
\* command with its token, or as a holder.
Executed(t, ops) == \E c \in Clients : \E i \in DOMAIN sent[c] :
                        /\ sent[c][i].t = t /\ sent[c][i].op \in ops
                        /\ Len(sent'[c]) < Len(sent[c])
EntryStep ==
    /\ \/ holders' = Ticked
       \/ \A h \in holders \ holders' : Executed(h.t, {"acquire", "try", "beside", "extend", "release"})
    /\ \A t \in Entered : \/ Executed(t, {"acquire", "try", "beside"})
                          \/ \E i \in DOMAIN queue : queue[i].t = t /\ queue[i].life > 0
    /\ \A i \in DOMAIN queue :
           queue[i].life > 0 => \/ Queued(queue', queue[i].t)
                                \/ Holds(holders', queue[i].t)
                                \/ Executed(queue[i].t, {"release"})
EntrySteps == [][EntryStep]_vars

\* 5. When a release or a cancel has been answered, nothing of its token is left.
NothingLeft == \A c \in Clients : st[c] = "idle" =>
                    /\ ~Holds(holders, Token(c))
                    /\ ~Queued(queue, Token(c))
                    /\ \A m \in inbox : m.t # Token(c)

\* 6. An exclusive holder has a larger fencing token than all who held before, and whoever
\* comes after it a larger one than it had.  No two have the same.
FencingOrder == [][\A c \in Clients :
                    Valid(c)' /\ ~Valid(c) =>
                        /\ tok'[c] > (IF c \in One THEN high ELSE highOne)
                        /\ \A d \in Clients : d # c /\ Valid(d)' => tok'[d] # tok'[c]]_vars
=============================================================================
