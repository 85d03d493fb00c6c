package columns_test

import (
	"bufio"
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/runtime/num/isa"
	"likc/runtime/num/vec"
	"likc/search/find/columns"
	"likc/search/find/tree"
	"likc/testdata/reference"
)

var names = []string{"v", "a", "z", "t", "rt"}

// ranges lists the paper's ranges of the parameters and, for rt, the interval of rt - t.
var ranges = [][2]float64{{-3, 3}, {0.3, 2.5}, {0.1, 0.9}, {0, 2}, {0.05, 8}}

// drawn returns a table of n random rows over the ranges, with rt = t + U(0.05, 8).
func drawn[F columns.Float](n int) *columns.Table[F] {
	rng := rand.New(rand.NewPCG(3, 4))
	t := &columns.Table[F]{}
	for range names {
		t.Columns = append(t.Columns, make([]F, n))
	}
	for i := range n {
		for j, r := range ranges {
			t.Columns[j][i] = F(r[0] + (r[1]-r[0])*rng.Float64())
		}
		t.Columns[4][i] += t.Columns[3][i]
	}
	return t
}

// published reads the benchmark's trees.
func published(t testing.TB) []tree.Tree {
	codes := map[string]tree.Code{"v": 0, "a": 1, "z": 2, "t": 3, "r": 4, "sq": tree.Operator(expr.Square)}
	for token, op := range map[string]expr.Op{"+": expr.Add, "-": expr.Sub, "*": expr.Mul, "/": expr.Div,
		"exp": expr.Exp, "log": expr.Log, "sqrt": expr.Sqrt} {
		codes[token] = tree.Operator(op)
	}
	var trees []tree.Tree
	for lines := bufio.NewScanner(bytes.NewReader(reference.Read(t, "sr_trees.txt"))); lines.Scan(); {
		var x tree.Tree
		for _, token := range strings.Fields(lines.Text()) {
			x.Codes = append(x.Codes, codes[token])
		}
		if err := x.Check(len(names)); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		trees = append(trees, x)
	}
	return trees
}

// slow evaluates a tree in one row with the compiler's tape. scale bounds the size of the terms.
func slow[F columns.Float](x tree.Tree, table *columns.Table[F], row int) (value, scale float64) {
	var at []float64
	for _, c := range table.Columns {
		at = append(at, float64(c[row]))
	}
	roots, scale := expr.NewTape(names, x.Expr(names)).Eval(nil, at)
	return roots[0], scale
}

// exact lists operators that are correctly rounded, others operators that are not.
var exact, others = []string{"add", "sub", "mul", "div", "sqrt", "square", "neg", "abs", "inv", "min", "max", "sign"},
	[]string{"exp", "log", "tanh", "pow", "erf", "log1p", "expm1", "softplus", "logaddexp", "sigmoid"}

// random returns a random tree with the given operators and constants.
func random(rng *rand.Rand, size int, operators ...string) tree.Tree {
	set, err := tree.Searchable(len(names)).With(operators)
	if err != nil {
		panic(err)
	}
	set.Constants = true
	var x tree.Tree
	set.Random(rng, &x, size)
	return x
}

// The values of random trees equal those of the compiler's tape, for numbers of rows around the width of a block: exactly if the
// operators are exact, otherwise nearly.
func TestEvaluateEqualsTape(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for level := isa.Portable; level <= isa.Best(); level++ {
		restore := vec.Use(level)
		for _, n := range []int{1, 7, columns.BlockRows[float64](), columns.BlockRows[float64]() + 1, 1300} {
			table := drawn[float64](n)
			e, dst, compared := columns.NewEvaluator(table), make([]float64, n), 0
			for range 400 {
				x, tolerance := random(rng, 1+rng.IntN(50), exact...), 0.0
				if rng.IntN(2) == 0 {
					x, tolerance = random(rng, 1+rng.IntN(9), slices.Concat(exact, others)...), 1e-9
				}
				finite := e.Evaluate(x, dst)
				for row := 0; row < n; row += 1 + n/3 {
					want, scale := slow(x, table, row)
					if finite && dst[row] != want && !(math.Abs(dst[row]-want) <= tolerance*(1+scale)) {
						t.Fatalf("%v, %d rows: %v at row %d is %v, want %v", level, n, x.Expr(names), row, dst[row], want)
					}
					if finite {
						compared++
					} else if n == 1 && want-want == 0 {
						t.Fatalf("%v is called not finite, but is %v", x.Expr(names), want)
					}
				}
			}
			if compared < 50 {
				t.Errorf("only %d values were compared", compared)
			}
		}
		restore()
	}
}

// In float32, the values of the published trees equal those in float64 up to rounding: 99 of 100 errors are within a millionth of
// the sum of the terms.
func TestSingleIsNearDouble(t *testing.T) {
	const n = 600
	wide, narrow := drawn[float64](n), drawn[float32](n)
	for i, c := range narrow.Columns {
		for row, v := range c {
			wide.Columns[i][row] = float64(v)
		}
	}
	e, f := columns.NewEvaluator(wide), columns.NewEvaluator(narrow)
	x, y := make([]float64, n), make([]float32, n)
	var errors []float64
	for _, tr := range published(t) {
		if e.Evaluate(tr, x) && f.Evaluate(tr, y) {
			for row := 0; row < n; row += 37 {
				_, scale := slow(tr, wide, row)
				errors = append(errors, math.Abs(x[row]-float64(y[row]))/scale)
			}
		}
	}
	slices.Sort(errors)
	if n := len(errors); n < 10000 || errors[n*99/100] > 1e-6 {
		t.Errorf("of %d errors relative to the terms, 1%% are above %.2g", n, errors[n*99/100])
	}
}

// The values of a panel's blocks equal those of the same rows in a table, in which all columns move.
func TestPanelsShareWithoutChange(t *testing.T) {
	const width, blocks = 48, 7
	rng := rand.New(rand.NewPCG(5, 6))
	flat := drawn[float64](width * blocks)
	for range 300 {
		panel := &columns.Panel[float64]{Rows: width * blocks, Width: width}
		table := &columns.Table[float64]{}
		for _, c := range flat.Columns {
			if rng.IntN(2) == 0 {
				panel.Columns = append(panel.Columns, c)
				table.Columns = append(table.Columns, c)
				continue
			}
			panel.Columns = append(panel.Columns, c[:width])
			table.Columns = append(table.Columns, slices.Repeat(c[:width], blocks))
		}
		if err := panel.Check(); err != nil {
			t.Fatal(err)
		}
		x := random(rng, 1+rng.IntN(50), slices.Concat(exact, others)...)
		want := make([]float64, width*blocks)
		finite := columns.NewEvaluator(table).Evaluate(x, want)
		e := columns.NewPanels(panel)
		e.Start(x, panel)
		for b := range blocks {
			for i, got := range e.Block(b) {
				if w := want[b*width+i]; finite && got != w {
					t.Fatalf("%v: block %d, row %d: %v, want %v", x.Expr(names), b, i, got, w)
				}
			}
		}
		if done := e.Counts.Computed + e.Counts.Shared; done != int64(width*blocks*steps(x)) {
			t.Fatalf("%d rows of operators computed or shared, want %d", done, width*blocks*steps(x))
		}
	}
}

// steps returns the number of nodes that are computed: operators and constants.
func steps(x tree.Tree) (n int) {
	for _, c := range x.Codes {
		if c >= tree.Constant {
			n++
		}
	}
	return n
}

func TestSquaredError(t *testing.T) {
	const n = 1100
	table := drawn[float64](n)
	e, target, dst := columns.NewEvaluator(table), make([]float64, n), make([]float64, n)
	for i := range target {
		target[i] = float64(i%17) / 3
	}
	rng := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		x := random(rng, 1+rng.IntN(30), slices.Concat(exact, others)...)
		want, scale := 0.0, 0.0
		finite := e.Evaluate(x, dst)
		for i, v := range dst {
			want += (v - target[i]) * (v - target[i])
			scale += v*v + target[i]*target[i]
		}
		sum, ok := e.SquaredError(x, target)
		if ok != (finite && scale-scale == 0) || finite && scale < 1e200 && !(math.Abs(sum-want) <= 1e-12*scale) {
			t.Fatalf("%v: %v (%v), want %v (%v)", x.Expr(names), sum, ok, want, finite)
		}
	}
}

// If one row is not finite, evaluation stops after its block.
func TestEarlyExit(t *testing.T) {
	block := columns.BlockRows[float32]()
	n := 10 * block
	table := drawn[float32](n)
	bad := 3*block + 5
	table.Columns[1][bad] = -1
	log := tree.Tree{Codes: []tree.Code{1, tree.Operator(expr.Log)}}
	e, target := columns.NewEvaluator(table), make([]float32, n)
	if _, finite := e.SquaredError(log, target); finite {
		t.Error("log(-1) went unnoticed")
	}
	if e.Evaluate(log, make([]float32, n)) {
		t.Error("log(-1) went unnoticed by Evaluate")
	}
	if e.Counts.EarlyExit != int64(2*6*block) || e.Counts.Computed != int64(2*4*block) {
		t.Errorf("counts %+v", e.Counts)
	}
	table.Columns[1][bad] = 1
	if _, finite := e.SquaredError(log, target); !finite {
		t.Error("finite rows are called not finite")
	}
}

func TestNoMemory(t *testing.T) {
	table := drawn[float32](2000)
	e, target := columns.NewEvaluator(table), make([]float32, 2000)
	rng := rand.New(rand.NewPCG(9, 10))
	x, y := random(rng, 50, exact...), random(rng, 50, others[0], exact[0])
	if n := testing.AllocsPerRun(20, func() { e.SquaredError(x, target); e.Evaluate(y, target) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestPanelsAreChecked(t *testing.T) {
	for name, p := range map[string]*columns.Panel[float64]{
		"empty":                       {},
		"ragged":                      {Rows: 4, Width: 2, Columns: [][]float64{make([]float64, 3)}},
		"stays in a short last block": {Rows: 5, Width: 2, Columns: [][]float64{make([]float64, 2)}},
	} {
		if p.Check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
