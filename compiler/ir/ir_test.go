package ir

import (
	"math"
	"strings"
	"sync"
	"testing"

	"likc/compiler/expr"
)

// twoGroups returns the program of Σ_upper exp(v·rt) + N_lower·v with support v < rt, over parameters v and a.
func twoGroups() *Program {
	b := NewBuilder()
	rt := b.Add(Value{Kind: Column})
	v := b.Add(Value{Kind: Param, Index: 0})
	zero, one := b.Num(0), b.Num(1)
	e := b.Apply(expr.Exp, b.Apply(expr.Mul, v, rt))
	up := b.Add(Value{Kind: Total, Group: 0}, e)
	dup := b.Add(Value{Kind: Total, Group: 0}, b.Apply(expr.Mul, rt, e))
	n := b.Add(Value{Kind: Total, Group: 1}, one)
	low := b.Apply(expr.Mul, n, v)
	least := [2]ID{b.Add(Value{Kind: Least, Group: 0}, rt), b.Add(Value{Kind: Least, Group: 1}, rt)}
	return &Program{
		Model: "two", Params: []expr.Param{{Name: "v"}, {Name: "a"}}, Trials: []string{"rt"}, Choice: "c", Values: b.Values(),
		Groups: []Group{
			{Name: expr.Upper, Choice: 1, LogLik: up, Grad: []ID{dup, zero}, Support: []Cond{{v, least[0]}}},
			{Name: expr.Lower, Choice: -1, LogLik: low, Grad: []ID{n, zero}, Support: []Cond{{v, least[1]}}},
		},
	}
}

func TestBoundAgainstDirectSums(t *testing.T) {
	n := 3*block + 17 // three whole blocks and a shorter one
	rt, choice := make([]float64, n), make([]float64, n)
	want, slope := 0.0, 0.0
	v := 0.3
	for i := range rt {
		rt[i] = 0.4 + float64(i%101)/50
		choice[i] = float64(1 - 2*(i%3%2))
		if choice[i] > 0 {
			want += math.Exp(v * rt[i])
			slope += rt[i] * math.Exp(v*rt[i])
		} else {
			want += v
			slope++
		}
	}
	b, err := Bind(twoGroups(), [][]float64{rt}, choice)
	if err != nil {
		t.Fatal(err)
	}
	grad := []float64{9, 9}
	got := b.LogLikGrad([]float64{v, 1}, grad)
	if !(math.Abs(got-want) <= 1e-11*want) || !(math.Abs(grad[0]-slope) <= 1e-11*slope) || grad[1] != 0 {
		t.Errorf("got %v %v, want %v [%v 0]", got, grad, want, slope)
	}
	if b.LogLik([]float64{v, 1}) != got {
		t.Error("LogLik differs from LogLikGrad's value")
	}
	if b.N() != n || b.Dim() != 2 {
		t.Errorf("N %d, Dim %d", b.N(), b.Dim())
	}
}

func TestEmptyGroupContributesNothing(t *testing.T) {
	b, err := Bind(twoGroups(), [][]float64{{0.5, 0.6}}, []float64{-1, -1})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.LogLik([]float64{0.25, 1}); got != 0.5 {
		t.Errorf("got %v, want 0.5", got)
	}
	if got := b.LogLik([]float64{0.5, 1}); !math.IsInf(got, -1) {
		t.Errorf("at the edge of the support: %v, want -Inf", got)
	}
}

func TestBoundIsConcurrent(t *testing.T) {
	b, err := Bind(twoGroups(), [][]float64{{0.5, 0.6, 0.9}}, []float64{-1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	want := b.LogLik([]float64{0.3, 1})
	var wg sync.WaitGroup
	for i := 0; i < 8; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := 0; k < 100; k++ {
				if got := b.LogLik([]float64{0.3, 1}); got != want {
					t.Errorf("got %v, want %v", got, want)
				}
			}
		}()
	}
	wg.Wait()
}

func TestBindErrors(t *testing.T) {
	tests := []struct {
		columns [][]float64
		choice  []float64
		want    string
	}{
		{nil, []float64{1}, "0 columns for a model with 1 trial columns"},
		{[][]float64{{1}}, nil, "the choice column does not match the model"},
		{[][]float64{{1, 2}}, []float64{1}, "columns of"},
	}
	for _, test := range tests {
		if _, err := Bind(twoGroups(), test.columns, test.choice); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %q", err, test.want)
		}
	}
}

func TestVerifyFinds(t *testing.T) {
	tests := map[string]func(p *Program){
		"is not computed before it":    func(p *Program) { p.Values[4].Args = []ID{9, 0} },
		"arguments, want":              func(p *Program) { p.Values[4].Args = nil },
		"index 7 out of range":         func(p *Program) { p.Values[0].Index = 7 },
		"group 5 out of range":         func(p *Program) { p.Values[6].Group = 5 },
		"depends on a sum over trials": func(p *Program) { p.Values = append(p.Values, Value{Kind: Apply, Op: expr.Mul, Args: []ID{0, 6}}) },
		"a sum of one number":          func(p *Program) { p.Values[6].Args = []ID{1} },
		"derivatives for 2 parameters": func(p *Program) { p.Groups[0].Grad = nil },
		"is not one number a dataset":  func(p *Program) { p.Groups[0].LogLik = 0 },
		"sum cannot be applied":        func(p *Program) { p.Values[4] = Value{Kind: Apply, Op: expr.Sum, Args: []ID{0}} },
	}
	for want, spoil := range tests {
		p := twoGroups()
		if err := Verify(p); err != nil {
			t.Fatal(err)
		}
		spoil(p)
		if err := Verify(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestKernelSignature: loops that differ only in their inputs have the same signature.
func TestKernelSignature(t *testing.T) {
	b := NewBuilder()
	rt := b.Add(Value{Kind: Column})
	v, a := b.Add(Value{Kind: Param, Index: 0}), b.Add(Value{Kind: Param, Index: 1})
	loop := func(group int, x ID, op expr.Op) ID {
		return b.Add(Value{Kind: Total, Group: group}, b.Apply(op, b.Apply(expr.Mul, rt, x)))
	}
	zero := b.Num(0)
	p := &Program{Params: []expr.Param{{Name: "v"}, {Name: "a"}}, Trials: []string{"rt"}, Groups: []Group{
		{Name: "upper", LogLik: loop(0, v, expr.Exp), Grad: []ID{zero, zero}},
		{Name: "lower", LogLik: loop(1, a, expr.Exp), Grad: []ID{zero, zero}},
		{Name: "third", LogLik: loop(2, a, expr.Log), Grad: []ID{zero, zero}},
	}}
	p.Values = b.Values()
	k := Kernels(p, Analyse(p), p.Live(p.Roots()))
	if k[0].Signature(p) != k[1].Signature(p) {
		t.Errorf("%s and %s differ", k[0].Signature(p), k[1].Signature(p))
	}
	if k[0].Signature(p) == k[2].Signature(p) {
		t.Error("exp and log have the same signature")
	}
}

func TestStages(t *testing.T) {
	p := twoGroups()
	text := p.String()
	for _, want := range []string{"data:\n\t%0[] = rt\n", "prologue:\n\t%1 = v\n", "body:\n\t%4[] = mul %0 %1\n\t%5[] = exp %4\n", "epilogue:\n\t%6 = sum[upper] %5\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestSumsAreCompensated: after large terms have cancelled, the sum still has the small terms that were added to them.
func TestSumsAreCompensated(t *testing.T) {
	for _, terms := range [][]float64{{1e16, 1, -1e16, 1}, {1, 1e16, 1, -1e16}, {1, 1e100, 1, -1e100}} {
		a := newAccumulator(Total)
		size := 0.0
		for _, x := range terms {
			a.add(x)
			size += math.Abs(x)
		}
		if a.value() != 2 || a.terms != size {
			t.Errorf("the sum of %v is %v, of their sizes %v", terms, a.value(), a.terms)
		}
	}
	a := newAccumulator(Total)
	a.add(math.Inf(-1))
	a.add(3)
	if !math.IsInf(a.value(), -1) {
		t.Errorf("-Inf and 3 are %v", a.value())
	}
	least := newAccumulator(Least)
	for _, x := range []float64{5, -2, 7} {
		least.add(x)
	}
	if least.value() != -2 {
		t.Errorf("the least is %v", least.value())
	}
}

// TestProgramsArePrintedByName: a printed program begins with the name of its model.
func TestProgramsArePrintedByName(t *testing.T) {
	if text := (&Program{Model: "wald"}).String(); !strings.HasPrefix(text, "program wald\n") {
		t.Error(text)
	}
}
