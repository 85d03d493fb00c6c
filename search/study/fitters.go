package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"likc/runtime/fit/formula"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/posterior"
	"likc/runtime/model/timing"
	"likc/runtime/num/stream"
)

// Problem is the likelihood of a case's trials, with the ranges and priors of its parameters. A range may depend on the trials.
type Problem struct {
	kernel.Sum
	Params []posterior.Parameter
	Share  float64 // the share of the log-likelihood that counts: with less than all of it, the posterior is flatter. 0: all of it
}

// share returns the share of the log-likelihood that counts.
func (p Problem) share() float64 {
	if p.Share == 0 {
		return 1
	}
	return p.Share
}

// counted returns the log-likelihood as far as it counts, and sets grad to its gradient.
func (p Problem) counted(theta, grad []float64) float64 {
	value := p.Sum.LogLikGrad(theta, grad)
	for j := range grad {
		grad[j] *= p.share()
	}
	return p.share() * value
}

// Bind makes the likelihood of a case, with its parameters. It must be safe for concurrent use.
type Bind func(c *Case) (Problem, error)

// Binding returns a Bind for a model. The model's response time is the first column of a case; its other trial columns are
// columns of the case's table. A case is one participant. Parameters have the model's ranges and uniform priors.
func Binding(m *catalog.Model, b *bound.Prepared) Bind {
	return func(c *Case) (p Problem, err error) {
		columns, err := c.columnsOf(m)
		if err != nil {
			return p, err
		}
		choice := c.Choice
		if m.Choice == "" {
			choice = nil
		}
		if p.Params, err = m.Parameters(nil, columns, choice); err != nil {
			return p, err
		}
		p.Sum, err = b.Bind(kernel.Trials{Columns: columns, Choice: choice}, bound.Design{})
		return p, err
	}
}

// columnsOf returns the columns of a model's data: the response time, and columns of the case's table.
func (c *Case) columnsOf(m *catalog.Model) (all [][]float64, err error) {
	for j, name := range m.DataColumns() {
		at := slices.IndexFunc(c.Table.Columns, func(of formula.DataColumn) bool { return of.Name == name })
		switch {
		case name == catalog.ResponseTime || j == m.TimeColumn() && at < 0:
			all = append(all, c.Columns[0])
		case at >= 0:
			all = append(all, c.Table.Columns[at].Numeric)
		default:
			return nil, fmt.Errorf("%s reads trial columns %s; a bank has %s", m.Name, strings.Join(m.DataColumns(), ", "), catalog.ResponseTime)
		}
	}
	return all, nil
}

// posterior makes the posterior of a case.
func (b Bind) posterior(c *Case) (*Fitted, *posterior.Posterior, error) {
	f := &Fitted{}
	if len(c.Columns) > 0 && len(c.Columns[0]) == 0 {
		return f, nil, errors.New("no trials")
	}
	var err error
	start := timing.ThreadSeconds()
	f.Problem, err = b(c)
	f.Binding = timing.ThreadSeconds() - start
	if err != nil {
		return f, nil, err
	}
	if f.Problem.Share != 0 {
		post, err := posterior.Of(f.Problem.counted, f.Problem.Params)
		return f, post, err
	}
	post, err := posterior.New(f.Problem.Sum, f.Problem.Params)
	return f, post, err
}

// Draws fits cases by drawing from their posteriors with NUTS. The case's ID numbers its random stream.
type Draws struct {
	Bind
	Sampler nuts.Settings
	Limit   int // largest number of gradients of a fit; 0: no limit. A fit that reaches the limit succeeds if it has enough draws
	Climbs  int // number of searches for the modes at which chains start; 0: chains start as Sampler says
}

// Fit draws from the posterior of a case. Gradients is set even if the fit failed.
func (d Draws) Fit(ctx context.Context, c *Case) (*Fitted, error) {
	f, post, err := d.Bind.posterior(c)
	if err != nil {
		return f, err
	}
	s := d.Sampler
	s.Stream = uint64(c.ID)
	if d.Climbs > 0 {
		modes, gradients := post.Modes(ctx, stream.Named(fmt.Sprintf("modes %d %d", s.Seed, c.ID)), d.Climbs)
		s.Inits, f.Gradients = post.Starts(modes, s.NumChains), gradients
	}
	limit := newAllowance(d.Limit, &s)
	result, err := nuts.Sample(ctx, func(int) nuts.Target { return limit.chain(post.Target()) }, s)
	if result == nil {
		return f, err
	}
	f.Gradients += result.Draws.TotalGradients()
	if f.Limited = errors.Is(err, hierarchy.ErrLimit); f.Limited && areEnough(result.Draws, &s) {
		err = nil
	}
	if err != nil {
		return f, err
	}
	f.Draws = result.Draws
	post.ConstrainDraws(f.Draws)
	return f, nil
}

// Modes fits cases by the modes of their posteriors.
type Modes struct {
	Bind
	Starts func(post *posterior.Posterior, c *Case) [][]float64 // returns the points from which the search starts; the highest mode is used. nil: one start, which the posterior chooses
}

// Fit finds the posterior mode of a case.
func (m Modes) Fit(ctx context.Context, c *Case) (*Fitted, error) {
	f, post, err := m.Bind.posterior(c)
	if err != nil {
		return f, err
	}
	starts := [][]float64{nil}
	if m.Starts != nil {
		starts = m.Starts(post, c)
	}
	highest := math.Inf(-1)
	for _, start := range starts {
		mode, failed := post.MAPContext(ctx, start)
		if ctx.Err() != nil {
			return f, ctx.Err()
		}
		if failed != nil {
			err = failed
			continue
		}
		f.Gradients += mode.Gradients
		if f.Mode == nil || mode.LogDensity > highest {
			f.Mode, highest = mode.Theta, mode.LogDensity
		}
	}
	switch {
	case f.Mode != nil:
		return f, nil
	case m.Starts != nil:
		err = fmt.Errorf("no maximum found: %w", err)
	}
	return f, err
}
