//go:build !linux

package timing

import "errors"

// CPU is the time that all threads of this process have spent on processors; an error where it is not known.
func CPU() (Clock, error) {
	return nil, errors.New("the time on the processor is not known on this system")
}
