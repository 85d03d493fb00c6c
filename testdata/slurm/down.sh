#!/usr/bin/env bash
# down.sh - stop the cluster that up.sh started in the same SLURM_CI_DIR, and nothing else.
# Cancels its jobs, then ends slurmd, slurmctld and munged by the PID files (PID + start time must match).
# Exit 0 also when nothing runs.  --purge removes the state folder too.
set -euo pipefail
DIR=${SLURM_CI_DIR:-${TMPDIR:-/tmp}/slurm-ci-$(id -u)}
PURGE=
[ "${1:-}" = --purge ] && PURGE=1
say() { echo "down: $*" >&2; }
[ -d "$DIR/pid" ] || { say "nothing in $DIR"; exit 0; }
DIR=$(cd "$DIR" && pwd -P)
exec 9>"$DIR/.lock"
flock -w 60 9 || { say "another up/down holds $DIR/.lock"; exit 1; }
export SLURM_CONF=$DIR/slurm.conf
starttime() { # nothing for a zombie: PID 1 of a container may reap late or never
  sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null | awk '$1 !~ /^[ZX]/ {print $20}'
}
alive() {
  local pid st
  [ -s "$DIR/pid/$1" ] || return 1
  read -r pid st <"$DIR/pid/$1" || return 1
  [ -n "$st" ] && [ "$(starttime "$pid")" = "$st" ]
}
steps() { # slurmstepds of this folder: they outlive slurmd and blank their environment, but keep its log open
  local p
  for p in /proc/[0-9]*; do
    [ "$(cat "$p/comm" 2>/dev/null)" = slurmstepd ] || continue
    find "$p/fd" -lname "$DIR/log/slurmd.log" 2>/dev/null | grep -q . && echo "${p#/proc/}"
  done
  return 0
}

if alive slurmctld && alive munged; then
  ids=$(timeout 10 squeue -h -o %A 2>/dev/null | sort -u || true)
  if [ -n "$ids" ]; then
    say "cancelling jobs: $(echo $ids)"
    timeout 20 scancel $ids 2>/dev/null || true
    for i in $(seq 60); do [ -z "$(timeout 10 squeue -h -t R,CG,S 2>/dev/null || true)" ] && break; sleep 0.25; done
  fi
fi
for i in $(seq 20); do [ -z "$(steps)" ] && break; sleep 0.1; done
left=$(steps)
[ -z "$left" ] || { say "ending left-over slurmstepd: $(echo $left)"; kill -KILL $left 2>/dev/null || true; }

# each takes up to 2 s to notice TERM, so signal all three, then wait
ours=
for name in slurmd slurmctld munged; do
  if alive "$name"; then
    read -r pid st <"$DIR/pid/$name"
    ours="$ours $name"
    kill -TERM "$pid" 2>/dev/null || true
  fi
done
rc=0
for name in slurmd slurmctld munged; do
  for i in $(seq 200); do alive "$name" || break; sleep 0.05; done
  if alive "$name"; then
    read -r pid st <"$DIR/pid/$name"
    say "$name ($pid) ignored TERM; KILL"
    kill -KILL "$pid" 2>/dev/null || true
    sleep 0.3
    if alive "$name"; then say "$name ($pid) would not stop"; rc=1; continue; fi
  fi
  rm -f "$DIR/pid/$name" "$DIR/pid/.$name.daemon"
done
if [ $rc = 0 ]; then
  say "stopped:${ours:- nothing was running} ($DIR)"
  [ -z "$PURGE" ] || rm -rf "$DIR"
fi
exit $rc
