-------------------------- MODULE RedisLockScripts --------------------------
(***************************************************************************)
(* The server of RedisLock.tla alone: see HoldersScripts.tla.              *)
(***************************************************************************)
EXTENDS RedisLock

Commands(c) ==
    {m \in [op : {"acquire", "extend", "release"}, t : {<<c, 1>>}, lease : {Lease} \cup ExtendLeases,
            exact : BOOLEAN] :
        /\ m.op # "extend" => ~m.exact /\ m.lease = Lease}

Quiet == \A c \in Clients : sent[c] = <<>>

Call(c) ==
    /\ Quiet
    /\ \E m \in Commands(c) :
        /\ sent' = [sent EXCEPT ![c] = <<m>>]
        /\ out' = [d \in Clients |-> IF d = c THEN [Nothing EXCEPT !.ph = "sent", !.op = m.op] ELSE Nothing]
    /\ inbox' = {}
    /\ UNCHANGED <<server, st, seq, left, tok, rest, base, gap, old, high, rare, since, free>>

Now == <<key, ttl, queue, fence>>

Script(c) ==
    /\ sent[c] # <<>>
    /\ Exec(c)
    /\ PrintT(<<"step", Now, sent[c][1], Now', out'[c].yes, out'[c].f, inbox'>>)

Passes ==
    /\ Quiet
    /\ Tick
    /\ PrintT(<<"tick", Now, Now'>>)

ScriptsInit ==
    /\ key = None /\ ttl = 0 /\ queue = <<>> /\ fence = 0
    /\ st = [c \in Clients |-> "want"]
    /\ seq = [c \in Clients |-> 1]
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

ScriptsSpec == ScriptsInit /\ [][Passes \/ \E c \in Clients : Call(c) \/ Script(c)]_vars

Seen == <<server, sent>>

Few == fence <= MaxFence
=============================================================================
