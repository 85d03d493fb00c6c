package timing

import (
	"fmt"
	"time"
)

// Clock returns the time that has passed since a fixed moment.
type Clock func() time.Duration

var start = time.Now()

// Wall returns the wall-clock time since the program began. It is a [Clock].
func Wall() time.Duration { return time.Since(start) }

// ClockNamed returns the clock called wall or cpu, and its name. "" means cpu if the system measures it, otherwise wall.
func ClockNamed(name string) (Clock, string, error) {
	switch name {
	case "wall":
		return Wall, name, nil
	case "cpu", "":
		cpu, err := CPU()
		switch {
		case err == nil:
			return cpu, "cpu", nil
		case name == "":
			return Wall, "wall", nil
		}
		return nil, "", fmt.Errorf("cpu: %w", err)
	}
	return nil, "", fmt.Errorf("%s: want cpu or wall", name)
}

var process, thread = orWall(CPU()), orWall(ThreadCPU())

// ProcessSeconds returns the processor time of the whole program so far, or wall-clock time if the system does not measure it.
func ProcessSeconds() float64 { return process().Seconds() }

// ThreadSeconds returns the processor time of the calling thread so far, or wall-clock time if the system does not measure it. The
// goroutine must be locked to its thread.
func ThreadSeconds() float64 { return thread().Seconds() }

func orWall(c Clock, err error) Clock {
	if err != nil {
		return Wall
	}
	return c
}
