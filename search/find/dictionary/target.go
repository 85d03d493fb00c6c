package dictionary

import (
	"context"
	"errors"
	"math/rand/v2"

	"likc/compiler/expr"
	"likc/search/find/divergence"
)

// target holds a teacher's density at nodes, to which expressions are compared. A node is a response time with its choice and
// parameter vector, and is one row of the tables. A group holds the nodes of one parameter vector, choice by choice. The last nodes
// of a choice are times at which the teacher has no mass.
type target struct {
	symbols   []string    // names of the values: the parameters, the response time, the choice
	values    [][]float64 // [row][symbol]
	share     []float64   // for each row, the teacher's probability; see [divergence.Lane]
	logWeight []float64   // for each row, the log of its width in an integral over time
	entropy   []float64   // for each group, the mean log density of the teacher at its own trials
	groups    int         // number of parameter vectors
	rows      int         // number of rows of each group
	lane      int         // number of rows of each choice
	drawn     *drawn      // trials, if nothing else is known of the teacher
}

// A density with a sharp end may need more nodes than asked for. If its nodes still do not cover the whole probability, the parameter
// vector is dropped.
const (
	mostNodes   = 4  // the most nodes, as a multiple of the number asked for
	mostDropped = 20 // at most one vector in this many may be dropped
)

// beyond returns times far from the teacher's mass, on both sides, in log seconds. An expression must have no mass there.
func beyond(first, last float64) []float64 {
	return []float64{first - 4, first - 1.5, last + 0.7, last + 1.5, last + 3}
}

// newTarget places nodes for the given parameter vectors.
func newTarget(ctx context.Context, theta [][]float64, header *expr.Model, teacher divergence.Density, nodes int, random *rand.Rand) (*target, error) {
	bare := *header
	bare.LogLik = expr.Num(0)
	header = &bare
	groups, err := layOut(ctx, theta, header, teacher, nodes, random)
	for more := 2; errors.Is(err, divergence.ErrMass) && more <= mostNodes; more *= 2 {
		groups, err = layOut(ctx, theta, header, teacher, more*nodes, random)
	}
	if err != nil {
		return nil, err
	}
	t := &target{symbols: append(header.ParamNames(), header.Trials[0]), groups: len(groups)}
	if header.Choice != "" {
		t.symbols = append(t.symbols, header.Choice)
	}
	for i := range groups {
		t.addGroup(&groups[i])
	}
	t.rows = len(t.share) / t.groups
	return t, nil
}

// layOut places nodes, and drops the vectors whose nodes do not cover the whole probability. It returns an error if it would drop
// too many.
func layOut(ctx context.Context, theta [][]float64, header *expr.Model, teacher divergence.Density, nodes int, random *rand.Rand) (all []divergence.Group, err error) {
	var failed error
	for i := range theta {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g, err := divergence.Place(theta[i:i+1], header, teacher, nodes, random, beyond)
		switch {
		case errors.Is(err, divergence.ErrMass):
			failed = err
		case err != nil:
			return nil, err
		}
		all = append(all, g...)
	}
	if dropped := len(theta) - len(all); dropped*mostDropped > len(theta) {
		return nil, failed
	}
	return all, nil
}

// addGroup appends the nodes of one parameter vector as rows.
func (t *target) addGroup(g *divergence.Group) {
	t.entropy = append(t.entropy, g.Entropy)
	for i := range g.Lanes {
		l := &g.Lanes[i]
		t.lane = len(l.Share)
		t.share = append(t.share, l.Share...)
		t.logWeight = append(t.logWeight, l.LogWeight...)
		for _, rt := range l.RT {
			row := append(l.Theta[:len(l.Theta):len(l.Theta)], rt, l.Choice)
			t.values = append(t.values, row[:len(t.symbols)])
		}
	}
}

// vectors draws parameters uniformly from the header's ranges.
func vectors(header *expr.Model, n int, random *rand.Rand) [][]float64 {
	theta := make([][]float64, n)
	for i := range theta {
		for _, p := range header.Params {
			theta[i] = append(theta[i], p.Lower+(p.Upper-p.Lower)*random.Float64())
		}
	}
	return theta
}
