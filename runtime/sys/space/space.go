// Package space knows how much memory a process may take: by the limit on its address space (ulimit -v), and by what the machine has left.
// A Go program that meets either limit ends at once, which nothing within it can catch; so what takes much asks before.
package space

import (
	"fmt"
	"runtime/metrics"
)

// Check returns an error if so many bytes more are beyond the limit on the address space, or beyond what the machine has left.
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

// idle returns how much of what is taken is free for new values, in bytes.
func idle() (bytes uint64) {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	for _, s := range samples {
		bytes += s.Value.Uint64()
	}
	return bytes
}
