package cluster

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"likc/runtime/num/notation"
)

// Memory is the memory of a task, in MiB; 0 means the batch system's default.
type Memory int64

// MostMemory is the largest memory that can be asked for: 64 TiB.
const MostMemory Memory = 64 << 20

// memoryText is a number with a unit, as batch systems write it.
var memoryText = regexp.MustCompile(`^([0-9]{1,12}(?:\.[0-9]{1,6})?)([KMGT])$`)

// ParseMemory reads 500M, 4G or 1T.
func ParseMemory(text string) (Memory, error) {
	found := memoryText.FindStringSubmatch(text)
	if found == nil {
		return 0, fmt.Errorf("%q: want a size with its unit, as 500M or 4G", text)
	}
	number, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		return 0, err
	}
	unit := map[string]float64{"K": 1. / 1024, "M": 1, "G": 1 << 10, "T": 1 << 20}[found[2]]
	if m := number * unit; m >= 1 && m <= float64(MostMemory) {
		return Memory(m), nil
	}
	return 0, fmt.Errorf("%q: want 1M to %v", text, MostMemory)
}

// String writes a size with the largest unit that leaves a whole number.
func (m Memory) String() string {
	unit := 0
	for ; m != 0 && m%1024 == 0 && unit < 2; unit++ {
		m /= 1024
	}
	return fmt.Sprintf("%d%c", m, "MGT"[unit])
}

// Memories holds the memory of tasks by the stage of their units. The memory of the stage "" applies to all stages that are not listed.
type Memories map[string]Memory

// ParseMemories reads texts SIZE, for all stages, and STAGE=SIZE, for one stage. A stage may occur only once.
func ParseMemories(texts []string) (Memories, error) {
	all := Memories{}
	for _, text := range texts {
		stage, size, one := strings.Cut(text, "=")
		if !one {
			stage, size = "", text
		}
		m, err := ParseMemory(size)
		switch _, twice := all[stage]; {
		case err != nil:
			return nil, err
		case one && stage == "":
			return nil, fmt.Errorf("%q: want SIZE or STAGE=SIZE", text)
		case twice:
			return nil, fmt.Errorf("%q: there are two sizes for the same tasks", text)
		}
		all[stage] = m
	}
	return all, nil
}

// ofStage returns the memory of a stage's tasks.
func (m Memories) ofStage(stage string) Memory {
	if listed, ok := m[stage]; ok {
		return listed
	}
	return m[""]
}

// mostDoublings is how often the memory is doubled for a unit that ran out of memory.
const mostDoublings = 3

// memory returns the memory that tasks of a stage get now: the user's setting, or more if that was too little.
func (e *Engine) memory(stage string) Memory {
	return max(e.settings.Memory.ofStage(stage), e.times[stage].Memory)
}

// enlarge doubles the memory of a stage, because its job j ran out of memory in the array a. It returns false and changes nothing if the
// memory that j had is unknown, or if it cannot be doubled again.
func (e *Engine) enlarge(j *job, a *array, end End) bool {
	had := a.Memory
	if had == 0 {
		had = end.Asked
	}
	if had == 0 || j.doublings == mostDoublings || 2*had > MostMemory {
		return false
	}
	j.doublings++
	if stage := e.times[j.Unit.Stage]; stage.Memory < 2*had { // not yet enlarged because of another unit
		stage.Memory = 2 * had
		e.times[j.Unit.Stage] = stage
		e.settings.Note(fmt.Sprintf("%s: out of memory with %v; tasks of the stage %s get %v from now on", j.Unit.Name, had, j.Unit.Stage, stage.Memory))
	}
	return true
}

// withdraw cancels waiting tasks that have less memory than their stage gets now. When the queue says that a task is cancelled, its jobs
// are submitted again, with more memory. A task that has begun in the meantime continues.
func (e *Engine) withdraw(a *array, open map[Task]State) {
	var tasks []int
	for task := range a.Tasks {
		s, inQueue := open[Task{a.ID, task}]
		waiting := a.waiting(task)
		if inQueue && !s.Running && len(waiting) > 0 && !a.withdrawn[task] && e.times[waiting[0].Unit.Stage].Memory > a.Memory {
			tasks = append(tasks, task)
		}
	}
	if len(tasks) == 0 {
		return
	}
	ctx, cancel := e.command()
	defer cancel()
	if err := e.queue.Withdraw(ctx, a.ID, tasks...); err != nil {
		e.noteOnce(err.Error())
		return
	}
	for _, task := range tasks {
		a.withdrawn[task] = true
	}
	e.settings.Note(fmt.Sprintf("job %s: %s back into the queue, with more memory", a.ID, notation.Count(len(tasks), "task")))
}

// sameMemory returns the number of tasks at the beginning of the list that get the same memory as the first task.
func (e *Engine) sameMemory(tasks [][]*job) (n int) {
	for n < len(tasks) && e.memory(tasks[n][0].Unit.Stage) == e.memory(tasks[0][0].Unit.Stage) {
		n++
	}
	return n
}
