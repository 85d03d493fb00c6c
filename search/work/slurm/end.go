package slurm

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"likc/search/work/cluster"
)

// Ended asks scontrol, which knows a job for some minutes after its end. For tasks that scontrol does not know, it asks sacct, if
// the cluster has accounting.
func (s *Slurm) Ended(ctx context.Context, id string) (map[int]cluster.End, error) {
	ends := map[int]cluster.End{}
	out, err := run(ctx, "", "scontrol", "--oneliner", "show", "job", id)
	if err != nil && !unknown(err) {
		return nil, err
	}
	readControl(out, ends)
	out, err = run(ctx, "", "sacct", "-X", "-n", "-P", "-j", id, "-o", "JobID,State,ExitCode,AllocTRES")
	var f *failure
	if err != nil && !errors.As(err, &f) {
		return ends, nil // there is no sacct
	}
	known := map[int]cluster.End{}
	readAccounts(out, known)
	for task, end := range known {
		if _, ok := ends[task]; !ok {
			ends[task] = end
		}
	}
	return ends, nil
}

// readControl reads records of scontrol, one on each line, and stores how tasks ended in ends, by the task's index. Tasks that were
// cancelled while they waited share one record.
func readControl(out string, ends map[int]cluster.End) {
	for line := range strings.Lines(out) {
		record := map[string]string{}
		for _, word := range strings.Fields(line) {
			if key, value, ok := strings.Cut(word, "="); ok && record[key] == "" {
				record[key] = value
			}
		}
		end, over := newEnd(record["JobState"], record["ExitCode"])
		if strings.HasSuffix(record["ExitCode"], ":9") && saysMemory(line) {
			end = outOfMemory
		}
		end.Asked = memoryOf(cmp.Or(record["AllocTRES"], record["TRES"]))
		for _, task := range indices(record["ArrayTaskId"]) {
			if over {
				ends[task] = end
			}
		}
	}
}

// readAccounts reads lines ID_TASK|STATE|CODE:SIGNAL|RESOURCES of sacct, and stores how tasks ended in ends, by the task's index.
func readAccounts(out string, ends map[int]cluster.End) {
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		if len(fields) < 3 {
			continue
		}
		_, list, _ := strings.Cut(fields[0], "_")
		end, over := newEnd(fields[1], fields[2])
		end.Asked = memoryOf(strings.Join(fields[3:], ","))
		for _, task := range indices(strings.Trim(list, "[]")) {
			if over {
				ends[task] = end
			}
		}
	}
}

// memoryOf returns the memory in a list of resources, as cpu=1,mem=4G,node=1; 0 if it has none.
func memoryOf(resources string) cluster.Memory {
	for _, one := range strings.Split(resources, ",") {
		if size, ok := strings.CutPrefix(one, "mem="); ok {
			m, _ := cluster.ParseMemory(size)
			return m
		}
	}
	return 0
}

// outOfMemory is the end of a task that ran out of memory.
var outOfMemory = cluster.End{Text: "out of memory; give more with --memory SIZE", Memory: true}

// If Slurm measures memory itself (OverMemoryKill) and kills a task that uses too much, scontrol reports the task only as killed. But the
// task's log, whose name is in scontrol's record, then ends with a line of Slurm's daemon.
var (
	logName    = regexp.MustCompile(` StdOut=(.*?)(?: [A-Z][A-Za-z]*=.*)?$`)
	overMemory = regexp.MustCompile(`slurmstepd\S*: error: .*(?:xceeded (?:job |step )?memory limit|oom.kill event)`)
)

// tailLength is the number of bytes that are read from the end of a log.
const tailLength = 64 << 10

// saysMemory reports whether the log that a record of scontrol names says that the memory was not enough.
func saysMemory(record string) bool {
	found := logName.FindStringSubmatch(strings.TrimSpace(record))
	if found == nil {
		return false
	}
	info, err := os.Stat(found[1])
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(found[1])
	if err != nil {
		return false
	}
	defer f.Close()
	if _, err := f.Seek(max(0, info.Size()-tailLength), io.SeekStart); err != nil {
		return false
	}
	text, err := io.ReadAll(io.LimitReader(f, tailLength))
	return err == nil && overMemory.Match(text)
}

// newEnd describes how a task ended, from Slurm's name of its state and its CODE:SIGNAL. over is false if the task has not ended.
func newEnd(state, exit string) (end cluster.End, over bool) {
	state, _, _ = strings.Cut(state, " ") // removes the rest of "CANCELLED by 1000"
	switch strings.TrimSuffix(state, "+") {
	case "COMPLETED":
		return cluster.End{Text: "done", Good: true}, true
	case "CANCELLED":
		return cluster.End{Text: "cancelled", Cancelled: true}, true
	case "TIMEOUT":
		return cluster.End{Text: "its time was up; give more with --slurm-arg --time=HH:MM:SS"}, true
	case "OUT_OF_MEMORY":
		return outOfMemory, true
	case "FAILED":
		return cluster.End{Text: exitText(exit)}, true
	case "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "DEADLINE", "REVOKED":
		return cluster.End{Text: "Slurm says " + state}, true
	}
	return cluster.End{}, false
}

// exitText explains CODE:SIGNAL in words.
func exitText(exit string) string {
	code, signal, _ := strings.Cut(exit, ":")
	switch {
	case signal == "53":
		return "its log could not be written"
	case signal != "" && signal != "0":
		return "killed by signal " + signal
	}
	return "exit status " + code
}

// indices returns the numbers in a list such as "1", "2-3" or "1,3,7-9:2%4", where :2 is a step and %4 is ignored. It returns nil for any
// other text.
func indices(list string) (all []int) {
	list, _, _ = strings.Cut(list, "%")
	for _, part := range strings.Split(list, ",") {
		part, every, _ := strings.Cut(part, ":")
		first, last, ranged := strings.Cut(part, "-")
		if !ranged {
			last = first
		}
		from, err1 := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		step := 1
		if every != "" {
			step, _ = strconv.Atoi(every)
		}
		if err1 != nil || err2 != nil || step < 1 || to-from > maxIndex {
			return nil
		}
		for i := from; i <= to; i += step {
			all = append(all, i)
		}
	}
	return all
}

// maxIndex is the largest length of a range in a list, so that a wrong list cannot use up the memory.
const maxIndex = 4_000_000
