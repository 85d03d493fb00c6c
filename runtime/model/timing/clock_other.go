//go:build !linux

package timing

import "errors"

var errUnknown = errors.New("the time on the processor is not known on this system")

// CPU is the time that all threads of this process have spent on processors; an error where it is not known.
func CPU() (Clock, error) { return nil, errUnknown }

// ThreadCPU is the time that the calling thread has spent on processors; an error where it is not known.
func ThreadCPU() (Clock, error) { return nil, errUnknown }
