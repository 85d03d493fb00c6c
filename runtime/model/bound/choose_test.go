package bound

import (
	"reflect"
	"testing"

	"likc/runtime/model/kernel"
)

// counting is a kernel that counts its calls. Its log density is the sum of its parameters.
type counting struct {
	dim          int
	sums, passes *int
}

func (c counting) Dim() int { return c.dim }

func (c counting) Sum(t kernel.Trials) (kernel.Sum, error) {
	return countedSum{c.dim, float64(t.N()), c.sums}, nil
}

func (c counting) Rows(t kernel.Trials) (kernel.Rows, error) {
	return countedRows{c.dim, t.N(), c.passes}, nil
}

type countedSum struct {
	dim   int
	n     float64
	calls *int
}

func (s countedSum) Dim() int { return s.dim }
func (s countedSum) LogLik(theta []float64) (total float64) {
	for _, x := range theta {
		total += s.n * x
	}
	return total
}
func (s countedSum) LogLikGrad(theta, grad []float64) float64 {
	*s.calls++
	for j := range grad {
		grad[j] = s.n
	}
	return s.LogLik(theta)
}

type countedRows struct {
	dim, n int
	calls  *int
}

func (r countedRows) N() int   { return r.n }
func (r countedRows) Dim() int { return r.dim }
func (r countedRows) Each(theta [][]float64, logp []float64, grad [][]float64) {
	*r.calls++
	for i := range logp {
		logp[i] = 0
		for j := range theta {
			logp[i] += kernel.At(theta[j], i)
		}
	}
	for _, g := range grad {
		for i := range g {
			g[i] = 1
		}
	}
}

// Kernels with one further ability each, besides rows and sums; rowsAlone has only rows.
type (
	blocking  struct{ counting }
	combining struct{ counting }
	columned  struct{ counting }
	rowsAlone struct{ of counting }
)

func (b blocking) SumBlocks(all []kernel.Trials) (kernel.Sum, error) {
	return countedSum{b.dim * len(all), float64(all[0].N()), b.sums}, nil
}

func (combining) Combined() int { return 0 }
func (c combining) SumCombined(t kernel.Trials, of *kernel.Combinations) (kernel.Sum, error) {
	return countedSum{c.dim - 1 + of.Columns, float64(t.N()), c.sums}, nil
}

func (c columned) SumColumns(t kernel.Trials, x [][][]float64) (kernel.Sum, error) {
	dim := c.dim
	for _, own := range x {
		dim += len(own)
	}
	return countedSum{dim, float64(t.N()), c.sums}, nil
}
func (columned) TakenOnce([]int) (bool, error) { return true, nil }

func (r rowsAlone) Dim() int                                  { return r.of.dim }
func (r rowsAlone) Rows(t kernel.Trials) (kernel.Rows, error) { return r.of.Rows(t) }

// doubled is a map that doubles each parameter. If varies is set, it claims that its outputs differ from trial to trial.
type doubled struct {
	dim      int
	varies   bool
	forwards *int
	backs    *int
}

func (d doubled) Out() int                     { return d.dim }
func (d doubled) Depends(k int) (uint64, bool) { return 1 << k, d.varies }
func (d doubled) Stateful() bool               { return false }
func (d doubled) Bind(kernel.Trials) (func() kernel.Mapping, error) {
	return func() kernel.Mapping { return &doubling{doubled: d, out: make([][]float64, d.dim)} }, nil
}

type doubling struct {
	doubled
	out [][]float64
}

func (d *doubling) Forward(theta [][]float64) [][]float64 {
	*d.forwards++
	for j, param := range theta {
		d.out[j] = d.out[j][:0]
		for _, x := range param {
			d.out[j] = append(d.out[j], 2*x)
		}
	}
	return d.out
}

func (d *doubling) Back(bars, grad [][]float64) {
	*d.backs++
	for j := range grad {
		for i, bar := range bars[j] {
			grad[j][min(i, len(grad[j])-1)] += 2 * bar
		}
	}
}

// levels and covariate return designs of two parameters over n trials. The first parameter depends on a condition with k levels, or on a
// covariate.
func levels(n, k int) Design {
	d := Numbers(k + 1)
	own := make([]int32, n)
	for i := range own {
		own[i] = int32(i % k)
	}
	d.Params = []Predictor{{Inside: []Term{{First: 0, Level: own}}}, {Inside: []Term{{First: k}}}}
	return d
}

func covariate(n int) Design {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i) / float64(n)
	}
	return Design{Coefficients: 3, Params: []Predictor{{Inside: []Term{{First: 0}, {Values: x, First: 1}}}, {Inside: []Term{{First: 2}}}}}
}

// Each plan is chosen for the designs that it is for. An evaluation calls the kernel once for each piece, and the map twice, for any
// number of trials.
func TestPlans(t *testing.T) {
	var sums, passes, forwards, backs int
	k := counting{2, &sums, &passes}
	shared, varying := doubled{2, false, &forwards, &backs}, doubled{2, true, &forwards, &backs}
	const n = 10_000
	for _, c := range []struct {
		name   string
		kernel kernel.Kernel
		inner  kernel.Map
		design Design
		want   plan
		pieces int
	}{
		{"numbers", k, nil, Design{}, eachBlock, 1},
		{"a condition", k, nil, levels(n, 5), eachBlock, 5},
		{"many levels", k, nil, levels(n, 5000), byRows, 1},
		{"a covariate", k, nil, covariate(n), byRows, 1},
		{"rows alone", rowsAlone{k}, nil, levels(n, 5), byRows, 5},
		{"numbers, rows alone", rowsAlone{k}, nil, Design{}, byRows, 1},
		{"blocks together", blocking{k}, nil, levels(n, 5), together, 1},
		{"one block", blocking{k}, nil, Design{}, eachBlock, 1},
		{"a linear combination", combining{k}, nil, covariate(n), combined, 1},
		{"columns", columned{k}, nil, covariate(n), columns, 1},
		{"a column that is a condition", columned{k}, nil, levels(n, 5), eachBlock, 5},
		{"a map", k, shared, levels(n, 5), eachBlock, 5},
		{"a map of columns", k, varying, levels(n, 5), byRows, 5},
		{"a map before columns", columned{k}, shared, covariate(n), byRows, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := c.design
			if d.Params == nil {
				d = Numbers(2)
			}
			b := boundKernel(t, c.kernel, c.inner, d, n)
			sums, passes, forwards, backs = 0, 0, 0, 0
			coefs, grad := make([]float64, d.Coefficients), make([]float64, d.Coefficients)
			b.LogLikGrad(coefs, grad)
			if b.plan != c.want || len(b.pieces) != c.pieces {
				t.Errorf("%s in %d pieces, want %s in %d", b.plan, len(b.pieces), c.want, c.pieces)
			}
			mapped := 0
			if c.inner != nil {
				mapped = c.pieces
			}
			if sums+passes != c.pieces || forwards != mapped || backs != mapped {
				t.Errorf("the kernel is asked %d times, the map %d and %d times, in %d pieces", sums+passes, forwards, backs, c.pieces)
			}
			total := 0.0
			for _, slope := range grad {
				total += slope
			}
			if factor := float64(1 + min(mapped, 1)); c.design.Params != nil && len(grad) != 3 && total != 2*n*factor || len(grad) == 3 && !(total > 2*n) {
				t.Errorf("derivatives add up to %v", total)
			}
			if n := testing.AllocsPerRun(5, func() { b.LogLikGrad(coefs, grad) }); n != 0 {
				t.Errorf("an evaluation allocates %v times", n)
			}
		})
	}
}

// boundKernel binds n trials to a kernel by a design.
func boundKernel(t testing.TB, k kernel.Kernel, m kernel.Map, of Design, n int) *Bound {
	t.Helper()
	p := &Prepared{kernel: k, inner: m}
	b, err := p.bind(kernel.Responses(make([]float64, n), nil), of)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// BenchmarkPieces measures the time that a piece takes in addition to its sum.
func BenchmarkPieces(b *testing.B) {
	var sums, passes int
	lik := boundKernel(b, counting{2, &sums, &passes}, nil, levels(10_000, 1000), 10_000)
	coefs, grad := make([]float64, 1001), make([]float64, 1001)
	for b.Loop() {
		lik.LogLikGrad(coefs, grad)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(lik.pieces)), "ns/piece")
}

// TestPartition: trials of the same cells are together, in the order of the first of each, and a division allocates once for all trials: a list
// that grows would take five times their room.
func TestPartition(t *testing.T) {
	cells := [][]int{{7, 3, 7, 3, 7}, {1}, nil, {0, 0, 2, 0, 0}}
	if got := partition(cells, 5); !reflect.DeepEqual(got, [][]int{{0, 4}, {1, 3}, {2}}) {
		t.Errorf("%v", got)
	}
	if got := partition(nil, 3); !reflect.DeepEqual(got, [][]int{{0, 1, 2}}) {
		t.Errorf("without cells: %v", got)
	}
	if got := partition(cells, 0); len(got) != 1 || len(got[0]) != 0 {
		t.Errorf("without trials: %v", got)
	}
	if n := testing.AllocsPerRun(1, func() { partition(nil, 1<<16) }); n > 12 {
		t.Errorf("%v allocations", n)
	}
}
