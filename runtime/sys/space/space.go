// Package space finds out how much memory a process may use. It considers the limit on the process's address space (ulimit -v)
// and the free memory of the machine.
// A Go program that reaches either limit ends at once, and cannot prevent that. So code that needs much memory calls Check first.
package space

import (
	"fmt"
	"runtime/metrics"
)

// Check returns an error if the process cannot get the given number of further bytes: because of the limit on the address
// space, or because the machine has less free memory.
func Check(bytes uint64) error {
	if left, known := available(); known && bytes > left+idle() {
		return fmt.Errorf("the machine has %.2f GB of memory left, and this would take more", float64(left)/1e9)
	}
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

// idle returns the number of bytes that the process has already received from the system and that are free for new values.
func idle() (bytes uint64) {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	for _, s := range samples {
		bytes += s.Value.Uint64()
	}
	return bytes
}
