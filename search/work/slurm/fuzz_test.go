package slurm

import (
	"testing"

	"likc/search/work/cluster"
)

// FuzzEnds: whatever scontrol and sacct print, tasks have numbers that an array can have, and nothing panics.
func FuzzEnds(f *testing.F) {
	f.Add("JobId=11 ArrayTaskId=0 JobState=COMPLETED ExitCode=0:0", "10_1|COMPLETED|0:0")
	f.Add("JobId=13 ArrayTaskId=2-4%2 JobState=FAILED ExitCode=0:9 TRES=cpu=1,mem=4G StdOut=/tmp/x Power=", "10_[3-9:2%4]|OUT_OF_MEMORY|0:125|cpu=1,mem=1536M")
	f.Add("ArrayTaskId=1,3,7-9 JobState=TIMEOUT+ ExitCode=:\n\n=", "10_8|CANCELLED by 1000|0:0\n||||")
	f.Fuzz(func(t *testing.T, control, accounts string) {
		ends := map[int]cluster.End{}
		readControl(control, ends)
		readAccounts(accounts, ends)
		for task, end := range ends {
			if task < 0 || end.Text == "" || end.Asked < 0 || end.Asked > cluster.MostMemory {
				t.Fatalf("task %d: %+v", task, end)
			}
		}
	})
}
