package bench

import (
	"context"
	"errors"
	"fmt"
	"likc/cmd/likc/internal/cli"
	"likc/compiler/build"
	"likc/compiler/expr"
	"likc/runtime/catalog"
	"likc/runtime/engine"
	"likc/runtime/neural/lan"
	"likc/runtime/ssm"
	"likc/runtime/timing"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	benchSeed   = 1
	benchSpread = 0.02 // evaluations are at points that differ from the truth by up to this share
	benchPoints = 64   // of which there are so many
	lanAccuracy = 1e-5 // a trial, of the interpolated network
	agreement   = 1e-8 // a trial: engines that differ by more compute different things
)

// benchProcess is the process that trials are simulated from, at its example; its density is timed too.
var benchProcess = ssm.DDM

// field is everything that is ready to be bound to trials.
type field struct {
	*benchmark
	binders []*engine.Binder  // of the models; nil: not timed
	peers   []*build.Artifact // of the models; nil: not timed
	network *lan.Network
	rt      []float64
	choice  []float64
	other   map[string][]float64 // columns by name
	missing []missing
}

// missing is an engine that some models do without, and why.
type missing struct {
	engine, why string
	models      []string
}

// lacks takes down that a model is not timed by an engine.
func (f *field) lacks(model, engine string, why error) {
	for i, m := range f.missing {
		if m.engine == engine && m.why == why.Error() {
			if !slices.Contains(m.models, model) {
				f.missing[i].models = append(m.models, model)
			}
			return
		}
	}
	f.missing = append(f.missing, missing{engine, why.Error(), []string{model}})
}

// noteMissing says what was not timed.
func (f *field) noteMissing() {
	for _, m := range f.missing {
		f.note("%s is not timed for %s: %s", m.engine, strings.Join(m.models, ", "), m.why)
	}
}

// prepare simulates trials, builds what is not linked in, compiles C and reads the network. What is missing is noted.
func (b *benchmark) prepare(ctx context.Context) (*field, error) {
	f := &field{benchmark: b, binders: make([]*engine.Binder, len(b.models)), peers: make([]*build.Artifact, len(b.models))}
	if err := f.simulate(b.sizes[len(b.sizes)-1]); err != nil {
		return nil, err
	}
	for i, src := range b.models {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if b.wants("portable") || b.wants("vector") || b.wants("bound") {
			binder, err := engine.Open(src, engine.Go)
			if err != nil {
				return nil, err
			}
			f.binders[i] = binder
		}
		if b.wants("gcc") {
			f.compile(ctx, i)
		}
	}
	if b.wants("lan") {
		return f, f.readNetwork()
	}
	return f, nil
}

// compile compiles one model as C, where that can be done.
func (f *field) compile(ctx context.Context, i int) {
	a, err := compilePeer(ctx, f.models[i])
	if err != nil {
		f.lacks(f.models[i].Name, "gcc", errors.New(cli.OneLine(err)))
		return
	}
	f.peers[i] = a
}

// simulate draws the trials of the largest size; smaller ones take the first of them.
func (f *field) simulate(n int) error {
	f.rt, f.choice = make([]float64, n), make([]float64, n)
	if err := benchProcess.Simulate(ssm.NewRand(benchSeed, 0), benchProcess.Example, ssm.ExactScheme(), f.rt, f.choice); err != nil {
		return err
	}
	f.other = map[string][]float64{}
	for _, src := range f.models {
		for _, name := range src.Trials {
			if name == catalog.ResponseTime || f.other[name] != nil {
				continue
			}
			rng := rand.New(rand.NewPCG(benchSeed, uint64(len(f.other))+1))
			x := make([]float64, n)
			for k := range x {
				x[k] = rng.NormFloat64()
			}
			f.other[name] = x
		}
	}
	return nil
}

// readNetwork reads the weights that are named, or that are where they usually are.
func (f *field) readNetwork() error {
	path := f.benchmark.network
	if path == "" {
		if path = findNetwork(); path == "" {
			f.note("lan is not timed: no weights found; name a file with --lan")
			return nil
		}
	}
	r, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("--lan %s: %w", path, cli.Plain(err))
	}
	defer r.Close()
	if f.network, err = lan.Read(r); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if f.network.Dim() != benchProcess.Dim() || f.network.Model != benchProcess.Name {
		return fmt.Errorf("%s: a network of %s; want one of %s", path, f.network.Model, benchProcess.Name)
	}
	return nil
}

// findNetwork looks in the project, in the folder that LIKC_SHARED names, and beside the project.
func findNetwork() string {
	const name = "lan_ddm.json"
	places := []string{filepath.Join("testdata", "teacher", name), filepath.Join("..", "shared", "data", name)}
	if shared := os.Getenv("LIKC_SHARED"); shared != "" {
		places = append([]string{filepath.Join(shared, "data", name)}, places...)
	}
	for _, path := range places {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}

func (f *field) close() {
	for _, binder := range f.binders {
		if binder != nil {
			binder.Close()
		}
	}
}

// columns are the first n trials as a model wants them.
func (f *field) columns(m *expr.Model, n int) (columns [][]float64, choice []float64) {
	for _, name := range m.Trials {
		if name == catalog.ResponseTime {
			columns = append(columns, f.rt[:n])
		} else {
			columns = append(columns, f.other[name][:n])
		}
	}
	if m.Choice != "" {
		choice = f.choice[:n]
	}
	return columns, choice
}

// benchTheta is the process's example for parameters of its names, and the middle of the range for others.
func benchTheta(m *expr.Model) []float64 {
	theta := make([]float64, len(m.Params))
	for i, p := range m.Params {
		theta[i] = (p.Lower + p.Upper) / 2
		if k := benchProcess.Index(p.Name); k >= 0 && benchProcess.Example[k] >= p.Lower && benchProcess.Example[k] <= p.Upper {
			theta[i] = benchProcess.Example[k]
		}
	}
	return theta
}

// agree says whether two log-likelihoods of n trials are the same but for rounding.
func agree(x, y float64, n int) bool {
	return math.Abs(x-y) <= agreement*(float64(n)+math.Abs(y))
}

// entryName is what errors call a contender.
func entryName(model, engine string, what timing.What) string {
	return fmt.Sprintf("%s, %s, %s", model, engine, what)
}
