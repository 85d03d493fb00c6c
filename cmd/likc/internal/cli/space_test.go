package cli

import (
	"strings"
	"testing"
)

// TestThreadsWithin: the number of threads for a limit of memory in bytes, just below and at the limit for a second thread. Below 2.05 GB there
// is an error.
func TestThreadsWithin(t *testing.T) {
	for limit, want := range map[uint64]int{2_252_800_000: 1, 2_380_799_999: 1, 2_380_800_000: 2, 4_300_800_000: 17, 1 << 63: 1 << 20} {
		if got, err := threadsWithin(limit); got != want || err != nil {
			t.Errorf("%d bytes: %d threads, %v; want %d", limit, got, err, want)
		}
	}
	if _, err := threadsWithin(2_048_000_000); err == nil || !strings.Contains(err.Error(), "2.05 GB") {
		t.Errorf("2 GB: %v", err)
	}
}
