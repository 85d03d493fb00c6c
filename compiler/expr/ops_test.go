package expr_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/syntax"
)

var letters = []string{"x", "y", "z"}

// header declares the letters, so that bare expressions over them can be read.
func header(t *testing.T) *expr.Model {
	t.Helper()
	models, err := syntax.Read("header", strings.NewReader("model m { trial x trial y param z in [0, 1] loglik = x }"))
	if err != nil {
		t.Fatal(err)
	}
	return models[0]
}

// application returns op applied to the letters.
func application(op expr.Op) *expr.Expr {
	args := make([]*expr.Expr, op.Info().Arity)
	for i := range args {
		args[i] = expr.Var(letters[i])
	}
	return expr.New(op, args...)
}

// eachOp runs a test for every operator that can be evaluated: all but leaves and sums over trials.
func eachOp(t *testing.T, test func(t *testing.T, op expr.Op, info *expr.Info)) {
	for _, op := range expr.Ops() {
		if info := op.Info(); info.Notation != expr.Leaf && !info.Internal {
			t.Run(op.String(), func(t *testing.T) { test(t, op, info) })
		}
	}
}

func TestRowsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, op := range expr.Ops() {
		info := op.Info()
		if info.Name == "" || seen[info.Name] || op.String() != info.Name {
			t.Errorf("operator %d: name %q is empty, not its String or another's", op, info.Name)
		}
		seen[info.Name] = true
		_, callable := expr.ByName(info.Name)
		if want := info.Notation != expr.Leaf && !info.Internal; callable != want {
			t.Errorf("%v: callable %v, want %v", op, callable, want)
		}
		if !callable && len(info.Spell) > 0 {
			t.Errorf("%v has a spelling, though only the compiler writes it", op)
		}
		if (info.Arity == 0) != (info.Notation == expr.Leaf) || info.Arity > 3 {
			t.Errorf("%v: arity %d", op, info.Arity)
		}
	}
	eachOp(t, func(t *testing.T, op expr.Op, info *expr.Info) {
		if back, _ := expr.ByName(info.Name); back != op {
			t.Errorf("ByName(%q) = %v", info.Name, back)
		}
		if info.Eval == nil || info.Complex == nil || info.Partial == nil || info.Cost <= 0 {
			t.Error("no Eval, Complex, Partial or Cost")
		}
		if info.Searchable && info.Lane.Name == "" {
			t.Error("the search needs a vector lane operation")
		}
		for _, c := range info.Domain {
			if c.Arg >= info.Arity {
				t.Errorf("domain of argument %d of %d", c.Arg, info.Arity)
			}
		}
	})
	if d := expr.Sum.Info().Partial(nil, nil); len(d) != 1 || !d[0].IsNum(1) {
		t.Errorf("the derivative of a sum is %v, want 1", d)
	}
}

func TestRowsReadAndPrint(t *testing.T) {
	header := header(t)
	eachOp(t, func(t *testing.T, op expr.Op, info *expr.Info) {
		want := application(op)
		call := info.Name + "(" + strings.Join(letters[:info.Arity], ", ") + ")"
		for _, text := range []string{call, want.String()} {
			if m, err := syntax.ParseExpr(text, header); err != nil || !m.LogLik.Equal(want) {
				t.Errorf("%s reads with %v", text, err)
			}
		}
		if info.Notation == expr.Call && want.String() != call {
			t.Errorf("prints as %s, want %s", want, call)
		}
		wrong := info.Name + "(" + strings.Repeat("x, ", info.Arity) + "x)"
		if _, err := syntax.ParseExpr(wrong, header); err == nil {
			t.Errorf("%s is read", wrong)
		}
	})
}

func TestNewChecksArity(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("add with one argument does not panic")
		}
	}()
	expr.New(expr.Add, expr.Var("x"))
}

// inside draws arguments in the domain, away from its edges and from kinks, where functions are smooth on the scale of
// finite differences.
func inside(op expr.Op, rng *rand.Rand) [3]float64 {
	for {
		var x [3]float64
		for i := range x {
			x[i] = 6*rng.Float64() - 3
		}
		for _, c := range op.Info().Domain {
			x[c.Arg] = satisfying(c.Must, rng.Float64(), x[c.Arg])
		}
		if op == expr.Pow { // the domain of a power is no condition on single arguments
			x[0] = 0.3 + 2.7*rng.Float64()
		}
		if math.Abs(x[0]-x[1]) > 0.01 && math.Abs(x[0]) > 0.01 {
			return x
		}
	}
}

// satisfying returns a number that meets the requirement must, by a linear function of u in [0, 1). If the sign does not matter, it is that
// of free.
func satisfying(must expr.Must, u, free float64) float64 {
	switch must {
	case expr.NonZero:
		return math.Copysign(0.3+2.7*u, free)
	case expr.NonNegative, expr.Positive:
		return 0.3 + 2.7*u
	case expr.AboveMinus1:
		return -0.7 + 3.7*u
	case expr.InUnit:
		return 0.05 + 0.9*u
	case expr.BelowZero:
		return -0.3 - 2.7*u
	}
	panic("unknown condition")
}

// violations are numbers that break a requirement, the nearest ones included.
var violations = map[expr.Must][]float64{
	expr.NonZero:     {0, math.Copysign(0, -1)},
	expr.NonNegative: {-math.SmallestNonzeroFloat64, -1},
	expr.Positive:    {0, -math.SmallestNonzeroFloat64, -2},
	expr.AboveMinus1: {-1, math.Nextafter(-1, -2), -3},
	expr.InUnit:      {0, 1, -math.SmallestNonzeroFloat64, math.Nextafter(1, 2), -2, 3},
	expr.BelowZero:   {0, math.SmallestNonzeroFloat64, 2},
}

// edges are the extreme numbers that still meet a requirement.
var edges = map[expr.Must][]float64{
	expr.NonZero:     {1e-300, -1e-300, 1e300},
	expr.NonNegative: {0, math.SmallestNonzeroFloat64, 1e300},
	expr.Positive:    {math.SmallestNonzeroFloat64, 1e300},
	expr.AboveMinus1: {math.Nextafter(-1, 0), 0, 1e300},
	expr.InUnit:      {math.SmallestNonzeroFloat64, math.Nextafter(1, 0)},
	expr.BelowZero:   {-math.SmallestNonzeroFloat64, -1e300},
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func TestRowsDomain(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	eachOp(t, func(t *testing.T, op expr.Op, info *expr.Info) {
		for range 100 {
			x := inside(op, rng)
			if v := info.Eval(x); !finite(v) {
				t.Errorf("%v%v = %v inside the domain", op, x, v)
			}
			for _, c := range info.Domain {
				at := x
				for _, at[c.Arg] = range edges[c.Must] {
					if v := info.Eval(at); !finite(v) && (op != expr.Digamma || at[c.Arg] > 1e-308) { // near -1/x, which overflows
						t.Errorf("%v%v = %v at the edge of the domain", op, at, v)
					}
				}
				for _, at[c.Arg] = range violations[c.Must] {
					if v := info.Eval(at); finite(v) {
						t.Errorf("%v%v = %v outside the domain", op, at, v)
					}
					if v := info.Complex(widen(at)); finite(real(v)) && finite(imag(v)) {
						t.Errorf("complex %v%v = %v outside the domain", op, at, v)
					}
				}
			}
		}
	})
}

func widen(x [3]float64) [3]complex128 {
	return [3]complex128{complex(x[0], 0), complex(x[1], 0), complex(x[2], 0)}
}

func close(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*(1+math.Abs(want))
}

func TestRowsComplexIsEval(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	eachOp(t, func(t *testing.T, op expr.Op, info *expr.Info) {
		for range 100 {
			x := inside(op, rng)
			got, want := info.Complex(widen(x)), info.Eval(x)
			if imag(got) != 0 || !close(real(got), want, 1e-12) {
				t.Errorf("complex %v%v = %v, want %v", op, x, got, want)
			}
		}
	})
}

// checkPartials compares the derivatives of e, an operator applied to symbols and numbers, at x with central differences
// and with the complex step.
func checkPartials(t *testing.T, e *expr.Expr, x [3]float64) {
	t.Helper()
	info := e.Op.Info()
	partials := info.Partial(e.Args, e)
	if len(partials) != info.Arity {
		t.Fatalf("%d partial derivatives of %v", len(partials), e)
	}
	for i, p := range partials {
		if e.Args[i].Op == expr.Const {
			continue
		}
		got := 0.0
		if p != nil {
			values, _ := expr.NewTape(letters, p).Eval(nil, x[:])
			got = values[0]
		}
		const h = 1e-5
		left, right := x, x
		left[i] -= h
		right[i] += h
		if want := (info.Eval(right) - info.Eval(left)) / (2 * h); !close(got, want, 1e-7) {
			t.Errorf("∂%v/∂%s at %v = %v, want %v by central differences", e, letters[i], x, got, want)
		}
		const step = 1e-30
		z := widen(x)
		z[i] += complex(0, step)
		if want := imag(info.Complex(z)) / step; !close(got, want, 1e-10) {
			t.Errorf("∂%v/∂%s at %v = %v, want %v by the complex step", e, letters[i], x, got, want)
		}
	}
}

func TestRowsPartial(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	eachOp(t, func(t *testing.T, op expr.Op, info *expr.Info) {
		for range 50 {
			checkPartials(t, application(op), inside(op, rng))
		}
	})
}

// TestPowConstantPartial: a power with a constant exponent is differentiable at negative bases too, if the exponent is whole.
func TestPowConstantPartial(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, n := range []float64{-3, -2, -1, 0, 1, 2, 3, 4, 0.5, -1.5} {
		for range 20 {
			x := inside(expr.Div, rng)
			x[0] = satisfying(expr.NonZero, rng.Float64(), x[0])
			if n != math.Trunc(n) {
				x[0] = math.Abs(x[0])
			}
			x[1] = n
			checkPartials(t, expr.New(expr.Pow, expr.Var("x"), expr.Num(n)), x)
			got, want := expr.Pow.Info().Complex(widen(x)), math.Pow(x[0], n)
			if !close(real(got), want, 1e-12) || imag(got) != 0 {
				t.Errorf("complex %v^%v = %v, want %v", x[0], n, got, want)
			}
		}
	}
	for _, n := range []float64{65, 66, -101} {
		if got, want := expr.Pow.Info().Complex([3]complex128{-1.1, complex(n, 0)}), math.Pow(-1.1, n); !close(real(got)/want, 1, 1e-12) {
			t.Errorf("complex -1.1^%v = %v, want %v", n, got, want)
		}
	}
	if got := expr.Pow.Info().Complex([3]complex128{-1.1, 0.5}); !cmplx.IsNaN(got) {
		t.Errorf("complex -1.1^0.5 = %v, want NaN as for reals", got)
	}
}

func TestRowsCommutative(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	inf := math.Inf(1)
	special := []float64{0, 1, -1, inf, -inf, math.NaN(), 1e-320}
	eachOp(t, func(t *testing.T, op expr.Op, info *expr.Info) {
		if info.Arity != 2 {
			if info.Commutative {
				t.Errorf("commutative with %d arguments", info.Arity)
			}
			return
		}
		same := true
		check := func(x, y float64) {
			a, b := info.Eval([3]float64{x, y}), info.Eval([3]float64{y, x})
			equal := a == b || a != a && b != b
			same = same && equal
			if info.Commutative && !equal {
				t.Errorf("%v(%v, %v) = %v, but %v the other way", op, x, y, a, b)
			}
		}
		for range 100 {
			x := inside(op, rng)
			check(x[0], x[1])
		}
		for _, x := range special {
			for _, y := range special {
				check(x, y)
			}
		}
		if same && !info.Commutative {
			t.Error("commutes at all numbers that were tried, but the table does not say so")
		}
	})
}

// goSource writes op in Go as an emitter would, with the functions that it needs.
func goSource(op expr.Op) (body, definition string) {
	s := op.In(expr.Go)
	args := strings.Join(letters[:op.Info().Arity], ", ")
	switch s.Kind {
	case expr.Binary:
		return "x " + s.Text + " y", ""
	case expr.Unary:
		return s.Text + "x", ""
	case expr.Self:
		return "x " + s.Text + " x", ""
	case expr.Under:
		return "1 " + s.Text + " x", ""
	case expr.Function:
		return "math." + s.Text + "(" + args + ")", ""
	case expr.Local:
		return s.Text + "(" + args + ")", s.Body
	}
	return "", ""
}

// TestRowsGoSpelling type-checks the Go spelling of every operator: the functions that it calls must exist and take as many arguments.
func TestRowsGoSpelling(t *testing.T) {
	var b strings.Builder
	b.WriteString("package p\n\nimport \"math\"\n\nvar _ = math.Pi\n\n")
	eachOp(t, func(t *testing.T, op expr.Op, info *expr.Info) {
		body, definition := goSource(op)
		if body == "" {
			t.Fatal("no Go spelling")
		}
		fmt.Fprintf(&b, "%s\n\nfunc op%s(x, y, z float64) float64 { return %s }\n\n", definition, info.Name, body)
	})
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "ops.go", b.String(), parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Importer: importer.ForCompiler(files, "source", nil)}
	if _, err := config.Check("p", files, []*ast.File{file}, nil); err != nil {
		t.Errorf("%v in\n%s", err, b.String())
	}
}

// TestRowsCSpelling: every operator has a C spelling. If it is a local function, the spelling defines a function of that name once.
func TestRowsCSpelling(t *testing.T) {
	eachOp(t, func(t *testing.T, op expr.Op, info *expr.Info) {
		s := op.In(expr.C)
		if s.Kind == expr.NoSpelling || s.Text == "" {
			t.Fatal("no C spelling")
		}
		if local := s.Kind == expr.Local; local != (s.Body != "") {
			t.Errorf("body %q of a spelling of kind %d", s.Body, s.Kind)
		}
		params := "double " + strings.Join(letters[:info.Arity], ", double ")
		if s.Kind == expr.Local && !strings.HasPrefix(s.Body, "static inline double "+s.Text+"("+params+") {") {
			t.Errorf("definition of %s(%s): %s", s.Text, params, s.Body)
		}
	})
}
