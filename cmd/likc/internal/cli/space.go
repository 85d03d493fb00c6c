package cli

import (
	"fmt"
	"runtime"

	"likc/runtime/sys/space"

	"github.com/spf13/cobra"
)

// These constants are the address space, in bytes, that a command reserves: for one thread, and for each further thread. The command
// uses a small part of it, because Go and the C library reserve address space in advance.
const (
	spaceOfOne  = 2_252_800_000
	spaceOfMore = 128_000_000
)

// LimitSpace keeps a command that has the flag --threads within the limit of the process's address space (ulimit -v). Beyond it the
// program would crash with a dump of its stacks. LimitSpace lowers the number of threads, and returns an error if the limit is too low for one
// thread.
func LimitSpace(cmd *cobra.Command) error {
	limit := space.Limit()
	if limit == 0 || cmd.Flags().Lookup("threads") == nil {
		return nil
	}
	threads, err := threadsWithin(limit)
	if err != nil {
		return err
	}
	if threads < runtime.GOMAXPROCS(0) {
		runtime.GOMAXPROCS(threads)
	}
	return nil
}

// threadsWithin returns how many threads a limit in bytes is enough for.
func threadsWithin(limit uint64) (int, error) {
	if limit < spaceOfOne {
		return 0, fmt.Errorf("address space: limited to %.2f GB: want at least %.2f GB (ulimit -v %d), most of which is reserved and never used",
			float64(limit)/1e9, spaceOfOne/1e9, spaceOfOne/1024)
	}
	return int(min(1+(limit-spaceOfOne)/spaceOfMore, 1<<20)), nil
}
