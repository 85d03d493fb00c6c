//go:build !linux

package timing

import "errors"

var errUnknown = errors.New("the time on the processor is not known on this system")

// CPU returns an error, because the processor time is unknown on this system.
func CPU() (Clock, error) { return nil, errUnknown }

// ThreadCPU returns an error, because the processor time is unknown on this system.
func ThreadCPU() (Clock, error) { return nil, errUnknown }
