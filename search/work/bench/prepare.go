package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"likc/compiler/build"
	"likc/compiler/expr"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/neural/lan"
	"likc/runtime/model/ssm"
	"likc/runtime/sys/store"
	"likc/runtime/sys/version"
)

// process is the process from which trials are simulated, at its example parameters. Its density is the exact baseline.
var process = ssm.DDM

// Process is the name of the process from which trials are simulated, and of the exact density in the rows.
var Process = process.Name

// Interpolated is the model's name in the rows of the network that is evaluated on a grid of times and interpolated.
var Interpolated = process.Name + " interpolated"

// prepared holds everything that is ready to be bound to trials.
type prepared struct {
	Settings
	result   *Result
	binders  []*bound.Prepared // the prepared models; nil for a model that is not timed
	programs []*build.Artifact // the models' programs in C; nil for a model that is not timed
	network  *lan.Network      // nil if the network is not timed
	rt       []float64         // response times of the largest size; smaller sizes use the first ones
	choice   []float64
	other    map[string][]float64 // further columns by name
	missing  []missing            // engines that do not time some models
}

// missing is an engine that does not time some models, with the reason.
type missing struct {
	engine, why string
	models      []string
}

// lacks records that a model is not timed with an engine.
func (p *prepared) lacks(model, engine, why string) {
	for i, m := range p.missing {
		if m.engine == engine && m.why == why {
			if !slices.Contains(m.models, model) {
				p.missing[i].models = append(m.models, model)
			}
			return
		}
	}
	p.missing = append(p.missing, missing{engine, why, []string{model}})
}

func (p *prepared) addNote(format string, args ...any) {
	if p.Note != nil {
		p.Note(fmt.Sprintf(format, args...))
	}
}

func (p *prepared) noteMissing() {
	for _, m := range p.missing {
		p.addNote("%s is not timed for %s: %s", m.engine, strings.Join(m.models, ", "), m.why)
	}
}

// prepare simulates trials, builds packages that are not linked in, compiles C and reads the network.
func prepare(ctx context.Context, s Settings) (*prepared, error) {
	p := &prepared{Settings: s, binders: make([]*bound.Prepared, len(s.Models)), programs: make([]*build.Artifact, len(s.Models)),
		result: &Result{CPU: version.Machine(), Compiler: compiler(), Clock: s.ClockName, Sizes: s.Sizes}}
	for _, m := range s.Models {
		p.result.Models = append(p.result.Models, m.Name)
	}
	if err := p.simulate(slices.Max(s.Sizes)); err != nil {
		return nil, err
	}
	for i := range s.Models {
		if err := p.build(ctx, i); err != nil {
			p.close()
			return nil, err
		}
	}
	if p.wants(LAN) {
		if err := p.readNetwork(); err != nil {
			p.close()
			return nil, err
		}
	}
	return p, nil
}

// build builds one model's package and its program in C. If the C program cannot be compiled, it only records that.
func (p *prepared) build(ctx context.Context, i int) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if slices.ContainsFunc(packaged, p.wants) {
		if p.binders[i], err = bound.Prepare(ctx, p.Models[i], bound.Go); err != nil {
			return err
		}
	}
	switch {
	case p.wants(GCC) && p.Models[i].Normalise:
		p.lacks(p.Models[i].Name, GCC, "it is normalised, and bench writes no integral in C")
	case p.wants(GCC):
		if p.programs[i], err = compileProgram(ctx, p.Models[i]); err != nil {
			p.lacks(p.Models[i].Name, GCC, err.Error())
		}
	}
	return nil
}

// simulate draws n trials of the process. Columns that the process does not have get standard normal numbers, or their exponentials
// if they must be positive.
func (p *prepared) simulate(n int) error {
	p.rt, p.choice = make([]float64, n), make([]float64, n)
	if err := process.Simulate(ssm.NewRand(seed, 0), process.Example, ssm.ExactScheme(), p.rt, p.choice); err != nil {
		return err
	}
	p.other = map[string][]float64{}
	for _, m := range p.Models {
		for _, name := range m.Trials {
			if name == catalog.ResponseTime || p.other[name] != nil {
				continue
			}
			rng := rand.New(rand.NewPCG(seed, uint64(len(p.other))+1))
			x := make([]float64, n)
			for k := range x {
				if x[k] = rng.NormFloat64(); m.IsPositive(name) {
					x[k] = math.Exp(x[k])
				}
			}
			p.other[name] = x
		}
	}
	return nil
}

// readNetwork reads the network's weights from the named file, or from the usual folder.
func (p *prepared) readNetwork() error {
	path := p.Network
	if path == "" {
		if path = findNetwork(); path == "" {
			p.addNote("lan is not timed: no weights found; name a file with --lan")
			return nil
		}
	}
	r, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("--lan %s: %w", path, store.Cause(err))
	}
	defer r.Close()
	if p.network, err = lan.Read(r); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if p.network.Dim() != process.Dim() || p.network.Model != process.Name {
		return fmt.Errorf("%s: a network of %s; want one of %s", path, p.network.Model, process.Name)
	}
	return nil
}

// findNetwork returns the path of the pretrained network if the program runs in the folder of likc's source code, otherwise "".
func findNetwork() string {
	path := filepath.Join("testdata", "reference", "networks", "lan_ddm.json")
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

func (p *prepared) close() {
	for _, binder := range p.binders {
		if binder != nil {
			binder.Close()
		}
	}
}

// columns returns the first n trials in the form that a model needs.
func (p *prepared) columns(m *expr.Model, n int) (columns [][]float64, choice []float64) {
	for _, name := range m.Trials {
		if name == catalog.ResponseTime {
			columns = append(columns, p.rt[:n])
		} else {
			columns = append(columns, p.other[name][:n])
		}
	}
	switch {
	case m.Choice == "":
	case m.Choices > 0: // choices are numbered from 0
		choice = make([]float64, n)
		for k, c := range p.choice[:n] {
			choice[k] = max(c, 0)
		}
	default:
		choice = p.choice[:n]
	}
	return columns, choice
}

// truth returns the process's example values for parameters with the same names, and the middle of the range for others.
func truth(m *expr.Model) []float64 {
	theta := make([]float64, len(m.Params))
	for i, param := range m.Params {
		theta[i] = (param.Lower + param.Upper) / 2
		if k := process.Index(param.Name); k >= 0 && process.Example[k] >= param.Lower && process.Example[k] <= param.Upper {
			theta[i] = process.Example[k]
		}
	}
	return theta
}
