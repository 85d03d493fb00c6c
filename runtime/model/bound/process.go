package bound

import (
	"context"
	"errors"
	"sync"

	"likc/compiler/ir"
	"likc/runtime/model/kernel"
	"likc/runtime/model/load"
	"likc/runtime/sys/store"
)

// worthAsking is the least work of a sum, as [ir.Bound.Work] counts it, for which another process is asked. A question and its answer
// take as long as some 200,000 additions of the interpreter. To build the program takes as long as 10,000 evaluations at this limit, and a fit needs more.
// Work is counted, not timed, so that the same fit has the same digits each time.
const worthAsking = 1 << 20

// process is a set of packages that run in another process. It is built and started when it is first needed.
type process struct {
	start func() (load.Set, error)

	mutex   sync.Mutex // guards the fields below
	started bool
	set     load.Set // nil if it has not started
	failed  error    // the reason why it could not start
}

// get returns the set, which the first call starts.
func (p *process) get() (load.Set, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if !p.started {
		p.started = true
		p.set, p.failed = p.start()
	}
	return p.set, p.failed
}

// orInterpreted returns a bind that interprets a model, unless a sum is worth asking the process. It also interprets if the process cannot start.
func (p *process) orInterpreted(m part) (bind, error) {
	u, err := m.unit()
	if err != nil {
		return nil, err
	}
	return func(columns [][]float64, choice []float64) (kernel.Sum, error) {
		lik, err := ir.Bind(u.Program, columns, choice, ir.WithTables(newTable), ir.InBlocks())
		if err != nil || lik.Work() < worthAsking {
			return orNil(lik, err)
		}
		set, err := p.get()
		switch {
		case errors.Is(err, store.ErrUntrusted) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
			return nil, err
		case err != nil:
			return lik, nil
		}
		return set.Bind(m.Name, columns, choice)
	}, nil
}

// Slow returns the reason why sums are interpreted that are worth asking the process; nil if there are none.
func (p *process) Slow() error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.failed
}

// Err returns the reason why evaluations in the process failed.
func (p *process) Err() error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.set == nil {
		return nil
	}
	return p.set.Err()
}

// Close ends the process.
func (p *process) Close() error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.set == nil {
		return nil
	}
	return p.set.Close()
}
