package load

import (
	"maps"
	"slices"
	"sync"

	"likc/runtime/model/kernel"
)

// Constructor binds data to one likelihood, as Set.Bind does.
type Constructor func(columns [][]float64, choice []float64) (kernel.Sum, error)

// registry holds the linked packages, by name.
var registry = struct {
	sync.Mutex
	candidates map[string]Candidate
}{candidates: map[string]Candidate{}}

// Register registers a linked package under a name. It is called from init functions, and panics if the name exists.
func Register(name string, bind Constructor) {
	registry.Lock()
	defer registry.Unlock()
	if _, twice := registry.candidates[name]; twice {
		panic("load: two linked packages are named " + name)
	}
	registry.candidates[name] = func(columns [][]float64, choice []float64) (any, error) { return bind(columns, choice) }
}

// Registered returns the packages that are linked in.
func Registered() Set {
	registry.Lock()
	defer registry.Unlock()
	return Linked(maps.Clone(registry.candidates))
}

// Linked returns the set of candidates whose code is in this process.
func Linked(candidates map[string]Candidate) Set {
	return &linked{names: slices.Sorted(maps.Keys(candidates)), candidates: candidates}
}
