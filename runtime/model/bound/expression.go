package bound

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"likc/compiler"
	"likc/compiler/expr"
	"likc/compiler/facts"
	"likc/compiler/ir"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/load"
	"likc/runtime/num/tabulate"
	"likc/runtime/sys/store"
)

// Engine is a way to evaluate an expression.
type Engine string

// These are the engines. Tree and IR are interpreters: of the model as written, trial by trial, and of the compiled program. Go is
// the compiled package, either linked in or built and loaded. Tabled is the same package, where every sum that depends on one
// parameter comes from a table. Auto is Go as a plugin; where plugins do not work, it is Go in another process for sums that are worth it,
// and otherwise, or if the package cannot be built, an interpreter. Ready is the best engine that needs no building.
const (
	Auto   Engine = ""
	Ready  Engine = "ready"
	Tree   Engine = "tree"
	IR     Engine = "ir"
	Go     Engine = "go"
	Tabled Engine = "bound"
)

// Names returns the engines that a user may choose.
func Names() []string { return []string{string(Tree), string(IR), string(Tabled), string(Go)} }

// Parse parses the name of an engine; "" is Auto.
func Parse(name string) (Engine, error) {
	if name != "" && !slices.Contains(Names(), name) {
		return "", fmt.Errorf("%s: want tree, ir, bound or go", name)
	}
	return Engine(name), nil
}

// bind binds trials to a sum.
type bind func(columns [][]float64, choice []float64) (kernel.Sum, error)

// expression is the kernel of an expression: sums by an engine, rows by the interpreter.
type expression struct {
	model   *expr.Model
	engine  Engine
	bind    bind                        // makes sums
	tables  tables                      // when a compiled sum uses tables
	program func() (*rowProgram, error) // compiles the program that interprets rows
	loaded  resource                    // set or process that was loaded for this expression; nil for none

	mutex sync.Mutex
	wider map[string]*expression // expressions in which columns replace parameters, by the numbers of columns
}

// tables says when a compiled sum uses tables.
type tables int

// A sum uses tables by its package's own rule, or if each choice has fewTrials trials, or always.
const (
	byPackage tables = iota
	fromFew
	always
)

// fewTrials is the smallest number of trials in each group for which likelihoods of a batch use tables. It is below
// [ir.TableTrials]: a fit evaluates thousands of gradients, so tables pay off sooner than for a likelihood that may be evaluated
// once.
const fewTrials = 24

// use makes a compiled sum use tables, if it should.
func (t tables) use(lik kernel.Sum, choice []float64) {
	if t == always || t == fromFew && choice != nil && rarest(choice) >= fewTrials {
		if sum, ok := lik.(interface{ UseTables(on bool) }); ok {
			sum.UseTables(true)
		}
	}
}

// rarest returns the number of trials of the rarest choice that occurs; 0 if only one choice occurs.
func rarest(choice []float64) int {
	counts := map[float64]int{}
	for _, c := range choice {
		counts[c]++
	}
	least := len(choice)
	for _, n := range counts {
		least = min(least, n)
	}
	if len(counts) < 2 {
		return 0
	}
	return least
}

// with returns the kernel of an expression whose sums come from bind.
func with(m *expr.Model, bind bind) *expression {
	return &expression{model: m, bind: bind, program: programOf(m), wider: map[string]*expression{}}
}

// newExpression prepares an expression for an engine.
func newExpression(ctx context.Context, m *catalog.Model, e Engine) (x *expression, err error) {
	x = with(m.Model, nil)
	x.engine = e
	switch {
	case e == Tree:
		tree := compiler.NewTreeBinder(m.Model)
		x.bind = func(columns [][]float64, choice []float64) (kernel.Sum, error) {
			return orNil(tree.Bind(columns, choice))
		}
	case e == IR:
		x.bind, err = interpreted(m)
	case isLinked(m):
		x.from(load.Registered(), m.Name)
	case e == Ready:
		x.bind, err = interpreted(m, ir.WithTables(newTable), ir.InBlocks())
	default:
		all, err := buildExpressions(ctx, e, newPart(m, compiler.Options{}))
		if err != nil {
			return nil, err
		}
		return all[0], nil
	}
	return x, err
}

// buildExpressions prepares expressions whose packages have to be built, all in one build, for one of the engines Auto, Go and Tabled. The
// first one holds what was loaded.
func buildExpressions(ctx context.Context, e Engine, models ...part) (all []*expression, err error) {
	var set load.Set
	if e == Auto {
		set, err = buildPlugin(ctx, models...)
	} else {
		set, err = buildSet(ctx, models...)
	}
	if err != nil && (e != Auto || ctx.Err() != nil || errors.Is(err, store.ErrUntrusted)) {
		return nil, cmp.Or(ctx.Err(), err)
	}
	p := &process{start: func() (load.Set, error) { return buildHarness(ctx, models...) }}
	for _, m := range models {
		x := with(m.Model.Model, nil)
		if x.engine = e; set != nil {
			x.from(set, m.Name)
		} else if x.bind, err = p.orInterpreted(m); err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	if all[0].loaded = set; set == nil {
		all[0].loaded = p
	}
	return all, nil
}

// from makes the expression use a package of a set.
func (x *expression) from(set load.Set, name string) {
	x.bind = func(columns [][]float64, choice []float64) (kernel.Sum, error) {
		return set.Bind(name, columns, choice)
	}
	if x.engine == Tabled {
		x.tables = always
	}
}

// interpreted compiles a model to a program and interprets that.
func interpreted(m *catalog.Model, options ...ir.Option) (bind, error) {
	u, err := compiler.Compile(m.Model, compiler.Options{})
	if err != nil {
		return nil, err
	}
	return interpret(u.Program, options...), nil
}

func interpret(p *ir.Program, options ...ir.Option) bind {
	return func(columns [][]float64, choice []float64) (kernel.Sum, error) {
		return orNil(ir.Bind(p, columns, choice, options...))
	}
}

// orNil returns a nil interface for a nil pointer.
func orNil[L kernel.Sum](lik L, err error) (kernel.Sum, error) {
	if err != nil {
		return nil, err
	}
	return lik, nil
}

// newTable returns a table for the interpreter. Its parts are built when they are first visited, so results depend only on theta.
func newTable(k int, lo, hi float64, edge ir.Edge, sum func(psi, value, abs []float64)) ir.Table {
	edges := [...]tabulate.Edge{ir.NoEdge: tabulate.NoEdge, ir.EdgeHi: tabulate.EdgeHi, ir.EdgeLo: tabulate.EdgeLo}
	return tabulate.NewTable(k, tabulate.Domain{Lo: lo, Hi: hi, Edge: edges[edge], Visits: 1}, sum)
}

// Dim returns the number of parameters.
func (x *expression) Dim() int { return len(x.model.Params) }

// Sum binds trials to the engine.
func (x *expression) Sum(t kernel.Trials) (kernel.Sum, error) {
	lik, err := x.bind(t.Columns, t.Choice)
	if err == nil {
		x.tables.use(lik, t.Choice)
	}
	return lik, err
}

// Rows binds trials to the interpreter of rows.
func (x *expression) Rows(t kernel.Trials) (kernel.Rows, error) {
	p, err := x.program()
	if err != nil {
		return nil, err
	}
	return p.bind(t.Columns, t.Choice)
}

// SumColumns binds trials to the expression with linear combinations in place of parameters. They are compiled with the model, so
// that sums over trials are computed once where algebra allows it.
func (x *expression) SumColumns(t kernel.Trials, columns [][][]float64) (kernel.Sum, error) {
	counts, all := make([]int, len(columns)), slices.Clone(t.Columns)
	for j := range columns {
		counts[j] = len(columns[j])
		all = append(all, columns[j]...)
	}
	wider, err := x.withColumns(counts)
	if err != nil {
		return nil, err
	}
	lik, err := wider.Sum(kernel.Trials{Columns: all, Choice: t.Choice})
	if err == nil {
		fromFew.use(lik, t.Choice)
	}
	return lik, err
}

// TakenOnce reports whether the sum needs no loop over trials: it is made of sums that do not depend on parameters, or on one
// parameter each and so come from tables.
func (x *expression) TakenOnce(columns []int) (bool, error) {
	m := x.model
	if columns != nil {
		var err error
		if m, err = withColumns(m, columns); err != nil {
			return false, err
		}
	}
	u, err := compiler.Compile(m, compiler.Options{})
	if err != nil {
		return false, err
	}
	tier := facts.Of(u).Tier
	return tier == ir.Constant || tier == ir.Tabulated, nil
}

// withColumns returns the expression with the given number of columns for each parameter. It is prepared at the first call.
func (x *expression) withColumns(counts []int) (*expression, error) {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	key := fmt.Sprint(counts)
	if wider, ok := x.wider[key]; ok {
		return wider, nil
	}
	m, err := withColumns(x.model, counts)
	if err != nil {
		return nil, err
	}
	wider, err := newExpression(context.Background(), catalog.OfExpression(m), x.engine)
	if err == nil {
		x.wider[key] = wider
	}
	return wider, err
}

// Slow returns the reason why the expression is interpreted although Auto prefers its package; nil if it is not.
func (x *expression) Slow() error {
	if p, ok := x.loaded.(*process); ok {
		return p.Slow()
	}
	return nil
}

// Err says why evaluations in another process failed.
func (x *expression) Err() error {
	if x.loaded == nil {
		return nil
	}
	return x.loaded.Err()
}

// Close releases the loaded package or process.
func (x *expression) Close() error {
	var all []error
	for _, wider := range x.wider {
		all = append(all, wider.Close())
	}
	if x.loaded != nil {
		all = append(all, x.loaded.Close())
	}
	return errors.Join(all...)
}
