package cli

import "cmp"

// InRange refuses a flag's number that is not from low to high.
func InRange[T cmp.Ordered](flag string, value, low, high T) error {
	if value >= low && value <= high {
		return nil
	}
	return Usagef("%s %v: want %v to %v", flag, value, low, high)
}

// MostThreads is the largest number of threads that --threads takes.
const MostThreads = 4096
