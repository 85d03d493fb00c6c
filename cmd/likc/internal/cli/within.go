package cli

import "cmp"

// MaxThreads is the most threads that a command takes.
const MaxThreads = 1 << 12

// Within reports a value of a flag that is not from low to high. NaN never is.
func Within[T cmp.Ordered](flag string, value, low, high T) error {
	if value >= low && value <= high {
		return nil
	}
	return Usagef("%s %v: want %v to %v", flag, value, low, high)
}
