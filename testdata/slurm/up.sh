#!/usr/bin/env bash
# up.sh - start a private one-node Slurm (munged + slurmctld + slurmd) on loopback.
#
# Needs only the packages (Debian/Ubuntu): slurmctld slurmd slurm-client munge
#   apt-get install -y --no-install-recommends slurmctld slurmd slurm-client munge
# No systemd, no cgroups, no slurmdbd, nothing under /etc/slurm, /etc/munge or /run is read or written.
# Works as root and as an ordinary user (then only that user can submit).
#
# Idempotent: called again on a live cluster it changes nothing and exits 0.
# stdout: one line, "export SLURM_CONF=..."   use:  out=$(./up.sh) && eval "$out"
# stderr: progress.  Exit 0 only when sinfo shows the node idle (or mixed/allocated/completing: jobs run).
# After a down without --purge, or after a crash, the job state and ports in the folder are kept.
#
# Environment (all optional):
#   SLURM_CI_DIR          state folder           default ${TMPDIR:-/tmp}/slurm-ci-$UID
#   SLURM_CI_CTLD_PORT    slurmctld port         default: a free port
#   SLURM_CI_SLURMD_PORT  slurmd port            default: a free port
#   SLURM_CI_CPUS         CPUs to advertise      default: nproc (may exceed the real number)
#   SLURM_CI_MEM_MB       memory to advertise    default: what slurmd -C detects
#   SLURM_CI_MIN_JOB_AGE  MinJobAge, seconds     default 300 (set 2 to test purged job records)
#   SLURM_CI_MAX_ARRAY    MaxArraySize           default 1001
#   SLURM_CI_CRED_EXPIRE  credential life, s     default 5 (also the wait after a requeue)
#   SLURM_CI_EXTRA        extra slurm.conf lines default none
#   SLURM_CI_TIMEOUT      seconds to wait        default 60
set -euo pipefail

DIR=${SLURM_CI_DIR:-${TMPDIR:-/tmp}/slurm-ci-$(id -u)}
TIMEOUT=${SLURM_CI_TIMEOUT:-60}
STARTED=
export PATH=$PATH:/usr/sbin:/sbin
say() { echo "up: $*" >&2; }
die() {
  say "FAILED: $*"
  for f in munged slurmctld slurmd; do
    [ -s "$DIR/log/$f.log" ] && { say "--- tail $f.log"; tail -n 15 "$DIR/log/$f.log" >&2; }
  done
  for f in $STARTED; do stop_one "$f"; done # only what this call started
  exit 1
}

for c in munged slurmctld slurmd sinfo scontrol flock setsid; do
  command -v "$c" >/dev/null || die "$c not found; apt-get install -y --no-install-recommends slurmctld slurmd slurm-client munge"
done

umask 022
mkdir -p "$DIR"
DIR=$(cd "$DIR" && pwd -P)
CONF=$DIR/slurm.conf
[ ${#DIR} -le 80 ] || die "SLURM_CI_DIR is too long for unix socket names: $DIR"
[ -O "$DIR" ] || die "$DIR belongs to another user"
chmod 0755 "$DIR"
exec 9>"$DIR/.lock"
flock -w "$TIMEOUT" 9 || die "another up/down holds $DIR/.lock"
mkdir -p "$DIR"/{log,pid,state,spool,munge}
chmod 0711 "$DIR/munge"
export SLURM_CONF=$CONF
HOST=$(hostname -s 2>/dev/null || hostname)

# --- processes: "PID STARTTIME" in $DIR/pid/NAME, so that a reused PID is never taken for ours
starttime() { # nothing for a zombie: PID 1 of a container may reap late or never
  sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null | awk '$1 !~ /^[ZX]/ {print $20}'
}
alive() { # NAME
  local pid st
  [ -s "$DIR/pid/$1" ] || return 1
  read -r pid st <"$DIR/pid/$1" || return 1
  [ -n "$st" ] && [ "$(starttime "$pid")" = "$st" ]
}
launch() { # NAME COMMAND...   in the background, own process group, not holding the lock
  local name=$1; shift
  setsid "$@" >>"$DIR/log/$name.out" 2>&1 </dev/null 9>&- &
  local pid=$!
  echo "$pid $(starttime "$pid")" >"$DIR/pid/$name"
  STARTED="$name $STARTED"
}
stop_one() { # NAME  (used to retry with other ports, and to clean up after a failure)
  local pid st i
  alive "$1" || { rm -f "$DIR/pid/$1"; return 0; }
  read -r pid st <"$DIR/pid/$1"
  kill -TERM "$pid" 2>/dev/null || true
  for i in $(seq 100); do alive "$1" || break; sleep 0.05; done
  alive "$1" && kill -KILL "$pid" 2>/dev/null || true
  rm -f "$DIR/pid/$1"
}
ready() { # idle or at work; a node left down or drained (e.g. after kill -9 of a daemon) is resumed
  local t
  t=$(timeout 5 sinfo -h -o %T 2>/dev/null) || return 1
  case $t in
    idle | mixed | allocated | completing) return 0 ;;
    down | drained | draining) timeout 5 scontrol update NodeName="$HOST" State=RESUME 2>/dev/null || true ;;
  esac
  return 1
}

if alive munged && alive slurmctld && alive slurmd && ready; then
  say "already up in $DIR"
  echo "export SLURM_CONF=$CONF"
  exit 0
fi

# --- this machine
CPUS=${SLURM_CI_CPUS:-$(nproc)}
MEM=${SLURM_CI_MEM_MB:-$( (slurmd -C 2>/dev/null || true) | sed -n 's/.*RealMemory=\([0-9]*\).*/\1/p' | head -1)}
[ -n "$MEM" ] || MEM=$(awk '/MemTotal/{print int($2/1024)}' /proc/meminfo)
ME=$(id -un)

# Bind to loopback only where the host name itself resolves to 127.x (Slurm 22.05 binds to
# what gethostname() resolves to under No*InAddrAny); elsewhere listen on all, connect to 127.0.0.1.
COMM=
ADDR=$( (getent ahostsv4 "$(hostname)" || true) | awk 'NR==1{print $1}')
case $ADDR in
  127.*) COMM="CommunicationParameters=NoCtldInAddrAny,NoInAddrAny" ;;
  *) say "note: host name resolves to '${ADDR:-nothing}', not loopback: daemons will listen on 0.0.0.0"; ADDR=127.0.0.1 ;;
esac

busy() { (exec 3<>"/dev/tcp/$ADDR/$1") 2>/dev/null; }
free_port() { # below the usual ephemeral range (32768-60999)
  local p i
  for i in $(seq 200); do
    p=$((20000 + (RANDOM * 32768 + RANDOM) % 10000))
    [ "$p" != "${1:-}" ] && ! busy "$p" && { echo "$p"; return 0; }
  done
  return 1
}

write_conf() {
  cat >"$CONF.new" <<CONF
# written by up.sh; edits are lost
ClusterName=ci
SlurmctldHost=$HOST($ADDR)
SlurmctldPort=$CTLD_PORT
SlurmdPort=$SLURMD_PORT
$COMM
SlurmUser=$ME
SlurmdUser=$ME
AuthType=auth/munge
# cred_expire is also how long a requeued job waits (default 120 s)
AuthInfo=socket=$DIR/munge/socket,cred_expire=${SLURM_CI_CRED_EXPIRE:-5}
StateSaveLocation=$DIR/state
SlurmdSpoolDir=$DIR/spool
SlurmctldPidFile=$DIR/pid/.slurmctld.daemon
SlurmdPidFile=$DIR/pid/.slurmd.daemon
SlurmctldLogFile=$DIR/log/slurmctld.log
SlurmdLogFile=$DIR/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$DIR/log/jobcomp.txt
MpiDefault=none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=$((MEM / CPUS > 512 ? 256 : MEM / CPUS / 2))
SchedulerType=sched/backfill
# the defaults trade latency for throughput (batch_sched_delay=3 s, bf_interval=30 s); a test wants latency
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
PriorityType=priority/basic
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
MinJobAge=${SLURM_CI_MIN_JOB_AGE:-300}
MaxArraySize=${SLURM_CI_MAX_ARRAY:-1001}
SlurmctldDebug=info
SlurmdDebug=info
${SLURM_CI_EXTRA:-}
NodeName=$HOST NodeAddr=$ADDR CPUs=$CPUS RealMemory=$MEM State=UNKNOWN
PartitionName=ci Nodes=$HOST Default=YES MaxTime=INFINITE DefaultTime=10 State=UP
CONF
  mv "$CONF.new" "$CONF"
  # slurmd loads a cgroup plugin even when nothing uses cgroups, and "autodetect" fails on a machine
  # with no cgroups, or with cgroup2 and no systemd. v1 touches nothing until used; 24.05 can switch it off.
  local v
  v=$(SLURM_CONF=$CONF slurmd -V | sed -n 's/^[^0-9]*\([0-9]*\)\.\([0-9]*\).*/\1\2/p')
  if [ "${v:-0}" -ge 2405 ]; then v=disabled; else v=cgroup/v1; fi
  echo "CgroupPlugin=$v" >"$DIR/cgroup.conf"
}

wait_for() { # SECONDS NAME COMMAND... ; fails at once if process NAME ("-": none) dies
  local end=$((SECONDS + $1)) name=$2; shift 2
  while ! "$@" >/dev/null 2>&1; do
    [ "$name" = - ] || alive "$name" || return 2
    [ $SECONDS -lt $end ] || return 1
    sleep 0.1
  done
}
munge_ok() { munge -n -S "$DIR/munge/socket" | unmunge -S "$DIR/munge/socket"; }
ping_ok() { timeout 5 scontrol ping | grep -q 'is UP'; }

# --- munged, with its own key and socket
if ! alive munged; then
  rm -f "$DIR/munge/socket" "$DIR/munge/socket.lock"
  if [ ! -s "$DIR/munge/key" ]; then
    (umask 077; head -c 128 /dev/urandom >"$DIR/munge/key")
  fi
  launch munged munged --foreground --key-file="$DIR/munge/key" --socket="$DIR/munge/socket" \
    --pid-file="$DIR/pid/.munged.daemon" --log-file="$DIR/log/munged.log" --seed-file="$DIR/munge/seed" --num-threads=2
fi
wait_for "$TIMEOUT" munged munge_ok || { cat "$DIR/log/munged.out" >&2; die "munged does not answer"; }

# --- slurmctld + slurmd. If one of the two still runs, or the folder holds an earlier cluster, keep its
# ports (slurmstepds of running jobs report to them) and restart only what is down. A port can be taken
# between probe and bind, so try a few times, with fresh ports unless they were asked for.
steps() { # slurmstepds of this folder: they outlive slurmd and blank their environment, but keep its log open
  local p
  for p in /proc/[0-9]*; do
    [ "$(cat "$p/comm" 2>/dev/null)" = slurmstepd ] || continue
    find "$p/fd" -lname "$DIR/log/slurmd.log" 2>/dev/null | grep -q . && echo "${p#/proc/}"
  done
  return 0
}
fresh_state() { # new ports: old steps could never report, so drop them and the job state
  local left
  left=$(steps)
  [ -z "$left" ] || kill -KILL $left 2>/dev/null || true
  rm -rf "$DIR/state" "$DIR/spool"
  mkdir -p "$DIR/state" "$DIR/spool"
}
old_port() { [ -s "$CONF" ] && sed -n "s/^$1=//p" "$CONF" || true; }
if alive slurmctld && alive slurmd; then :; else
  for try in 1 2 3; do
    CTLD_PORT= SLURMD_PORT= OLD=
    if [ "$try" = 1 ]; then CTLD_PORT=$(old_port SlurmctldPort); SLURMD_PORT=$(old_port SlurmdPort); OLD="$CTLD_PORT $SLURMD_PORT"; fi
    if alive slurmctld || alive slurmd; then :; else
      # nothing of ours holds a port: the asked-for one wins, then the earlier one, then a free one
      CTLD_PORT=${SLURM_CI_CTLD_PORT:-${CTLD_PORT:-$(free_port)}}
      SLURMD_PORT=${SLURM_CI_SLURMD_PORT:-${SLURMD_PORT:-$(free_port "$CTLD_PORT")}}
      taken=
      for p in "$CTLD_PORT" "$SLURMD_PORT"; do if busy "$p"; then taken="$taken $p"; fi; done
      if [ -n "$taken" ]; then
        say "port(s)$taken already in use on $ADDR"
        case " $taken " in *" ${SLURM_CI_CTLD_PORT:-x} "* | *" ${SLURM_CI_SLURMD_PORT:-x} "*) die "the asked-for port is taken" ;; esac
        continue
      fi
      [ "$OLD" = "$CTLD_PORT $SLURMD_PORT" ] || fresh_state
      write_conf
    fi
    alive slurmctld || launch slurmctld slurmctld -D -f "$CONF"
    if wait_for "$TIMEOUT" slurmctld ping_ok; then
      alive slurmd || launch slurmd slurmd -D -f "$CONF"
      if wait_for "$TIMEOUT" slurmd ready; then break; fi
    fi
    say "try $try failed"
    if [ "$try" = 3 ]; then die "slurmctld/slurmd did not come up"; fi
    stop_one slurmd; stop_one slurmctld
  done
fi
wait_for "$TIMEOUT" slurmd ready || die "node is not idle: $(sinfo -h -o '%N %T %E' 2>&1)"

say "up in $DIR: $(sinfo -h -o '%N %T cpus=%c mem=%m') ports $(sed -n 's/^Slurm\(ctld\|d\)Port=//p' "$CONF" | tr '\n' ' ')$(sinfo -V)"
echo "export SLURM_CONF=$CONF"
