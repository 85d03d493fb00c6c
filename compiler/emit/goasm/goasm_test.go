package goasm

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"likc/compiler"
	"likc/compiler/emit"
	"likc/compiler/emit/goasm/lane"
	"likc/compiler/expr"
	"likc/compiler/expr/exprtest"
	"likc/compiler/ir"
	"likc/compiler/syntax"
	"likc/testdata"
)

// moderate is the largest number of values of a built-in loop that this package tests. The tests of emitted packages cover longer loops.
const moderate = 200

// builtins returns the loops of the built-in models that can be assembled, each once. Without LIKC_LONG it takes one size of each race.
func builtins(t testing.TB) []Loop {
	t.Helper()
	if len(builtinLoops) > 0 {
		return builtinLoops
	}
	var loops []Loop
	seen := map[string]bool{}
	for _, name := range testdata.ModelNames() {
		if os.Getenv("LIKC_LONG") == "" && otherSizes.MatchString(name) {
			continue
		}
		text, _ := testdata.Model(name)
		models, err := syntax.Read(name+".lik", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []compiler.Options{{}, {NoSeparate: true}} {
			u, err := compiler.Compile(models[0], o)
			if err != nil {
				t.Fatal(err)
			}
			loops = append(loops, loopsOf(u.Program, len(loops), seen)...)
		}
	}
	builtinLoops = loops
	return loops
}

// otherSizes matches the races of which another size is tested.
var otherSizes = regexp.MustCompile(`^(lnr[24]|lba[34]|rdm[34])$`)

// builtinLoops is what builtins returned.
var builtinLoops []Loop

// loopsOf returns the distinct loops of a program that can be assembled, numbered from first.
func loopsOf(p *ir.Program, first int, seen map[string]bool) []Loop {
	var loops []Loop
	for _, roots := range [][]ir.ID{p.ValueRoots(), p.Roots()} {
		for _, k := range ir.Kernels(p, ir.Analyse(p), p.Live(roots)) {
			if s := k.Signature(p); len(k.Body) <= moderate && !seen[s] && Supports(p, k) == nil {
				seen[s] = true
				loops = append(loops, Loop{Name: fmt.Sprint("loop", first+len(loops)), Program: p, Kernel: k})
			}
		}
	}
	return loops
}

// reference computes the loop's sums in Go, by the operator table. It changes each value at random by up to `shake` units in the last
// place. terms are the sums of the terms' absolute values.
func (l Loop) reference(columns [][]float64, inputs []float64, shake float64, rng *rand.Rand) (sums, terms []float64) {
	value := make([]float64, len(l.Program.Values))
	for i, v := range l.Program.Values {
		value[i] = v.Num
	}
	for i, id := range l.Kernel.Inputs {
		value[id] = inputs[i]
	}
	sums, terms = make([]float64, len(l.Kernel.Outs)), make([]float64, len(l.Kernel.Outs))
	for i, out := range l.Kernel.Outs {
		if l.Program.Values[out].Kind == ir.Least {
			sums[i] = math.Inf(1)
		}
	}
	for i := range columns[0] {
		for j, id := range l.Kernel.Columns {
			value[id] = columns[j][i]
		}
		for _, id := range l.Kernel.Body {
			var x [3]float64
			for j, a := range l.Program.Values[id].Args {
				x[j] = value[a]
			}
			value[id] = evaluate(l.Program.Values[id].Op, x)
			if shake > 0 {
				value[id] *= 1 + shake*(2*rng.Float64()-1)*0x1p-52
			}
		}
		for j, out := range l.Kernel.Outs {
			x := value[l.Program.Values[out].Args[0]]
			if l.Program.Values[out].Kind == ir.Least {
				sums[j] = math.Min(sums[j], x)
			} else {
				sums[j] += x
			}
			terms[j] += math.Abs(x)
		}
	}
	return sums, terms
}

// evaluate returns the operator's value; the assembly that package math has for Log is wrong for subnormal numbers.
func evaluate(op expr.Op, x [3]float64) float64 {
	if (op == expr.Log || op == expr.Logit) && x[0] > 0 && x[0] < 0x1p-1022 {
		return math.Log(x[0]*0x1p60) - 60*math.Ln2
	}
	if op == expr.Log1mExp && x[0] < 0 && x[0] > -0x1p-1022 { // log(1 - exp(x)) is log(-x) there
		return math.Log(-x[0]*0x1p60) - 60*math.Ln2
	}
	return op.Info().Eval(x)
}

// compare returns an error if a sum in got, the results of a request, differs from the reference by more than rounding explains: a few
// units in the last place of each value and of each partial sum.
func (l Loop) compare(r request, got []float64) error {
	rng := rand.New(rand.NewPCG(1, 2))
	want, terms := l.reference(r.Columns, r.Inputs, 0, rng)
	spread, firm := make([]float64, len(want)), make([]bool, len(want))
	for j := range firm {
		firm[j] = true
	}
	for range 6 {
		shaken, _ := l.reference(r.Columns, r.Inputs, 4, rng)
		for j, w := range want {
			firm[j] = firm[j] && (finite(w) && finite(shaken[j]) || same(w, shaken[j]))
			spread[j] = math.Max(spread[j], math.Abs(shaken[j]-w))
		}
	}
	for j, w := range want {
		switch g := got[j]; {
		case !firm[j]: // rounding decides whether it is a number
		case !finite(w):
			if !same(g, w) {
				return fmt.Errorf("sum %d is %v, want %v", j, g, w)
			}
		case !(math.Abs(g-w) <= 8*spread[j]+1e-15*math.Sqrt(float64(len(r.Columns[0])))*terms[j]+5e-324):
			return fmt.Errorf("sum %d is %v, want %v ± %.1e of Σ|terms| %v", j, g, w, 8*spread[j], terms[j])
		}
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func same(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }

// strange are special values that a column may hold besides response times.
var strange = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), -1, 5e-324, 0x1p-1024, 0x1.8p-1023, 0x1p-1022,
	0x1p1021, 0x1.8p1022, math.MaxFloat64, -math.MaxFloat64, 1e-200, 1e200}

// requests draws calls of a loop with 0 to 130 trials, in steps. Every fourth call has one of the strange numbers in a column.
func requests(l Loop, loop, isa, step int, rng *rand.Rand) []request {
	var list []request
	for n := 0; n <= 130; n += step {
		r := request{Loop: loop, ISA: isa, Inputs: make([]float64, len(l.Kernel.Inputs))}
		for i := range r.Inputs {
			r.Inputs[i] = 0.05 + 0.9*rng.Float64()
			if rng.IntN(8) == 0 {
				r.Inputs[i] = 2 - 4*rng.Float64()
			}
		}
		for range l.Kernel.Columns {
			c := make([]float64, n)
			for i := range c {
				c[i] = 0.3 + rng.ExpFloat64()
			}
			if n > 0 && n%4 == 3 {
				c[rng.IntN(n)] = strange[rng.IntN(len(strange))]
			}
			r.Columns = append(r.Columns, c)
		}
		list = append(list, r)
	}
	return list
}

// check compares assembled loops with their references, on every instruction set of this machine.
func check(t *testing.T, loops []Loop, step int) {
	t.Helper()
	compareAll(t, link(t, loops), loops, step)
}

// compareAll compares assembled loops with their references on every instruction set of this machine.
func compareAll(t *testing.T, a assembled, loops []Loop, step int) {
	t.Helper()
	if a.detect == 0 {
		t.Skip("no AVX2")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for i, l := range loops {
		for isa := 1; isa <= a.detect; isa++ {
			list := requests(l, i, isa, step+2*(len(l.Kernel.Body)/50), rng)
			for j, got := range a.run(t, list) {
				if err := l.compare(list[j], got); err != nil {
					t.Errorf("%s of %s, ISA %d, %d trials, inputs %v: %v\n%s", l.Name, l.Program.Model, isa, len(list[j].Columns[0]), list[j].Inputs, err, l.Kernel.Signature(l.Program))
					break
				}
			}
		}
	}
}

// TestBuiltinLoops compares the loops of the built-in models. Without LIKC_LONG every third number of trials is enough: it leaves every
// remainder by the number of lanes.
func TestBuiltinLoops(t *testing.T) {
	step := 3
	if os.Getenv("LIKC_LONG") != "" {
		step = 1
	}
	check(t, builtins(t), step)
}

// TestOperators compares every operator that has vector instructions, at ordinary and at strange numbers.
func TestOperators(t *testing.T) {
	var loops []Loop
	for _, op := range expr.Ops() {
		if operations[op.Info().Lane.Name] == nil {
			continue
		}
		p := program(func(b *ir.Builder, x, y ir.ID) []ir.ID {
			first := b.Apply(expr.Mul, x, y)
			args := []ir.ID{first, x, b.Num(0.75)}
			return []ir.ID{b.Apply(op, args[:op.Info().Arity]...)}
		})
		loops = append(loops, loopsOf(p, len(loops), map[string]bool{})...)
	}
	if len(loops) != len(operations) {
		t.Errorf("%d loops of %d operations", len(loops), len(operations))
	}
	check(t, loops, 1)
}

// TestTwins compares a loop in which one operation computes a sine and a cosine.
func TestTwins(t *testing.T) {
	loops := loopsOf(program(func(b *ir.Builder, x, y ir.ID) []ir.ID {
		angle := b.Apply(expr.Mul, x, y)
		sin, cos := b.Apply(expr.Sin, angle), b.Apply(expr.Cos, angle)
		return []ir.ID{b.Apply(expr.Mul, x, sin), cos}
	}), 0, map[string]bool{})
	if n := len(twins(loops[0].Program, loops[0].Kernel)); n != 2 {
		t.Errorf("%d values are computed with another, want 2", n)
	}
	check(t, loops, 1)
}

// TestReciprocals checks estimated reciprocals at the limits of float64, also in a loop whose sum would not show a NaN.
func TestReciprocals(t *testing.T) {
	loops := loopsOf(program(func(b *ir.Builder, x, y ir.ID) []ir.ID {
		inverse := b.Apply(expr.Inv, b.Apply(expr.Mul, x, y))
		return []ir.ID{inverse, b.Apply(expr.Mul, x, inverse), b.Apply(expr.Mul, x, b.Apply(expr.Div, y, x))}
	}), 0, map[string]bool{})
	loops = append(loops, loopsOf(program(func(b *ir.Builder, x, y ir.ID) []ir.ID {
		return []ir.ID{b.Apply(expr.Less, b.Apply(expr.Inv, b.Apply(expr.Mul, x, y)), y)}
	}), 1, map[string]bool{})...)
	a := link(t, loops)
	if a.detect == 0 {
		t.Skip("no AVX2")
	}
	for isa := 1; isa <= a.detect; isa++ {
		var list []request
		for _, s := range strange {
			for at := range 128 {
				c := make([]float64, 64)
				for i := range c {
					c[i] = 2 + float64(i) // so that rounding decides no comparison
				}
				c[at/2] = s
				list = append(list, request{Loop: at % 2, ISA: isa, Columns: [][]float64{c}, Inputs: []float64{1}})
			}
		}
		for j, got := range a.run(t, list) {
			if err := loops[list[j].Loop].compare(list[j], got); err != nil {
				t.Errorf("loop %d, ISA %d, %v: %v", list[j].Loop, isa, list[j].Columns[0], err)
			}
		}
	}
}

// program returns a program of one group: the sums of terms over a column x, with a parameter y.
func program(terms func(b *ir.Builder, x, y ir.ID) []ir.ID) *ir.Program {
	b := ir.NewBuilder()
	x, y := b.Add(ir.Value{Kind: ir.Column}), b.Add(ir.Value{Kind: ir.Param})
	p := &ir.Program{Model: "test", Params: []expr.Param{{Name: "y"}}, Trials: []string{"x"}}
	g := ir.Group{LogLik: b.Num(0), Grad: []ir.ID{b.Num(0)}}
	for _, term := range terms(b, x, y) {
		g.LogLik = b.Apply(expr.Add, g.LogLik, b.Add(ir.Value{Kind: ir.Total}, term))
	}
	p.Groups, p.Values = []ir.Group{g}, b.Values()
	return p
}

// TestLeast compares a loop that computes a minimum over trials.
func TestLeast(t *testing.T) {
	b := ir.NewBuilder()
	x, y := b.Add(ir.Value{Kind: ir.Column}), b.Add(ir.Value{Kind: ir.Param})
	product := b.Apply(expr.Mul, x, y)
	ids := []ir.ID{b.Add(ir.Value{Kind: ir.Least}, product), b.Add(ir.Value{Kind: ir.Total}, b.Apply(expr.Inv, product))}
	p := &ir.Program{Model: "least", Params: []expr.Param{{Name: "y"}}, Trials: []string{"x"},
		Groups: []ir.Group{{LogLik: b.Apply(expr.Add, ids[0], ids[1]), Grad: []ir.ID{b.Num(0)}}}, Values: b.Values()}
	loops := loopsOf(p, 0, map[string]bool{})
	if len(loops) != 1 {
		t.Fatalf("%d loops", len(loops))
	}
	check(t, loops, 1)
}

// TestEveryPlan assembles one loop by every plan that fits, so that plans with few registers are run too.
func TestEveryPlan(t *testing.T) {
	var l Loop
	for _, m := range builtins(t) {
		if m.Program.Model == "entangled" && len(m.Kernel.Outs) > 3 {
			l = m
		}
	}
	var loops []Loop
	var plans [][]plan
	for i := range candidates(l, lane.AVX512) {
		var fitted []plan
		for j, isa := range isas {
			p, err := l.fit(isas[j:j+1], candidates(l, isa)[min(i, len(candidates(l, isa))-1):])
			if err != nil {
				t.Fatal(err)
			}
			fitted = append(fitted, p)
		}
		l.Name = fmt.Sprint("plan", i)
		loops, plans = append(loops, l), append(plans, fitted)
	}
	files, err := emitPlans(emit.Config{Package: "main", Source: "test.lik"}, loops, plans)
	if err != nil {
		t.Fatal(err)
	}
	compareAll(t, linkFiles(t, loops, files), loops, 3)
}

// TestRandomLoops assembles the loops of random models.
func TestRandomLoops(t *testing.T) {
	models := 12
	if os.Getenv("LIKC_LONG") != "" {
		models = 300
	}
	gen := exprtest.Model(append(exprtest.Searchable(), expr.Const, expr.Neg, expr.Abs, expr.Inv, expr.FMA, expr.Log1p, expr.Expm1, expr.Erf, expr.Min,
		expr.Max, expr.Less, expr.Sign, expr.Sigmoid, expr.Logit, expr.Softplus, expr.LogAddExp, expr.Tanh, expr.Erfc, expr.NormCDF,
		expr.LogNormCDF, expr.InverseMills, expr.Log1mExp), 30)
	var loops []Loop
	seen := map[string]bool{}
	for seed := range models {
		m := gen.Example(seed)
		u, err := compiler.Compile(m, compiler.Options{NoSeparate: seed%2 == 0})
		if err != nil {
			continue
		}
		loops = append(loops, loopsOf(u.Program, len(loops), seen)...)
	}
	if len(loops) < models/4 {
		t.Fatalf("only %d loops of %d models", len(loops), models)
	}
	check(t, loops, 9)
}

func TestUnsupported(t *testing.T) {
	tests := map[string]*ir.Program{
		"cosh: no lane sequence": program(func(b *ir.Builder, x, y ir.ID) []ir.ID {
			return []ir.ID{b.Apply(expr.Cosh, b.Apply(expr.Mul, x, y))}
		}),
		"there is no loop over trials": program(func(b *ir.Builder, x, y ir.ID) []ir.ID { return []ir.ID{x} }),
	}
	for want, p := range tests {
		k := ir.Kernels(p, ir.Analyse(p), p.Live(p.Roots()))[0]
		err := Supports(p, k)
		var u *Unsupported
		if !errors.As(err, &u) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestManyColumns: columns that have no register for their addresses are read too.
func TestManyColumns(t *testing.T) {
	p := manyColumns(20)
	loops := loopsOf(p, 0, map[string]bool{})
	if len(loops) != 1 {
		t.Fatalf("%d loops with assembly, want 1", len(loops))
	}
	check(t, loops, 5)
}

// manyColumns returns a program for the sum over trials of y·(x0·x1·…), with n columns.
func manyColumns(n int) *ir.Program {
	b := ir.NewBuilder()
	product := b.Add(ir.Value{Kind: ir.Param})
	p := &ir.Program{Model: "many", Params: []expr.Param{{Name: "y"}}}
	for i := range n {
		p.Trials = append(p.Trials, fmt.Sprint("x", i))
		product = b.Apply(expr.Mul, product, b.Add(ir.Value{Kind: ir.Column, Index: i}))
	}
	sum := b.Add(ir.Value{Kind: ir.Total}, product)
	p.Groups, p.Values = []ir.Group{{LogLik: sum, Grad: []ir.ID{b.Num(0)}}}, b.Values()
	return p
}

func TestDeterministic(t *testing.T) {
	loops := builtins(t)
	var first []emit.File
	for range 2 {
		files, err := Emit(emit.Config{Package: "p", Source: "a.lik"}, loops)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = files
		}
		for i := range files {
			if !bytes.Equal(files[i].Data, first[i].Data) {
				t.Errorf("%s differs from one time to the next", files[i].Name)
			}
			if !strings.HasPrefix(string(files[i].Data), "// Code generated by likc from a.lik; DO NOT EDIT.\n") {
				t.Errorf("%s begins otherwise: %.60s", files[i].Name, files[i].Data)
			}
		}
	}
}
