package judge

import (
	"sync"

	"likc/runtime/model/front"
	"likc/runtime/model/posterior"
	"likc/search/study/bank"
)

// ranges finds parameters' ranges as a subject's trials leave them, once a subject for all expressions on one process: they
// have one header.
type ranges struct {
	sync.Mutex
	known map[string]subjectRanges // by the process that the expressions of fronts are on
}

// subjectRanges gives the parameters of one model their ranges, for a subject.
type subjectRanges func(bank.Subject) ([]posterior.Parameter, error)

func newRanges() *ranges { return &ranges{known: map[string]subjectRanges{}} }

// of returns the ranges of an entry's parameters.
func (r *ranges) of(e Entry) subjectRanges {
	l := e.line()
	if l == nil {
		return rangesOf(e)
	}
	return r.shared(l, e)
}

func (r *ranges) shared(l *front.Line, e Entry) subjectRanges {
	r.Lock()
	defer r.Unlock()
	if r.known[l.Model] == nil {
		r.known[l.Model] = rangesOf(e)
	}
	return r.known[l.Model]
}

// rangesOf returns ranges that are found once a subject.
func rangesOf(e Entry) subjectRanges {
	var mu sync.Mutex
	type found struct {
		params []posterior.Parameter
		err    error
	}
	known := map[int]found{}
	return func(s bank.Subject) ([]posterior.Parameter, error) {
		mu.Lock()
		defer mu.Unlock()
		if f, ok := known[s.ID]; ok {
			return f.params, f.err
		}
		var f found
		columns, choice, err := trialsOf(e.Model, s)
		if f.err = err; err == nil {
			f.params, f.err = e.Model.Parameters(nil, columns, choice)
		}
		known[s.ID] = f
		return f.params, f.err
	}
}
