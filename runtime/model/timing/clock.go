package timing

import (
	"fmt"
	"time"
)

// Clock tells how much time has passed since a moment that is always the same.
type Clock func() time.Duration

var start = time.Now()

// Wall is the time that passes for everyone.
func Wall() time.Duration { return time.Since(start) }

// ClockNamed returns the clock called wall or cpu, and its name; "" is cpu where the system knows it, and wall elsewhere.
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

// ProcessSeconds returns the processor time of the whole program so far; wall time where the system does not know it.
func ProcessSeconds() float64 { return process().Seconds() }

// ThreadSeconds returns the processor time of the calling thread so far, on which its goroutine must stay; wall time where the system does not
// know it.
func ThreadSeconds() float64 { return thread().Seconds() }

func orWall(c Clock, err error) Clock {
	if err != nil {
		return Wall
	}
	return c
}
