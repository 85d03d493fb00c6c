package nuts

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
)

func TestWindows(t *testing.T) {
	for _, c := range []struct {
		warmup, first, last int
		ends                []int
	}{
		{1000, 75, 950, []int{99, 149, 249, 449, 949}},
		{500, 75, 450, []int{99, 149, 249, 449}},
		{150, 75, 100, []int{99}},
		{160, 75, 110, []int{99, 109}},
		{149, 22, 135, []int{134}}, // Stan: never
		{20, 3, 18, []int{17}},
		{19, 0, 0, nil},
		{0, 0, 0, nil},
	} {
		first, last, ends := windows(c.warmup, 75, 50, 25)
		if first != c.first || last != c.last || !slices.Equal(ends, c.ends) {
			t.Errorf("windows(%d) = %d, %d, %v, want %d, %d, %v", c.warmup, first, last, ends, c.first, c.last, c.ends)
		}
	}
}

func TestShortWarmupsAdaptTheMetric(t *testing.T) {
	for _, m := range []Metric{Diag, Dense, Fisher, LowRank} {
		for _, warmup := range []int{20, 60, 100, 149} {
			s := DefaultSettings()
			s.NumWarmup, s.NumSamples, s.NumChains, s.Metric = warmup, 1, 1, m
			im := sample(t, independent{[]float64{0.1, 10}}, s).Draws.Chains[0].Adapted.InvMetric
			if ratio := im[len(im)-1][1] / im[0][0]; !(ratio > 100) { // the truth is 1e4
				t.Errorf("%s, %d iterations: inverse metric %v", m, warmup, im)
			}
		}
	}
}

func TestAnyWarmupLengthRuns(t *testing.T) {
	for _, m := range []Metric{Unit, Diag, Dense, Fisher, LowRank} {
		for warmup := range 40 {
			s := DefaultSettings()
			s.NumWarmup, s.NumSamples, s.NumChains, s.Metric = warmup, 2, 1, m
			sample(t, isotropic(2), s)
		}
	}
}

// TestNoWarmupKeepsTheFirstStep: without a warm-up, the step size is that of the first search, which doubles or halves an initial
// one.
func TestNoWarmupKeepsTheFirstStep(t *testing.T) {
	for m, begin := range map[Metric]float64{Diag: 1, Fisher: gradientEps, LowRank: gradientEps} {
		s := DefaultSettings()
		s.NumWarmup, s.NumSamples, s.NumChains, s.Metric = 0, 2, 1, m
		step := sample(t, isotropic(2), s).Draws.Chains[0].Adapted.StepSize
		if doubled := math.Log2(step / begin); !(math.Abs(doubled-math.Round(doubled)) <= 1e-9) {
			t.Errorf("%s: step size %v is not %v doubled or halved", m, step, begin)
		}
	}
}

// TestLowRankKnowsCorrelations: for a normal density with rotated axes, a metric that learns them needs far fewer gradients than
// a diagonal one.
func TestLowRankKnowsCorrelations(t *testing.T) {
	gradients := func(m Metric) int {
		s := DefaultSettings()
		s.NumWarmup, s.NumSamples, s.NumChains, s.Metric = 400, 200, 1, m
		return sample(t, newRotated(6, 0.1, 10, 5), s).Draws.Chains[0].Gradients
	}
	if with, without := gradients(LowRank), gradients(Fisher); !(5*with < without) {
		t.Errorf("%d gradients with the low-rank metric, %d with the diagonal one: want a fifth or less", with, without)
	}
}

// TestDualAveragingFindsTheTarget uses an acceptance statistic that is a known function of the step size.
func TestDualAveragingFindsTheTarget(t *testing.T) {
	d := dualAveraging{delta: 0.8}
	d.restart(1)
	eps := 1.0
	for range 2000 {
		eps = d.learn(math.Exp(-eps))
	}
	if want := -math.Log(0.8); !(math.Abs(d.settled()/want-1) <= 0.02) {
		t.Errorf("settled at %v, want %v", d.settled(), want)
	}
}

func TestAdaptedStepReachesDelta(t *testing.T) {
	for _, delta := range []float64{0.6, 0.8, 0.95} {
		s := DefaultSettings()
		s.Delta, s.Seed = delta, 2
		r := sample(t, isotropic(20), s)
		mean := 0.0
		for i := range r.Draws.Chains {
			for _, a := range r.Draws.Chains[i].AcceptStat {
				mean += a / 4000
			}
		}
		if !(math.Abs(mean-delta) <= 0.05) {
			t.Errorf("delta %v: mean acceptance %v", delta, mean)
		}
	}
}

// someMetrics returns one metric of each kind, none of which is the identity.
func someMetrics(t *testing.T, dim int) map[string]metric {
	rng := rand.New(rand.NewPCG(1, 2))
	d, full, variances := newDiagonal(dim), newDense(dim), make([]float64, dim)
	covariance := make([]float64, dim*dim)
	for range 3 * dim {
		x := make([]float64, dim)
		for i := range x {
			x[i] = rng.NormFloat64() * float64(i+1)
		}
		for i := range x {
			for j := range x {
				covariance[i*dim+j] += x[i] * x[j]
			}
		}
	}
	for i := range variances {
		variances[i] = covariance[i*dim+i]
	}
	if err := d.setVariances(variances); err != nil {
		t.Fatal(err)
	}
	if err := full.setCovariance(covariance); err != nil {
		t.Fatal(err)
	}
	for i := range dim {
		for j := range dim {
			if got := full.inverse()[i][j]; !(math.Abs(got-covariance[i*dim+j]) <= 1e-9*math.Abs(covariance[0])) {
				t.Fatalf("dense inverse metric (%d,%d) = %v, want %v", i, j, got, covariance[i*dim+j])
			}
		}
	}
	low := newLowRank(dim)
	if err := low.setVariances(variances); err != nil {
		t.Fatal(err)
	}
	v, w := make([]float64, dim), make([]float64, dim)
	v[0], v[1], w[dim-1] = 0.6, -0.8, 1
	low.vectors, low.stretch = [][]float64{v, w}, []float64{1.5, -0.7}
	return map[string]metric{"diagonal": d, "dense": full, "low rank": low}
}

// TestLeapfrogIsReversible: steps backward return to the start, and the energy error falls with the square of the step size.
func TestLeapfrogIsReversible(t *testing.T) {
	const dim = 5
	target := newRotated(dim, 5, 50, 2)
	for name, m := range someMetrics(t, dim) {
		var worst [2]float64
		for halved := range worst {
			at := newPoint(dim)
			momentum := make([]float64, dim)
			for i := range dim {
				at.q[i], momentum[i] = float64(i), math.Cos(float64(i))
			}
			at.lp, _ = target.LogDensityGrad(at.q, at.grad)
			s := newState(dim)
			s.moveTo(at, momentum, m)
			start := kinetic(s.p) - s.lp
			eps := 0.2 / float64(int(1)<<halved)
			steps := 20 << halved
			for k := range 2 * steps {
				if k == steps {
					eps = -eps
				}
				energy, _, err := leapfrog(target, m, &s, eps)
				if err != nil {
					t.Fatal(err)
				}
				worst[halved] = max(worst[halved], math.Abs(energy-start))
			}
			for i := range dim {
				if !(math.Abs(s.q[i]-at.q[i]) <= 1e-9) || !(math.Abs(s.p[i]-momentum[i]) <= 1e-9) {
					t.Errorf("%s: coordinate %d did not return", name, i)
				}
			}
		}
		if order := math.Log2(worst[0] / worst[1]); !(order > 1.7 && order < 2.3) {
			t.Errorf("%s: energy error is of order %.2f in the step", name, order)
		}
	}
}

// TestKickAndDriftFollowTheMetric compares one step with an explicit product of M⁻¹ and the gradient.
func TestKickAndDriftFollowTheMetric(t *testing.T) {
	const dim, eps = 4, 0.3
	for name, m := range someMetrics(t, dim) {
		s := newState(dim)
		before := slices.Clone(s.q)
		for i := range dim {
			s.grad[i] = float64(i) - 1.3
		}
		m.prepare(&s)
		m.kickAndDrift(&s, eps)
		inverse := m.inverse()
		for i := range dim {
			want := before[i] // position after a step from rest: q + ½eps²M⁻¹g
			for j := range dim {
				switch {
				case len(inverse) > 1:
					want += eps * eps / 2 * inverse[i][j] * s.grad[j]
				case i == j:
					want += eps * eps / 2 * inverse[0][i] * s.grad[i]
				}
			}
			if !(math.Abs(s.q[i]-want) <= 1e-9*(1+math.Abs(want))) {
				t.Errorf("%s: q[%d] = %v, want %v", name, i, s.q[i], want)
			}
		}
	}
}

// TestJoinSeesUTurns compares the combined U-turn criteria with their definition, on random momenta.
func TestJoinSeesUTurns(t *testing.T) {
	const dim = 3
	rng := rand.New(rand.NewPCG(3, 4))
	tr := newTree(isotropic(dim), newDiagonal(dim), rng, 5, new(atomic.Bool))
	verdicts := map[bool]int{}
	for range 2000 {
		momenta := make([][]float64, 8)
		drift := rng.Float64() * 2
		for k := range momenta {
			momenta[k] = []float64{rng.NormFloat64() + drift, rng.NormFloat64(), rng.NormFloat64()}
		}
		got := joinAll(tr, momenta)
		want := straight(momenta)
		if got != want {
			t.Fatalf("%v: joined %v, definition %v", momenta, got, want)
		}
		verdicts[got]++
	}
	if verdicts[true] < 100 || verdicts[false] < 100 {
		t.Errorf("verdicts are one-sided: %v", verdicts)
	}
}

// joinAll joins leaves in the same order as extend does. It reports whether there is no U-turn.
func joinAll(tr *tree, momenta [][]float64) bool {
	top := 0
	for n, p := range momenta {
		leaf := &tr.stack[top]
		leaf.depth, leaf.weight = 0, 1
		copy(leaf.beg, p)
		top++
		for k := n + 1; k&1 == 0; k >>= 1 {
			top--
			if !tr.join(&tr.stack[top-1], &tr.stack[top], false) {
				return false
			}
		}
	}
	return true
}

// straight is the definition: no U-turn in either half, across both, or across one half and the nearest point of the other.
func straight(momenta [][]float64) bool {
	n := len(momenta)
	if n == 1 {
		return true
	}
	along := func(m [][]float64) bool {
		sum := make([]float64, len(m[0]))
		for _, p := range m {
			for i, v := range p {
				sum[i] += v
			}
		}
		first, last := 0.0, 0.0
		for i, v := range sum {
			first += m[0][i] * v
			last += m[len(m)-1][i] * v
		}
		return first > 0 && last > 0
	}
	return straight(momenta[:n/2]) && straight(momenta[n/2:]) &&
		along(momenta) && along(momenta[:n/2+1]) && along(momenta[n/2-1:])
}

// TestTrajectoryHasAllPoints: a trajectory of 8 points without a U-turn holds the momenta of its two ends and the sum of the
// points' weights. With short steps, each weight is near 1.
func TestTrajectoryHasAllPoints(t *testing.T) {
	const dim = 2
	tr := newTree(isotropic(dim), newDiagonal(dim), rand.New(rand.NewPCG(3, 5)), 3, new(atomic.Bool))
	for range 50 {
		at := newPoint(dim)
		at.q[0], at.q[1] = 0.3, -0.2
		at.lp, _ = isotropic(dim).LogDensityGrad(at.q, at.grad)
		if r := tr.transition(at, 1e-3); r.leapfrogs != 7 || !(math.Abs(tr.trajectory.weight-8) <= 1e-2) {
			t.Fatalf("%d leapfrogs, weight %v: want 7 and about 8", r.leapfrogs, tr.trajectory.weight)
		}
		first, last := tr.ends[0].p, tr.ends[1].p
		if slices.Equal(tr.trajectory.end, first) {
			first, last = last, first
		}
		if !slices.Equal(tr.trajectory.beg, first) || !slices.Equal(tr.trajectory.end, last) {
			t.Fatalf("ends %v and %v, want %v and %v", tr.trajectory.beg, tr.trajectory.end, tr.ends[0].p, tr.ends[1].p)
		}
	}
}

// TestFarStartsDoNotOverflowWeights starts where the density is exp(-5e7) times its maximum.
func TestFarStartsDoNotOverflowWeights(t *testing.T) {
	s := DefaultSettings()
	s.Inits = [][]float64{{1e4, 0}, {0, -1e4}, {1e4, 1e4}, {-1e4, 3}}
	for _, m := range []Metric{Diag, Fisher, LowRank} {
		s.Metric = m
		checkMoments(t, sample(t, isotropic(2), s).Draws, zero, func(int) float64 { return 1 })
	}
}

func TestMomentsAgreeWithDirectSums(t *testing.T) {
	c := newComoments(2)
	xs := [][]float64{{1, 2}, {2, 5}, {4, 1}, {0, -3}}
	for _, x := range xs {
		c.add(x)
	}
	cov := make([]float64, 4)
	c.shrunk(cov)
	w, floor := 4.0/9, 1e-3*5/9
	want := []float64{w*35/12 + floor, w * 29 / 12, w * 29 / 12, w*131/12 + floor}
	for i := range want {
		if !(math.Abs(cov[i]-want[i]) <= 1e-12) {
			t.Errorf("covariance %d = %v, want %v", i, cov[i], want[i])
		}
	}
}

// TestWindowsForget: after a reset, variances and covariances are those of the draws added since.
func TestWindowsForget(t *testing.T) {
	m, c := newMoments(1), newComoments(1)
	cov := make([]float64, 1)
	for range 2 {
		for _, x := range []float64{1, 2, 4, 0} {
			m.add([]float64{x})
			c.add([]float64{x})
		}
		c.shrunk(cov)
		w, floor := shrinkage(4)
		if got, want := m.variance(0), 35./12; !(math.Abs(got-want) <= 1e-14) || !(math.Abs(cov[0]-(w*want+floor)) <= 1e-14) {
			t.Errorf("variance %v, want %v; shrunk %v", got, want, cov[0])
		}
		m.reset()
		c.reset()
		m.add([]float64{100})
		c.add([]float64{100})
		m.reset()
		c.reset()
	}
}

// TestForgetKeepsTheLast: forget keeps the last draws and gradients.
func TestForgetKeepsTheLast(t *testing.T) {
	l := newLowRankEstimator(1)
	for k := range 5 {
		l.add([]float64{float64(k)}, []float64{float64(-k)})
	}
	l.forget(2)
	if len(l.draws) != 2 || len(l.slopes) != 2 || l.draws[0][0] != 3 || l.slopes[1][0] != -4 {
		t.Errorf("left %v, %v", l.draws, l.slopes)
	}
}

// TestMoved: a draw has no information if it did not move, or if its trajectory diverged and it moved fewer than five steps.
func TestMoved(t *testing.T) {
	for index, want := range map[int][2]bool{0: {false, false}, 1: {true, false}, -1: {true, false}, 4: {true, false}, -4: {true, false}, 5: {true, true}, -5: {true, true}} {
		if got := [2]bool{moved(index, false), moved(index, true)}; got != want {
			t.Errorf("index %d: %v, want %v", index, got, want)
		}
	}
}

// TestLowRankIsExactForNormals: a few draws of a normal density give its covariance.
func TestLowRankIsExactForNormals(t *testing.T) {
	const dim = 6
	target := newRotated(dim, 0.1, 10, 5) // no variance along an axis is within a factor of 2 of 1
	rng := rand.New(rand.NewPCG(1, 1))
	l := newLowRankEstimator(dim)
	for range 4 * dim {
		q, grad := make([]float64, dim), make([]float64, dim)
		for i := range q {
			q[i] = rng.NormFloat64()
		}
		target.LogDensityGrad(q, grad)
		l.add(q, grad)
	}
	c := newChain(1, target, DefaultSettings(), new(atomic.Bool), nil)
	ones := slices.Repeat([]float64{1}, dim)
	if err := l.update(c, ones); err != nil {
		t.Fatal(err)
	}
	inverse := c.metric.inverse()
	for i := range dim {
		for j := range dim {
			product := 0.0
			for k := range dim {
				product += inverse[i][k] * target.precision[k][j]
			}
			want := 0.0
			if i == j {
				want = 1
			}
			if !(math.Abs(product-want) <= 0.05) {
				t.Errorf("M⁻¹ times precision (%d,%d) = %v", i, j, product)
			}
		}
	}
}

// TestLowRankInHighDimension has fewer draws than dimensions: the two long directions are found, and the others keep their
// scales.
func TestLowRankInHighDimension(t *testing.T) {
	const dim = 40
	rng := rand.New(rand.NewPCG(1, 1))
	l := newLowRankEstimator(dim)
	sd := func(i int) float64 {
		if i < 2 {
			return 10
		}
		return 1
	}
	for range 8 {
		q, grad := make([]float64, dim), make([]float64, dim)
		for i := range q {
			q[i] = sd(i) * rng.NormFloat64()
			grad[i] = -q[i] / (sd(i) * sd(i))
		}
		l.add(q, grad)
	}
	c := newChain(1, isotropic(dim), DefaultSettings(), new(atomic.Bool), nil)
	if err := l.update(c, slices.Repeat([]float64{1}, dim)); err != nil {
		t.Fatal(err)
	}
	inverse, variances := c.metric.inverse(), c.metric.(*lowRank).variances()
	for i := range dim {
		if !(math.Abs(variances[i]-inverse[i][i]) <= 1e-12*inverse[i][i]) {
			t.Errorf("variance %d = %v, want %v", i, variances[i], inverse[i][i])
		}
		if got := inverse[i][i]; (i < 2) != (got > 10) || got < 0.5 || (i >= 2 && got > 2) {
			t.Errorf("variance %d = %v, want about %v", i, got, sd(i)*sd(i))
		}
	}
}
