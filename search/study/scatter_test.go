package study

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"likc/runtime/model/posterior"
	"likc/runtime/num/chains"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
)

// known is a log-likelihood whose posterior, under uniform priors over wide ranges, has known moments.
type known struct {
	dim      int
	log      func(x []float64) float64
	draw     func(random *rand.Rand) []float64 // an independent draw
	mean, sd []float64
}

func (k known) Dim() int                             { return k.dim }
func (k known) LogLik(x []float64) float64           { return k.log(x) }
func (k known) LogLikGrad(x, grad []float64) float64 { panic("weights need no gradient") }
func (k known) bind(*Case) (p Problem, err error) {
	p.Sum = k
	for range k.dim {
		p.Params = append(p.Params, posterior.Parameter{Name: "x", Lower: -60, Upper: 60})
	}
	return p, nil
}

// bent returns a posterior of seven parameters. The first two are a bent ridge. Each other is the log of a gamma variable of a shape between
// 0.5 and 2.5, whose mean and variance are the digamma and the trigamma function.
func bent() known {
	k := known{dim: 7, mean: []float64{0, 0}, sd: []float64{1, math.Sqrt(0.75)}}
	var shapes []float64
	for shape := 0.5; shape <= 2.5; shape += 0.5 {
		shapes = append(shapes, shape)
		k.mean, k.sd = append(k.mean, mathext.Digamma(shape)), append(k.sd, math.Sqrt(trigamma(shape)))
	}
	k.log = func(x []float64) float64 {
		off := (x[1] - (x[0]*x[0]-1)/2) / 0.5
		sum := -(x[0]*x[0] + off*off) / 2
		for j, shape := range shapes {
			sum += shape*x[2+j] - math.Exp(x[2+j])
		}
		return sum
	}
	k.draw = func(random *rand.Rand) []float64 {
		x := make([]float64, k.dim)
		x[0] = random.NormFloat64()
		x[1] = (x[0]*x[0]-1)/2 + 0.5*random.NormFloat64()
		for j, shape := range shapes { // twice a gamma variable of half a natural shape is a sum of squares
			for range int(2 * shape) {
				z := random.NormFloat64()
				x[2+j] += z * z / 2
			}
			x[2+j] = math.Log(x[2+j])
		}
		return x
	}
	return k
}

// trigamma returns the sum of 1/(x+k)² over k ≥ 0.
func trigamma(x float64) (sum float64) {
	const terms = 1000
	for k := range terms {
		sum += 1 / ((x + float64(k)) * (x + float64(k)))
	}
	return sum + 1/(x+terms-0.5) // the rest, up to 1e-10
}

// parted returns a posterior of two parts of different shape, far apart. The smaller one has a weight of 0.3.
func parted() known {
	const weight, at, narrow = 0.3, 6, 0.5 // the first coordinate of the smaller part, and its width
	k := known{dim: 3, mean: []float64{weight * at, 0, 0}}
	for j := range 3 {
		variance := 1 - weight + weight*narrow*narrow
		if j == 0 {
			variance += weight * (1 - weight) * at * at
		}
		k.sd = append(k.sd, math.Sqrt(variance))
	}
	k.log = func(x []float64) float64 {
		rest := x[1]*x[1] + x[2]*x[2]
		large := -(x[0]*x[0] + rest) / 2
		small := -((x[0]-at)*(x[0]-at) + rest) / (2 * narrow * narrow)
		return floats.LogSumExp([]float64{math.Log(1-weight) + large, math.Log(weight) - 3*math.Log(narrow) + small})
	}
	k.draw = func(random *rand.Rand) []float64 {
		x, width := []float64{0, 0, 0}, 1.0
		if random.Float64() < weight {
			x[0], width = at, narrow
		}
		for j := range x {
			x[j] += width * random.NormFloat64()
		}
		return x
	}
	return k
}

// moved returns a posterior that is narrower than another, and beside it.
func (k known) moved(narrow, shift float64) known {
	m := k
	m.log = func(x []float64) float64 {
		y := make([]float64, len(x))
		for j := range x {
			y[j] = k.mean[j] + (x[j]-k.mean[j]-shift*k.sd[j])/narrow
		}
		return k.log(y)
	}
	m.draw = func(random *rand.Rand) []float64 {
		x := k.draw(random)
		for j := range x {
			x[j] = k.mean[j] + narrow*(x[j]-k.mean[j]) + shift*k.sd[j]
		}
		return x
	}
	return m
}

// drawn returns two chains of draws of a posterior.
func (k known) drawn(random *rand.Rand) *valued {
	d := &chains.Draws{}
	for id := range 2 {
		c := chains.Chain{ID: id + 1, Trace: chains.NewTrace(k.dim, shortDraws)}
		for range shortDraws {
			for j, x := range k.draw(random) {
				c.Params[j] = append(c.Params[j], x)
			}
		}
		d.Chains = append(d.Chains, c)
	}
	p, _ := k.bind(nil)
	return &valued{d, p, 2 * shortDraws, nil}
}

// TestKnownMoments compares weighted positions with moments that are known: around draws of the posterior itself, around draws of one that is
// narrower and beside it, among the positions that were drawn for the latter, and around draws that are much narrower. No standard deviation may
// be understated: rounds alone, without the draws themselves, had 0.76 times that of the bent ridge, and around the narrowest draws rounds that
// ended with the first 400 effective positions 0.88. Now the latter is 0.93, and the limit below it, because the last digits differ from processor to processor.
func TestKnownMoments(t *testing.T) {
	const seeds = 40
	for name, k := range map[string]known{"bent": bent(), "parted": parted()} {
		for which, of := range map[string]known{"itself": k, "beside": k.moved(0.9, 0.2), "among": k.moved(0.9, 0.2), "narrow": k.moved(0.7, 0.3)} {
			bind := k.bind
			if which == "itself" || which == "among" {
				bind = nil
			}
			off, ratio := make([]float64, k.dim), make([]float64, k.dim)
			fits, positions := 0, 0
			for seed := range seeds {
				r := Reweighed{Draws: Draws{Sampler: Sampling{Chains: 2}.NUTS(uint64(seed))}}
				f := r.around(context.Background(), of.drawn(rand.New(rand.NewPCG(uint64(seed), 5))), bind, &Case{}, LeastOfFormula)
				if which == "among" && f != nil {
					f = r.among(context.Background(), f.positions, k.bind, &Case{}, LeastOfFormula)
				}
				if f == nil {
					continue
				}
				fits, positions = fits+1, positions+f.Draws.Len()*len(f.Draws.Chains)
				for j := range k.dim {
					m, s := (chains.Mean(f.Draws.Param(j))-k.mean[j])/k.sd[j], chains.SD(f.Draws.Param(j))/k.sd[j]
					off[j], ratio[j] = off[j]+m, ratio[j]+s
				}
			}
			t.Logf("%s, %s: %d of %d are trusted, after %d positions in the mean; off %.2f, ratio %.2f", name, which, fits, seeds, positions/max(fits, 1), off, ratio)
			if fits < seeds-2 {
				t.Errorf("%s, %s: %d of %d are trusted", name, which, fits, seeds)
			}
			for j := range k.dim { // errors over all seeds: 0.011 and 0.008. Beside it, draws seldom reach the far ends of the ridge
				if m, s := off[j]/float64(fits), ratio[j]/float64(fits); !(math.Abs(m) < 0.045 && s > 0.92 && s < 1.04 && (which != "itself" || s > 0.97)) {
					t.Errorf("%s, %s: x[%d] is off by %.3f in the mean, its standard deviation %.3f times the true one", name, which, j, m, s)
				}
			}
		}
	}
}

// TestCloudDensity: the density of a cloud is that of its draws, up to the constant of t distributions. Its integral is the mean, over draws
// of a wide normal, of its ratio to that normal's density.
func TestCloudDensity(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 1))
	p := points{}
	for range 40 {
		p.at, p.weight = append(p.at, []float64{3 + random.NormFloat64(), random.NormFloat64() / 2}), append(p.weight, 1./40)
	}
	k, err := newCloud(p)
	if err != nil {
		t.Fatal(err)
	}
	const n, spread = 200_000, 4.0
	mass, left := 0.0, 0.0
	for range n {
		a, b := random.NormFloat64(), random.NormFloat64()
		q := []float64{3 + spread*a, spread * b}
		density := math.Exp(k.logs([][]float64{q})[0]) / (2 * math.Pi) // a t distribution of two dimensions has 1/2π at its centre, whatever its freedom
		w := density / (math.Exp(-(a*a+b*b)/2) / (2 * math.Pi * spread * spread)) / n
		if mass += w; q[0] < 3 {
			left += w
		}
	}
	drawn := 0.0
	all := k.draw(random, n/10)
	for _, q := range all {
		if q[0] < 3 {
			drawn += 10. / n
		}
	}
	if len(all) != n/10 || !(math.Abs(mass-1) < 0.02 && math.Abs(left/mass-drawn) < 0.015) {
		t.Errorf("%d draws; the mass is %.3f, %.3f of it on the left; %.3f of the draws are", len(all), mass, left/mass, drawn)
	}
}

// TestNoPoints: positions without any weight, and points in a plane, end in no fit.
func TestNoPoints(t *testing.T) {
	k := parted()
	k.log = func([]float64) float64 { return math.Inf(-1) }
	r := Reweighed{Draws: Draws{Sampler: Sampling{Chains: 2}.NUTS(1)}}
	random := rand.New(rand.NewPCG(1, 5))
	if r.around(context.Background(), parted().drawn(random), k.bind, &Case{}, LeastOfReference) != nil {
		t.Error("there are weights where the density is 0 everywhere")
	}
	if r.around(context.Background(), parted().moved(0, 0).drawn(random), parted().bind, &Case{}, LeastOfReference) != nil {
		t.Error("there is a cloud around one point")
	}
}

// TestGivenUp: a slow likelihood whose weights cannot be trusted is given up, because its gradient is never asked for.
func TestGivenUp(t *testing.T) {
	k := parted()
	none := k
	none.log = func([]float64) float64 { return math.Inf(-1) }
	chainsFail := func(*Case) (Problem, error) { return Problem{}, errors.New("no chains") }
	r := Reweighed{Draws: Draws{Bind: chainsFail, Sampler: Sampling{Chains: 2}.NUTS(1)}}
	of := k.drawn(rand.New(rand.NewPCG(1, 5)))
	if f := r.weighted(context.Background(), Other{none.bind, LeastOfReference, true}, of, &Case{}); !errors.Is(f.Err, ErrGivenUp) || f.Draws != nil {
		t.Errorf("%v, want %v", f.Err, ErrGivenUp)
	}
	if f := r.weighted(context.Background(), Other{k.moved(0.9, 0.1).bind, LeastOfReference, true}, of, &Case{}); f.Err != nil || f.Draws == nil {
		t.Errorf("%v: a near likelihood is given up", f.Err)
	}
	if f := r.weighted(context.Background(), Other{k.bind, LeastOfReference, true}, nil, &Case{}); !errors.Is(f.Err, ErrGivenUp) {
		t.Errorf("%v without draws, want %v", f.Err, ErrGivenUp)
	}
}

// noting notes the positions at which values of a likelihood are computed.
type noting struct {
	known
	at *[][]float64
}

func (n noting) LogLik(x []float64) float64 {
	*n.at = append(*n.at, slices.Clone(x))
	return n.known.LogLik(x)
}

// TestSlowLikelihood: a slow likelihood gets its fit from some hundred values, beside one whose positions have weights. If the order of these
// positions counted as that of a chain, 1,550 would be computed for one seed in ten. Hardly any value is computed twice; it was one in four.
func TestSlowLikelihood(t *testing.T) {
	const seeds = 10
	k, values, distinct := bent(), 0, 0
	for seed := range uint64(seeds) {
		r := Reweighed{Draws: Draws{Sampler: Sampling{Chains: 2}.NUTS(seed)}}
		narrow := k.moved(0.7, 0.3).drawn(rand.New(rand.NewPCG(seed, 5))) // such that many rounds are drawn
		sampled := r.around(context.Background(), narrow, k.bind, &Case{}, LeastOfFormula)
		if sampled == nil {
			t.Fatal("the weights are refused")
		}
		var at [][]float64
		slow := func(c *Case) (Problem, error) {
			p, err := k.bind(c)
			p.Sum = noting{k, &at}
			return p, err
		}
		f := r.weighted(context.Background(), Other{slow, LeastOfReference, true}, newValued(sampled), &Case{})
		if f.Err != nil || len(at) > 300 {
			t.Fatalf("%d values of %d positions, error %v", len(at), len(sampled.positions.at), f.Err)
		}
		for j := range k.dim { // five standard errors of a hundred draws
			if m := (chains.Mean(f.Draws.Param(j)) - k.mean[j]) / k.sd[j]; !(math.Abs(m) < 0.5) {
				t.Errorf("seed %d: x[%d] is off by %.2f standard deviations", seed, j, m)
			}
		}
		values += len(at)
		slices.SortFunc(at, slices.Compare)
		distinct += len(slices.CompactFunc(at, slices.Equal))
	}
	if float64(distinct) < 0.95*float64(values) {
		t.Errorf("of %d values %d are of different positions", values, distinct)
	}
}
