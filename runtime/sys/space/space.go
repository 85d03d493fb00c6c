// Package space knows how much of the address space a process may take, as ulimit -v limits it. A Go program that meets the limit ends
// with a dump of its stacks, which nothing can catch; so what takes much asks before.
package space

import (
	"fmt"
	"runtime/metrics"
)

// Check returns an error if so many bytes more are beyond the limit.
func Check(bytes uint64) error {
	limit := Limit()
	if limit == 0 {
		return nil
	}
	taken, known := used()
	if !known || taken+bytes <= limit+idle() {
		return nil
	}
	return fmt.Errorf("the address space is limited to %.2f GB (ulimit -v %d), and this would take more", float64(limit)/1e9, limit/1024)
}

// idle returns how much of what is taken is free for new values, in bytes.
func idle() (bytes uint64) {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	for _, s := range samples {
		bytes += s.Value.Uint64()
	}
	return bytes
}
