----------------------------- MODULE RedisLock -----------------------------
(***************************************************************************)
(* One lock, some clients (JVMs), one Redis server: the protocol of the    *)
(* Redis lock store.  See README.md for what is modeled and what is not.   *)
(*                                                                         *)
(* Time is discrete and relative: each timer holds the ticks that are      *)
(* left, or that have passed, and Tick moves all of them.  So there is no  *)
(* end of time, and a step may be late by any number of ticks, which is    *)
(* how pauses, slow networks, lost messages and crashes come in: unless    *)
(* Prompt is set, no step ever has to happen.                              *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
    Clients,        \* the JVMs; each has at most one contender in Redis
    Acquisitions,   \* how many times each client takes the lock, each with a new token
    Lease,          \* ticks for which an acquire keeps the key
    ExtendLeases,   \* ticks for which an extend may ask
    GrantLease,     \* ticks for which a hand-over keeps the key
    Life,           \* ticks for which the life sign of a waiter is good
    Poll,           \* Prompt: a waiter repeats its acquire after so many ticks
    Block,          \* fencing tokens reserved by one grant
    MaxFence,       \* bound of the exploration: no more tokens than this
    MaxSent,        \* bound of the exploration: commands on their way per client
    MaxFaults,      \* how often a command may time out or be lost; 0 with Unlimited
    Unlimited,      \* TRUE: the number of these faults is not bounded
    MaxCrashes,     \* how many clients may crash
    WantsShorter,   \* TRUE: an extend for less than the client believes in says so, and the
                    \* script obeys
    MinHold,        \* ticks for which a lock is left in Redis by a holder that is done; 0: none
    Hostile,        \* TRUE: somebody publishes whatever it likes to the inboxes.  It knows the
                    \* instances and their numbers, and no nonce ...
    Eavesdrops,     \* TRUE: ... but those of the grants it has seen pushed
    Drift,          \* ticks by which the clock of a client may be late at a deadline
    Margin,         \* ticks taken off every deadline
    Prompt,         \* TRUE: no command is under way when time moves, and polls are on time
    FreeBound,      \* Prompt: the longest time for which the lock is of no use to anyone
                    \* while a client waits: the key absent, or its owner dead or unaware
    InOrder,        \* TRUE: commands of a client are executed in the order of sending;
                    \* FALSE: those of an old connection may come after those of a new one

    \* The rules under test.  FALSE makes a mutant.
    DeadlineFromSend,       \* a deadline counts from the sending, not from the answer
    GrantFromLastBusy,      \* a pushed grant counts from the sending of the last attempt
                            \* answered busy, not from the receipt of the message
    StaleGrantsRefused,     \* no pushed grant is taken once a whole grant lease may have
                            \* passed between two attempts that were answered
    ReleaseChecksOwner,     \* release compares the token
    ReleaseLeavesQueue,     \* release removes the waiter's own place in the queue
    CancelGivesBack,        \* a cancelled wait gives back a lock granted meanwhile
    ExtendNeverCreates,     \* extend does not set an absent key
    LowersFirst,            \* before it asks for a shorter lease, the client believes in no
                            \* more than that
    OneExtension,           \* the next extension is sent after the last was answered or
                            \* has timed out
    BlocksReserved,         \* a grant stores the last token of its block, not the first
    ReplayIsGrant,          \* an acquire that finds its own token is granted, not busy
    WaitersPoll,            \* waiters repeat their acquire
    AcquireNeverShortens,   \* an acquire that finds its own token leaves a longer time to live
    ExtendNeverShortens,    \* so does an extend, unless it asks for a shorter one
    NonceChecked,           \* no pushed grant is taken without the nonce of the waiter
    GrantLeaseChecked,      \* no pushed grant is taken with a lease that no hand-over gives
    GrantConfirmed,         \* a pushed grant that is taken is followed by an extend at once
    ForeignIgnored,         \* no message has a client release the token of another one,
    FutureIgnored,          \* nor one that it will make later,
    KnownKept               \* nor the one that it holds, or has left to its minimum hold

VARIABLES
    key, ttl,       \* the token in the key, or None; ticks until Redis drops it
    queue,          \* waiting tokens in order of arrival, each with the ticks it is alive
    fence,          \* the last fencing token given
    st, seq,        \* per client: what it does; number of its acquisition
    left,           \* per client: ticks for which it believes to hold
    tok, rest,      \* per client: its fencing token, and how many of its block are left
    base,           \* per client: ticks since the sending a pushed grant counts from
    gap,            \* per client: whether it made its first attempt only, or the longest
                    \* time without an answered attempt is short or long
    sent,           \* per client: commands on their way to the server
    out,            \* per client: the command whose answer is awaited
    old,            \* per client: an extension before it, also awaited; see OneExtension
    inbox,          \* pushed grants on their way
    stray,          \* releases on their way that messages caused: nobody awaits their answers
    high,           \* the largest fencing token with which a client began to hold
    faults, crashes,
    since, free     \* Prompt: ticks since a client's last command; ticks without use

server == <<key, ttl, queue, fence>>
vars == <<key, ttl, queue, fence, st, seq, left, tok, rest, base, gap, sent, out, old, inbox,
          stray, high, faults, crashes, since, free>>
rare == <<faults, crashes, stray>>

None == <<>>
Token(c) == <<c, seq[c]>>
Tokens == Clients \X (1..Acquisitions)
Nothing == [ph |-> "none", op |-> "-", age |-> 0, lease |-> 0, exact |-> FALSE, yes |-> FALSE, f |-> 0]

Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Down(n) == IF n > 0 THEN n - 1 ELSE 0
MaxLease == CHOOSE n \in ExtendLeases \cup {Lease} :
                \A m \in ExtendLeases \cup {Lease} : m <= n
Perms == Permutations(Clients)

\* The client believes to hold the lock: what isHeld() says, by its own clock.
Valid(c) == st[c] = "held" /\ left[c] > 0
Alive(c) == st[c] # "dead"
Waiting(c) == st[c] = "want"

\* How long a lease still counts, `age` ticks after the moment it is counted from, at worst:
\* the clock of the client may be late, which the margin must make up for.
Counts(lease, age) == IF lease + Drift > age + Margin THEN lease + Drift - age - Margin
                                                      ELSE 0

-----------------------------------------------------------------------------
Init ==
    /\ key = None /\ ttl = 0 /\ queue = <<>> /\ fence = 0
    /\ st = [c \in Clients |-> "idle"]
    /\ seq = [c \in Clients |-> 0]
    /\ left = [c \in Clients |-> 0]
    /\ tok = [c \in Clients |-> 0]
    /\ rest = [c \in Clients |-> 0]
    /\ base = [c \in Clients |-> 0]
    /\ gap = [c \in Clients |-> "first"]
    /\ sent = [c \in Clients |-> <<>>]
    /\ out = [c \in Clients |-> Nothing]
    /\ old = [c \in Clients |-> Nothing]
    /\ inbox = {}
    /\ stray = {}
    /\ high = 0
    /\ faults = MaxFaults /\ crashes = MaxCrashes
    /\ since = [c \in Clients |-> 0]
    /\ free = 0

-----------------------------------------------------------------------------
(* The client sends. *)

\* An extend with `exact` is followed also if Redis would keep the key for longer.
SendLease(c, op, lease, exact) ==
    /\ Len(sent[c]) < MaxSent
    /\ sent' = [sent EXCEPT ![c] = Append(@, [op |-> op, t |-> <<c, seq'[c]>>, lease |-> lease,
                                             exact |-> exact])]
    /\ out' = [out EXCEPT ![c] = [Nothing EXCEPT !.ph = "sent", !.op = op, !.lease = lease,
                                                 !.exact = exact]]
    /\ since' = [since EXCEPT ![c] = 0]

Send(c, op, lease) == SendLease(c, op, lease, FALSE)

\* At most one command per client and tick when Prompt, else time might stand still.
MaySend(c) == Prompt => since[c] > 0

Start(c) ==
    /\ st[c] = "idle" /\ seq[c] < Acquisitions
    /\ seq' = [seq EXCEPT ![c] = @ + 1]
    /\ st' = [st EXCEPT ![c] = "want"]
    /\ Send(c, "acquire", Lease)
    /\ UNCHANGED <<server, left, tok, rest, base, gap, old, inbox, high, rare, free>>

\* Repeats the acquire with the same token: poll, life sign and retry in one.
Repeat(c) ==
    /\ st[c] = "want" /\ out[c].ph = "none" /\ WaitersPoll /\ MaySend(c)
    /\ UNCHANGED seq
    /\ Send(c, "acquire", Lease)
    /\ gap' = [gap EXCEPT ![c] = IF @ = "first" THEN "short" ELSE @]
    /\ UNCHANGED <<server, st, left, tok, rest, base, old, inbox, high, rare, free>>

Extend(c) ==
    /\ Valid(c) /\ MaySend(c)
    /\ \/ out[c].ph = "none" /\ old[c].ph = "none" /\ UNCHANGED old
       \/ /\ ~OneExtension /\ out[c].op = "extend" /\ old[c].ph = "none"
          /\ old' = [old EXCEPT ![c] = out[c]]
    /\ UNCHANGED seq
    /\ \E l \in ExtendLeases :
        LET exact == WantsShorter /\ Counts(l, 0) < left[c]
        IN  /\ SendLease(c, "extend", l, exact)
            /\ left' = [left EXCEPT ![c] = IF exact /\ LowersFirst THEN Counts(l, 0) ELSE @]
    /\ UNCHANGED <<server, st, tok, rest, base, gap, inbox, high, rare, free>>

\* Sends the confirmation of a pushed grant that could not be sent at once.
Confirm(c) ==
    /\ Valid(c) /\ out[c].ph = "due"
    /\ UNCHANGED seq
    /\ Send(c, "extend", Lease)
    /\ UNCHANGED <<server, st, left, tok, rest, base, gap, old, inbox, high, rare, free>>

\* From here on the answers to earlier commands are ignored, and so are pushed grants.
StopAndSend(c, op) ==
    /\ UNCHANGED seq
    /\ st' = [st EXCEPT ![c] = "leave"]
    /\ left' = [left EXCEPT ![c] = 0]
    /\ tok' = [tok EXCEPT ![c] = 0]
    /\ rest' = [rest EXCEPT ![c] = 0]
    /\ base' = [base EXCEPT ![c] = 0]
    /\ gap' = [gap EXCEPT ![c] = "first"]
    /\ old' = [old EXCEPT ![c] = Nothing]
    /\ inbox' = {m \in inbox : m.t[1] # c}
    /\ Send(c, op, 0)
    /\ UNCHANGED <<server, high, rare, free>>

\* The holder is done, and leaves the lock in Redis to the end of its minimum hold.
Linger(c) ==
    /\ MinHold > 0 /\ Valid(c) /\ out[c].ph = "none" /\ old[c].ph = "none"
    /\ UNCHANGED seq
    /\ st' = [st EXCEPT ![c] = "linger"]
    /\ left' = [left EXCEPT ![c] = Min(@, Counts(MinHold, 0))]
    /\ tok' = [tok EXCEPT ![c] = 0]
    /\ rest' = [rest EXCEPT ![c] = 0]
    /\ SendLease(c, "extend", MinHold, TRUE)
    /\ UNCHANGED <<server, base, gap, old, inbox, high, rare, free>>

LingerEnds(c) ==
    /\ st[c] = "linger" /\ left[c] = 0
    /\ st' = [st EXCEPT ![c] = "idle"]
    /\ out' = [out EXCEPT ![c] = Nothing]
    /\ UNCHANGED <<server, seq, left, tok, rest, base, gap, sent, old, inbox, high, rare,
                   since, free>>

\* The holder ends, whether or not its deadline has passed.
Release(c) == st[c] = "held" /\ StopAndSend(c, "release")

\* The waiter gives up, or is interrupted.
Cancel(c) == st[c] = "want" /\ StopAndSend(c, IF CancelGivesBack THEN "release" ELSE "forget")

\* The release is repeated until it is answered.
RepeatRelease(c) ==
    /\ st[c] = "leave" /\ out[c].ph = "none"
    /\ UNCHANGED seq
    /\ Send(c, "release", 0)
    /\ UNCHANGED <<server, st, left, tok, rest, base, gap, old, inbox, high, rare, free>>

-----------------------------------------------------------------------------
(* The server executes.  Each script is one atomic step. *)

Without(q, t) == SelectSeq(q, LAMBDA w : w.t # t)
Queued(q, t) == \E i \in DOMAIN q : q[i].t = t

\* One grant: the first token of the block, and the token that is stored.
First == fence + 1
Stored == IF BlocksReserved THEN fence + Block ELSE fence + 1
FirstOfStored == IF BlocksReserved THEN fence + 1 - Block ELSE fence

\* The answer goes to whoever awaits it: those are the last commands that were sent.
Answer(c, i, yes, f) ==
    LET behind == Len(sent[c]) - i
        says(o) == [o EXCEPT !.ph = "answer", !.yes = yes, !.f = f]
    IN  IF out[c].ph = "sent" /\ behind = 0
        THEN /\ out' = [out EXCEPT ![c] = says(@)]
             /\ UNCHANGED old
        ELSE IF old[c].ph = "sent" /\ behind = (IF out[c].ph = "sent" THEN 1 ELSE 0)
        THEN /\ old' = [old EXCEPT ![c] = says(@)]
             /\ UNCHANGED out
        ELSE UNCHANGED <<out, old>>

ExecAcquire(c, i, t, lease) ==
    CASE key = t /\ ReplayIsGrant ->
            /\ ttl' = IF AcquireNeverShortens THEN Max(lease, ttl) ELSE lease
            /\ Answer(c, i, TRUE, FirstOfStored)
            /\ UNCHANGED <<key, queue, fence, inbox>>
      [] key = None ->
            /\ key' = t /\ ttl' = lease
            /\ fence' = Stored
            /\ queue' = Without(queue, t)
            /\ Answer(c, i, TRUE, First)
            /\ UNCHANGED inbox
      [] OTHER ->
            /\ queue' = IF Queued(queue, t)
                        THEN [j \in DOMAIN queue |->
                                IF queue[j].t = t THEN [queue[j] EXCEPT !.life = Life]
                                                  ELSE queue[j]]
                        ELSE Append(queue, [t |-> t, life |-> Life])
            /\ Answer(c, i, FALSE, 0)
            /\ UNCHANGED <<key, ttl, fence, inbox>>

ExecExtend(c, i, t, lease, exact) ==
    /\ CASE key = t ->
                /\ ttl' = IF ExtendNeverShortens /\ ~exact THEN Max(lease, ttl) ELSE lease
                /\ UNCHANGED key
                /\ Answer(c, i, TRUE, 0)
         [] key = None /\ ~ExtendNeverCreates ->
                /\ key' = t /\ ttl' = lease
                /\ Answer(c, i, TRUE, 0)
         [] OTHER ->
                /\ UNCHANGED <<key, ttl>>
                /\ Answer(c, i, FALSE, 0)
    /\ UNCHANGED <<queue, fence, inbox>>

\* A message to a client that does not wait for it, or will not take it, would be thrown away
\* at its arrival.
Push(t) == IF /\ Token(t[1]) = t /\ st[t[1]] = "want"
              /\ StaleGrantsRefused => gap[t[1]] # "long"
           THEN inbox \cup {[t |-> t, f |-> First]}
           ELSE inbox

Mine(t) == IF ReleaseChecksOwner THEN key = t ELSE key # None

ReleaseOf(t) ==
    LET q == IF ReleaseLeavesQueue THEN Without(queue, t) ELSE queue
        alive == {j \in DOMAIN q : q[j].life > 0}
    IN  IF ~Mine(t)
        THEN /\ queue' = q
             /\ UNCHANGED <<key, ttl, fence, inbox>>
        ELSE IF alive = {}
        THEN /\ key' = None /\ ttl' = 0 /\ queue' = <<>>
             /\ UNCHANGED <<fence, inbox>>
        ELSE LET j == CHOOSE j \in alive : \A k \in alive : j <= k
             IN  /\ key' = q[j].t /\ ttl' = GrantLease
                 /\ fence' = Stored
                 /\ queue' = SubSeq(q, j + 1, Len(q))
                 /\ inbox' = Push(q[j].t)

ExecRelease(c, i, t) == ReleaseOf(t) /\ Answer(c, i, Mine(t), 0)

\* Only in a mutant: leaves the queue and nothing else.
ExecForget(c, i, t) ==
    /\ queue' = Without(queue, t)
    /\ Answer(c, i, TRUE, 0)
    /\ UNCHANGED <<key, ttl, fence, inbox>>

Exec(c) ==
    \E i \in (IF InOrder THEN {1} ELSE DOMAIN sent[c]) \cap DOMAIN sent[c] :
        LET m == sent[c][i]
        IN  /\ CASE m.op = "acquire" -> ExecAcquire(c, i, m.t, m.lease)
                 [] m.op = "extend" -> ExecExtend(c, i, m.t, m.lease, m.exact)
                 [] m.op = "release" -> ExecRelease(c, i, m.t)
                 [] OTHER -> ExecForget(c, i, m.t)
            /\ sent' = [sent EXCEPT ![c] = SubSeq(@, 1, i - 1) \o SubSeq(@, i + 1, Len(@))]
            /\ UNCHANGED <<st, seq, left, tok, rest, base, gap, high, rare, since, free>>

ExecStray ==
    \E t \in stray :
        /\ ReleaseOf(t)
        /\ stray' = stray \ {t}
        /\ UNCHANGED <<st, seq, left, tok, rest, base, gap, sent, out, old, high, faults, crashes,
                       since, free>>

-----------------------------------------------------------------------------
(* The client receives. *)

\* The client holds from now on, with the first token of the block.
Hold(c, n, f) ==
    /\ st' = [st EXCEPT ![c] = "held"]
    /\ left' = [left EXCEPT ![c] = n]
    /\ tok' = [tok EXCEPT ![c] = f]
    /\ rest' = [rest EXCEPT ![c] = Block - 1]
    /\ base' = [base EXCEPT ![c] = 0]
    /\ gap' = [gap EXCEPT ![c] = "first"]
    /\ inbox' = {m \in inbox : m.t[1] # c}
    /\ high' = f
    /\ free' = 0

GotAcquire(c) ==
    /\ out[c].op = "acquire"
    /\ UNCHANGED seq
    /\ IF out[c].yes
       THEN LET n == Counts(Lease, IF DeadlineFromSend THEN out[c].age ELSE 0)
            IN  IF n > 0
                THEN /\ Hold(c, n, out[c].f)
                     /\ out' = [out EXCEPT ![c] = Nothing]
                ELSE \* too late to be of use: try again with the same token
                     /\ out' = [out EXCEPT ![c] = Nothing]
                     /\ UNCHANGED <<st, left, tok, rest, base, gap, inbox, high, free>>
       ELSE \* A grant may have come and lapsed since the last attempt that was answered, and
            \* its message may be on its way.
            /\ gap' = [gap EXCEPT ![c] = IF @ = "short" /\ base[c] >= Counts(GrantLease, 0)
                                        THEN "long" ELSE @]
            /\ LET refuses == StaleGrantsRefused /\ gap'[c] = "long"
               IN  \* What no pushed grant will be taken for need not be remembered.
                   /\ base' = [base EXCEPT ![c] = IF refuses THEN Counts(GrantLease, 0)
                                ELSE Min(out[c].age, Counts(GrantLease, 0))]
                   /\ inbox' = IF refuses THEN {m \in inbox : m.t[1] # c} ELSE inbox
            /\ out' = [out EXCEPT ![c] = Nothing]
            /\ UNCHANGED <<st, left, tok, rest, high, free>>

Extended(c, answer) ==
    LET n == Counts(answer.lease, IF DeadlineFromSend THEN answer.age ELSE 0)
    IN  left' = [left EXCEPT ![c] =
                    IF st[c] = "linger" THEN @
                    ELSE IF ~answer.yes \/ @ = 0 THEN 0  \* lost, and that is final
                    ELSE IF answer.exact \/ ~ExtendNeverShortens THEN n ELSE Max(@, n)]

GotExtend(c) ==
    /\ out[c].op = "extend"
    /\ out' = [out EXCEPT ![c] = Nothing]
    /\ Extended(c, out[c])
    /\ UNCHANGED <<st, seq, tok, rest, base, gap, inbox, high, free>>

GotRelease(c) ==
    /\ out[c].op \in {"release", "forget"}
    /\ out' = [out EXCEPT ![c] = Nothing]
    /\ st' = [st EXCEPT ![c] = "idle"]
    /\ UNCHANGED <<seq, left, tok, rest, base, gap, inbox, high, free>>

Receive(c) ==
    /\ \/ /\ old[c].ph = "answer"
          /\ old' = [old EXCEPT ![c] = Nothing]
          /\ Extended(c, old[c])
          /\ UNCHANGED <<st, seq, tok, rest, base, gap, out, inbox, high, free>>
       \/ /\ out[c].ph = "answer" /\ old[c].ph = "none"
          /\ GotAcquire(c) \/ GotExtend(c) \/ GotRelease(c)
          /\ UNCHANGED old
    /\ UNCHANGED <<server, sent, rare, since>>

\* What may arrive in the inbox of a client that waits: grants that were pushed, late or
\* twice, and what somebody else has published.
Pushed(c) == {[t |-> m.t, nonce |-> TRUE, f |-> m.f, lease |-> GrantLease] :
                m \in {m \in inbox : m.t = Token(c)}}
Forged(c) == IF Hostile
             THEN [t : {Token(c)}, nonce : {FALSE} \cup {Eavesdrops /\ Pushed(c) # {}},
                   f : {1, MaxFence}, lease : 1..MaxLease]
             ELSE {}

Believed(c, m) ==
    /\ NonceChecked => m.nonce
    /\ GrantLeaseChecked => m.lease <= GrantLease
    /\ StaleGrantsRefused => gap[c] # "long"

\* A pushed grant arrives and is taken.  One that is refused changes nothing: it stays in the
\* inbox, as messages may come twice, and the client may ask at any time anyway.
Notice(c) ==
    /\ st[c] = "want"
    /\ UNCHANGED seq
    /\ \E m \in Pushed(c) \cup Forged(c) :
        /\ Believed(c, m)
        /\ LET n == Counts(m.lease, IF GrantFromLastBusy THEN base[c] ELSE 0)
           IN  n > 0 /\ Hold(c, n, m.f)
    /\ IF GrantConfirmed /\ Len(sent[c]) < MaxSent
       THEN Send(c, "extend", Lease)
       ELSE /\ out' = [out EXCEPT ![c] = IF GrantConfirmed
                                         THEN [Nothing EXCEPT !.ph = "due", !.op = "extend"]
                                         ELSE Nothing]
            /\ UNCHANGED <<sent, since>>
    /\ UNCHANGED <<server, old, rare>>

\* A message arrives for a token that the client does not wait with.  A grant that nobody
\* wants any more is given back.
Stray(c) ==
    /\ Hostile /\ Alive(c)
    /\ \E t \in Tokens \ stray :
        /\ ~(st[c] = "want" /\ t = Token(c))
        /\ t[1] # c => ~ForeignIgnored
        /\ t[1] = c /\ t[2] > seq[c] => ~FutureIgnored
        /\ t = Token(c) /\ st[c] \in {"held", "linger"} => ~KnownKept
        /\ stray' = stray \cup {t}
    /\ UNCHANGED <<server, st, seq, left, tok, rest, base, gap, sent, out, old, inbox, high, faults,
                   crashes, since, free>>

\* The lock passes to the next waiter within the same JVM, without Redis.
HandOff(c) ==
    /\ Valid(c) /\ rest[c] > 0
    /\ tok' = [tok EXCEPT ![c] = @ + 1]
    /\ rest' = [rest EXCEPT ![c] = @ - 1]
    /\ high' = tok'[c]
    /\ UNCHANGED <<server, st, seq, left, base, gap, sent, out, old, inbox, rare, since, free>>

-----------------------------------------------------------------------------
(* Faults and time. *)

Fault ==
    /\ Unlimited \/ faults > 0
    /\ faults' = IF Unlimited THEN faults ELSE faults - 1

\* The client stops awaiting: the answer was lost, or comes too late.  The command is
\* still on its way, or was executed.
TimeOut(c) ==
    /\ out[c].ph \in {"sent", "answer"} \/ old[c].ph # "none"
    /\ st[c] # "dead" /\ Fault
    /\ out' = [out EXCEPT ![c] = Nothing]
    /\ old' = [old EXCEPT ![c] = Nothing]
    /\ UNCHANGED <<server, st, seq, left, tok, rest, base, gap, sent, inbox, high, crashes, stray, since,
                   free>>

\* The connection breaks; what was not executed is lost.
Reset(c) ==
    /\ sent[c] # <<>> /\ st[c] # "dead" /\ Fault
    /\ sent' = [sent EXCEPT ![c] = <<>>]
    /\ out' = [out EXCEPT ![c] = IF @.ph = "sent" THEN Nothing ELSE @]
    /\ old' = [old EXCEPT ![c] = IF @.ph = "sent" THEN Nothing ELSE @]
    /\ UNCHANGED <<server, st, seq, left, tok, rest, base, gap, inbox, high, crashes, stray, since, free>>

Crash(c) ==
    /\ st[c] # "dead" /\ crashes > 0
    /\ crashes' = crashes - 1
    /\ st' = [st EXCEPT ![c] = "dead"]
    /\ left' = [left EXCEPT ![c] = 0]
    /\ tok' = [tok EXCEPT ![c] = 0]
    /\ rest' = [rest EXCEPT ![c] = 0]
    /\ base' = [base EXCEPT ![c] = 0]
    /\ gap' = [gap EXCEPT ![c] = "first"]
    /\ out' = [out EXCEPT ![c] = Nothing]
    /\ old' = [old EXCEPT ![c] = Nothing]
    /\ inbox' = {m \in inbox : m.t[1] # c}
    /\ since' = [since EXCEPT ![c] = 0]
    /\ UNCHANGED <<server, seq, sent, high, faults, stray, free>>

\* In a prompt world time moves only when nothing is under way and nobody is late.
OnTime(c) ==
    /\ sent[c] = <<>>
    /\ Alive(c) =>
        /\ out[c].ph = "none" /\ old[c].ph = "none"
        /\ st[c] # "leave"
        /\ st[c] = "want" /\ WaitersPoll => since[c] < Poll

Older(o) == IF o.op \in {"acquire", "extend"}
            THEN [o EXCEPT !.age = Min(@ + 1, Counts(MaxLease, 0))] ELSE o

Tick ==
    /\ Prompt => stray = {} /\ \A c \in Clients : OnTime(c)
    /\ ttl' = Down(ttl)
    /\ key' = IF ttl <= 1 THEN None ELSE key
    /\ queue' = [i \in DOMAIN queue |-> [queue[i] EXCEPT !.life = Down(@)]]
    /\ left' = [c \in Clients |-> Down(left[c])]
    /\ base' = [c \in Clients |-> IF st[c] = "want" THEN Min(base[c] + 1, Counts(GrantLease, 0))
                                                    ELSE 0]
    /\ out' = [c \in Clients |-> Older(out[c])]
    /\ old' = [c \in Clients |-> Older(old[c])]
    /\ since' = IF ~Prompt THEN since
                ELSE [c \in Clients |-> IF st[c] \in {"want", "held"} THEN Min(since[c] + 1, Poll)
                                                                      ELSE 0]
    /\ free' = IF Prompt /\ (\E c \in Clients : Waiting(c))
                         /\ ~\E c \in Clients : st[c] = "held" /\ key' = Token(c)
               THEN Min(free + 1, FreeBound + 1) ELSE 0
    /\ UNCHANGED <<fence, st, seq, tok, rest, gap, sent, inbox, high, rare>>

Act(c) ==
    \/ Start(c) \/ Repeat(c) \/ Extend(c) \/ Confirm(c) \/ Linger(c) \/ LingerEnds(c) \/ Release(c)
    \/ Cancel(c) \/ RepeatRelease(c) \/ Exec(c) \/ Receive(c) \/ Notice(c) \/ Stray(c) \/ HandOff(c)
    \/ TimeOut(c) \/ Reset(c) \/ Crash(c)

Next == Tick \/ ExecStray \/ \E c \in Clients : Act(c)

Spec == Init /\ [][Next]_vars

\* Everyone goes on: time, the server, the clients, and the work under the lock ends.  Nothing
\* is asked of pushed grants, which may all be lost, of cancels and of faults.
Fair == /\ WF_vars(Tick)
        /\ \A c \in Clients : /\ WF_vars(Exec(c))
                              /\ WF_vars(Receive(c))
                              /\ WF_vars(Repeat(c))
                              /\ WF_vars(RepeatRelease(c))
                              /\ WF_vars(Release(c))
FairSpec == Spec /\ Fair

-----------------------------------------------------------------------------
(* What must hold. *)

\* Bounds of the exploration.
Bounded == fence <= MaxFence

TypeOK ==
    /\ key = None <=> ttl = 0
    /\ \A c \in Clients :
        /\ st[c] \in {"idle", "want", "held", "linger", "leave", "dead"}
        /\ left[c] > 0 => st[c] \in {"held", "linger"}
        /\ out[c].ph = "sent" => Len(sent[c]) > 0
    /\ stray \subseteq Tokens
    /\ \A i, j \in DOMAIN queue : queue[i].t = queue[j].t => i = j

\* 1. Never two clients that both believe to hold the lock.
MutualExclusion == \A c, d \in Clients : Valid(c) /\ Valid(d) => c = d

\* 1. ... because whoever believes to hold it has the key, and for as long as it believes.
HolderHasKey == \A c \in Clients : Valid(c) => key = Token(c) /\ ttl >= left[c]

\* 2. With a client that waits and polls, the lock is in use again within the bound ...
SoonInUse == free <= FreeBound

\* 2. ... and no waiter is forgotten.
NoLostWaiter == \A c \in Clients : Waiting(c) ~> ~Waiting(c)

\* 3. Who begins to hold has a larger fencing token than whoever held before.
FencingOrder == [][\A c \in Clients :
                    Valid(c)' /\ (~Valid(c) \/ tok'[c] # tok[c]) => tok'[c] > high]_vars

\* 4. The key changes hands only by the holder's release, by expiry, and by an acquire
\* that finds it absent.
KeySteps == [][LET byRelease == \E c \in Clients : \E i \in DOMAIN sent[c] :
                                    /\ sent[c][i].op = "release" /\ sent[c][i].t = key
                                    /\ Len(sent'[c]) < Len(sent[c])
                   byStray == key \in stray \ stray'
                   byExpiry == key' = None /\ ttl = 1
                   byAcquire == \E c \in Clients : \E i \in DOMAIN sent[c] :
                                    /\ sent[c][i].op = "acquire" /\ sent[c][i].t = key'
                                    /\ Len(sent'[c]) < Len(sent[c])
               IN  key' # key => IF key = None THEN byAcquire ELSE byRelease \/ byStray \/ byExpiry]_vars

\* 5. When a release or a cancel has been answered, nothing of its token is left.
NothingLeft == \A c \in Clients : st[c] = "idle" =>
                    /\ key # Token(c)
                    /\ ~Queued(queue, Token(c))
                    /\ \A m \in inbox : m.t # Token(c)

\* 6. Whoever believes to hold the lock without having its key (which needs a forged grant)
\* has asked, and will be told.
Confirmed == \A c \in Clients : Valid(c) => key = Token(c) \/ out[c].op = "extend"

\* 7. A lock that was left to its minimum hold stays until then.
MinimumHeld == \A c \in Clients : st[c] = "linger" /\ left[c] > 0 => key = Token(c)
=============================================================================
