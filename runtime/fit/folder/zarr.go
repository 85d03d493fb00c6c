package folder

import (
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"likc/runtime/fit"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/fit/zarr"
	"likc/runtime/num/chains"
	"likc/runtime/sys/version"
)

// zarrFolder is a store with draws, statistics of the sampler, log densities by trial and data, in ArviZ's layout: see [arviz].
//
// [arviz]: https://python.arviz.org/en/stable/schema/schema.html
const zarrFolder = "draws.zarr"

// These are the names of dimensions: ArviZ's for chains and draws, and one for trials.
const (
	chainDim = "chain"
	drawDim  = "draw"
	trialDim = "trial"
)

// writeZarr writes zarrFolder, if it is wanted and there are draws.
func (f *Folder) writeZarr(ctx context.Context, r *fit.Result) error {
	if !f.Zarr || r.Draws == nil {
		return nil
	}
	s := &zarrStore{Store: zarr.New(f.hidden, filepath.ToSlash(filepath.Join(r.Folder, zarrFolder))), draws: r.Draws.Common(), attributes: map[string]any{
		"inference_library": "likc", "inference_library_version": version.Get().Version, "model": f.Spec.Model.Name, "seed": r.Summary.Seed}}
	of := "posterior"
	if r.Summary.PriorOnly {
		of = "prior"
	}
	s.parameters(of, r.Study)
	s.statistics()
	s.data(f.Spec.Model.Trials, f.Spec.Model.Choice, r)
	if r.LOO != nil && ctx.Err() == nil {
		if err := s.densities(ctx, r); err != nil && ctx.Err() == nil {
			return err
		}
	}
	if f.Predictive > 0 && f.predicts() && ctx.Err() == nil {
		if err := s.predictions(ctx, of+"_predictive", f, r); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return s.Close()
}

// zarrStore is the store of one fit.
type zarrStore struct {
	*zarr.Store
	draws      *chains.Draws
	attributes map[string]any
}

// group adds a group. With byDraw, it has the coordinates of chains and draws. With a subject, it has the coordinate of trials:
// their rows in the data file.
func (s *zarrStore) group(name string, byDraw bool, of *fit.Subject) {
	s.Group(name, s.attributes)
	if byDraw {
		s.Ints(name, chainDim, chainDim, len(s.draws.Chains), func(i int) int { return i })
		s.Ints(name, drawDim, drawDim, s.draws.Len(), func(i int) int { return i })
	}
	if of != nil {
		s.Ints(name, trialDim, trialDim, of.Trials(), of.Row)
	}
}

// parameters writes the draws. The effects of the levels of a grouping form one array, with a dimension for the levels.
func (s *zarrStore) parameters(group string, study *hierarchy.Study) {
	s.group(group, true, nil)
	shape, dims := []int{len(s.draws.Chains), s.draws.Len()}, []string{chainDim, drawDim}
	taken, names, levels := map[int]bool{}, map[string]bool{}, map[string][]string{}
	for _, v := range study.Varying() {
		dim := v.By + "__factor_dim"
		for k := 2; levels[dim] != nil && !slices.Equal(levels[dim], v.Levels); k++ {
			dim = fmt.Sprintf("%s__factor_dim%d", v.By, k)
		}
		if levels[dim] == nil {
			s.Texts(group, dim, dim, v.Levels)
		}
		levels[dim] = v.Levels
		for _, at := range v.Coordinates {
			taken[at] = true
		}
		s.All(group, unique(names, v.Name), zarr.Float, append(slices.Clone(dims), dim), append(slices.Clone(shape), len(v.Levels)), func(to []byte, i []int) []byte {
			return zarr.PutFloat(to, s.draws.Chains[i[0]].Params[v.Coordinates[i[2]]][i[1]])
		})
	}
	for j, name := range s.draws.Names {
		if !taken[j] {
			s.All(group, unique(names, name), zarr.Float, dims, shape, func(to []byte, i []int) []byte {
				return zarr.PutFloat(to, s.draws.Chains[i[0]].Params[j][i[1]])
			})
		}
	}
}

// unique returns a name that no other array of the group has, and adds it to names.
func unique(names map[string]bool, name string) string {
	own := zarr.Name(name)
	for k := 2; names[own] || own == chainDim || own == drawDim; k++ {
		own = fmt.Sprintf("%s_%d", zarr.Name(name), k)
	}
	names[own] = true
	return own
}

// statistics writes the sampler's statistics of each draw.
func (s *zarrStore) statistics() {
	const group = "sample_stats"
	if len(s.draws.Chains[0].Energy) == 0 {
		return // draws from the prior
	}
	s.group(group, true, nil)
	shape, dims := []int{len(s.draws.Chains), s.draws.Len()}, []string{chainDim, drawDim}
	at := func(i []int) *chains.Chain { return &s.draws.Chains[i[0]] }
	floats := map[string]func(c *chains.Chain) []float64{
		"lp":              func(c *chains.Chain) []float64 { return c.LogDensity },
		"acceptance_rate": func(c *chains.Chain) []float64 { return c.AcceptStat },
		"step_size":       func(c *chains.Chain) []float64 { return c.StepSize },
		"energy":          func(c *chains.Chain) []float64 { return c.Energy },
	}
	for _, name := range slices.Sorted(maps.Keys(floats)) {
		s.All(group, name, zarr.Float, dims, shape, func(to []byte, i []int) []byte { return zarr.PutFloat(to, floats[name](at(i))[i[1]]) })
	}
	s.All(group, "tree_depth", zarr.Int, dims, shape, func(to []byte, i []int) []byte { return zarr.PutInt(to, at(i).TreeDepth[i[1]]) })
	s.All(group, "n_steps", zarr.Int, dims, shape, func(to []byte, i []int) []byte { return zarr.PutInt(to, at(i).Leapfrogs[i[1]]) })
	s.All(group, "diverging", zarr.Bool, dims, shape, func(to []byte, i []int) []byte { return zarr.PutBool(to, at(i).Divergent[i[1]]) })
}

// data writes the trials that were fitted, and the columns of the data that formulas read.
func (s *zarrStore) data(columns []string, choice string, r *fit.Result) {
	const observed, constant = "observed_data", "constant_data"
	s.group(observed, false, &r.Subject)
	for j, name := range columns {
		s.Numbers(observed, name, trialDim, r.Columns[j])
	}
	if r.Choice != nil {
		if choice == "" {
			choice = "choice"
		}
		s.Numbers(observed, choice, trialDim, r.Choice)
	}
	if len(r.Table.Columns) == 0 {
		return
	}
	s.group(constant, false, &r.Subject)
	for _, c := range r.Table.Columns {
		name := c.Name
		if name == trialDim {
			name += "_2"
		}
		if c.Labels != nil {
			s.Texts(constant, name, trialDim, c.Labels)
			continue
		}
		s.Numbers(constant, name, trialDim, c.Numeric)
	}
}

// densities writes the log density of each trial at each draw.
func (s *zarrStore) densities(ctx context.Context, r *fit.Result) error {
	const group = "log_likelihood"
	s.group(group, true, &r.Subject)
	draws := s.draws.Len()
	a := s.Array(group, "response", zarr.Float, []string{chainDim, drawDim, trialDim}, []int{len(s.draws.Chains), draws, r.Trials()},
		[]int{len(s.draws.Chains), draws, fit.DensityBlock})
	return r.LogDensities(ctx, func(first int, density [][]float64) error {
		a.Put([]int{0, 0, first / fit.DensityBlock}, func(to []byte, i []int) []byte {
			return zarr.PutFloat(to, density[i[2]-first][i[0]*draws+i[1]])
		})
		return nil
	})
}

// predictions writes simulated trials of some draws, which are evenly spaced over all chains and count as one chain.
func (s *zarrStore) predictions(ctx context.Context, group string, f *Folder, r *fit.Result) error {
	n, trials, m := min(f.Predictive, len(s.draws.Chains)*s.draws.Len()), r.Trials(), f.Spec.Model
	s.Group(group, s.attributes)
	s.Ints(group, chainDim, chainDim, 1, func(i int) int { return i })
	s.Ints(group, drawDim, drawDim, n, func(i int) int { return i })
	s.Ints(group, trialDim, trialDim, trials, r.Row)
	array := func(name string) *zarr.Array {
		return s.Array(group, name, zarr.Float, []string{chainDim, drawDim, trialDim}, []int{1, n, trials}, []int{1, 1, trials})
	}
	var times, choices *zarr.Array
	if j := m.TimeColumn(); j >= 0 {
		times = array(m.Trials[j])
	}
	if m.Choice != "" {
		choices = array(m.Choice)
	}
	return r.Predictor(f.Simulator, f.Seed).Each(ctx, s.draws, n, func(draw int, rt, choice []float64) error {
		put := func(a *zarr.Array, x []float64) {
			if a == nil {
				return
			}
			a.Put([]int{0, draw, 0}, func(to []byte, i []int) []byte {
				code := 0.0
				if choice != nil {
					code = choice[i[2]]
				}
				if math.IsNaN(rt[i[2]]) || !r.Answers(i[2], rt[i[2]], code) {
					return zarr.PutFloat(to, math.NaN()) // no response
				}
				return zarr.PutFloat(to, x[i[2]])
			})
		}
		put(times, rt)
		put(choices, choice)
		return nil
	})
}
