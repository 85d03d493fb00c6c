package slurm

import (
	"context"
	"strconv"
	"strings"

	"likc/search/work/cluster"
)

// hopeless lists Slurm's names of reasons for which a task waits for ever, with texts for the user.
var hopeless = map[string]string{
	"DependencyNeverSatisfied":    "its dependency can never be satisfied",
	"PartitionConfig":             "the partition has no such machine (PartitionConfig)",
	"BadConstraints":              "no machine has what --constraint wants (BadConstraints)",
	"launch_failed_requeued_held": "its start failed, and Slurm holds it (launch_failed_requeued_held)",
	"launch failed requeued held": "its start failed, and Slurm holds it (launch failed requeued held)",
	"AssocGrpCPUMinutesLimit":     "the account has used up its processor time (AssocGrpCPUMinutesLimit)",
	"PartitionTimeLimit":          "its --time is above the partition's limit (PartitionTimeLimit)",
	"PartitionNodeLimit":          "it wants more machines than the partition has (PartitionNodeLimit)",
	"AccountNotAllowed":           "the partition does not take this account (AccountNotAllowed)",
	"QOSNotAllowed":               "the partition does not take this QOS (QOSNotAllowed)",
}

// held lists Slurm's names of reasons that remain when machines become free, with texts for the user: a person must act, or a
// reservation must begin.
var held = map[string]string{
	"JobHeldUser":   "you hold it: scontrol release lets it go",
	"JobHeldAdmin":  "an administrator holds it",
	"PartitionDown": "the partition is down",
	"Reservation":   "its reservation has not begun",
}

// Poll asks squeue for the tasks that are not over. The state COMPLETING counts as not over.
func (s *Slurm) Poll(ctx context.Context, ids []string) (map[cluster.Task]cluster.State, error) {
	out, err := run(ctx, "", "squeue", "--noheader", "--array", "--jobs="+strings.Join(ids, ","), "--format=%F|%K|%T|%r")
	if unknown(err) {
		return nil, nil // Slurm no longer has their records
	}
	if err != nil {
		return nil, err
	}
	open := map[cluster.Task]cluster.State{}
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimSpace(line), "|", 4)
		if len(fields) < 4 {
			continue
		}
		task, err := strconv.Atoi(fields[1])
		if err != nil {
			continue
		}
		state := cluster.State{Running: fields[2] == "RUNNING" || fields[2] == "COMPLETING"}
		if fields[2] == "PENDING" {
			why, never := hopeless[fields[3]]
			if state.Why, state.Never = why, never; !never {
				state.Why = held[fields[3]]
			}
		}
		open[cluster.Task{Array: fields[0], Index: task}] = state
	}
	return open, nil
}
