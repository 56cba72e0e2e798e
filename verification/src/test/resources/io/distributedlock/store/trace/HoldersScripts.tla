--------------------------- MODULE HoldersScripts ---------------------------
(***************************************************************************)
(* The server of Holders.tla alone: anybody calls any script at any time.  *)
(* TLC prints each step, and ModelsAreThoseOfTlcTests compares the steps   *)
(* with those of the model in Java.  All clients wait, so that each grant  *)
(* is pushed.                                                              *)
(***************************************************************************)
EXTENDS Holders

Scripts == {"acquire", "try", "beside", "extend", "release"}

Commands(c) ==
    {m \in [op : Scripts, t : {<<c, 1>>}, lease : {Lease} \cup ExtendLeases, exact : BOOLEAN,
            by : {NoToken} \cup {<<d, 1>> : d \in Clients \ {c}}] :
        /\ m.op \in {"acquire", "try", "beside"} => m.lease = Lease
        /\ m.op = "release" => m.lease = Lease
        /\ m.op # "extend" => ~m.exact
        /\ (m.op = "beside") = (m.by # NoToken)
        /\ m.op = "beside" => c \in Many}

Quiet == \A c \in Clients : sent[c] = <<>>

Call(c) ==
    /\ Quiet
    /\ \E m \in Commands(c) :
        /\ sent' = [sent EXCEPT ![c] = <<m>>]
        /\ out' = [d \in Clients |-> IF d = c THEN [Nothing EXCEPT !.ph = "sent", !.op = m.op] ELSE Nothing]
    /\ inbox' = {}
    /\ UNCHANGED <<server, st, seq, beside, left, tok, base, gap, highs, rare, since, free>>

Now == <<holders, keyTtl, grace, queue, fence>>

Script(c) ==
    /\ sent[c] # <<>>
    /\ Exec(c)
    /\ PrintT(<<"step", Now, sent[c][1], Now', out'[c].yes, out'[c].f, inbox'>>)

Passes ==
    /\ Quiet
    /\ Tick
    /\ PrintT(<<"tick", Now, Now'>>)

ScriptsInit ==
    /\ holders = {} /\ keyTtl = 0 /\ grace = 0 /\ queue = <<>> /\ fence = 0
    /\ st = [c \in Clients |-> "want"]
    /\ seq = [c \in Clients |-> 1]
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

ScriptsSpec == ScriptsInit /\ [][Passes \/ \E c \in Clients : Call(c) \/ Script(c)]_vars

\* Answers are printed, and what they lead to is no part of this.
Seen == <<server, sent>>

Few == MaxFence > 0 => fence <= MaxFence
=============================================================================
