package vec

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"likc/runtime/num/isa"
)

const precision = 320

// bigExp returns exp(x): Taylor's series of x/2^40, squared forty times.
func bigExp(x float64) *big.Float {
	r := new(big.Float).SetPrec(precision).SetMantExp(big.NewFloat(x), -40)
	term := new(big.Float).SetPrec(precision).SetInt64(1)
	total := new(big.Float).SetPrec(precision).SetInt64(1)
	for n := int64(1); n < 12; n++ {
		term.Mul(term, r)
		term.Quo(term, new(big.Float).SetInt64(n))
		total.Add(total, term)
	}
	for range 40 {
		total.Mul(total, total)
	}
	return total
}

// bigLog returns log(y). It starts from the approximation near, with an error of 1e-15, and takes one step of
// Halley's iteration, which triples the number of correct digits.
func bigLog(y *big.Float, near float64) *big.Float {
	e := bigExp(near)
	up := new(big.Float).SetPrec(precision).Sub(y, e)
	step := up.Quo(up, e.Add(e, y))
	step.Add(step, step)
	return step.Add(step, new(big.Float).SetPrec(precision).SetFloat64(near))
}

// roughLog returns math.Log(x), except for subnormal numbers, for which math.Log is wrong on amd64.
func roughLog(x float64) float64 {
	if x < 1e-300 {
		return math.Log(x*0x1p60) - 60*math.Ln2
	}
	return math.Log(x)
}

func exact(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

// reference is a function in high precision, with arguments at which it is hard to compute accurately. Tests
// use points around these arguments, around their multiples by powers of 2, and around their sums with
// multiples of ln2/2.
type reference struct {
	name   string
	run    func(dst, x []float64)
	value  func(x float64) *big.Float
	limit  float64 // the largest error of the vector kernels, in ulp
	domain func(x float64) bool
	hard   []float64
}

// turns are the arguments at which a sine is compared.
func turns(x float64) bool { return math.Abs(x) < 1e9 && math.Abs(x) > 1e-30 }

var references = []reference{
	{"Exp", Exp, bigExp, 1.5,
		func(x float64) bool { return x > -745.1 && x < 709.78 },
		[]float64{0, 1, -1, 709.7, 88, -708.3964, -744, -720, 1e-8, -1e-8}},
	{"Log", Log, func(x float64) *big.Float { return bigLog(exact(x), roughLog(x)) }, 1.5,
		func(x float64) bool { return x > 0 && x != 1 && !math.IsInf(x, 1) },
		[]float64{1, 0.75, 1.5, 0.7071, 1.4142, 2, 0.5, 0x1p-1022, 0x1p-1060, 1e300, 1.3333, 0.999}},
	{"Expm1", Expm1, func(x float64) *big.Float { e := bigExp(x); return e.Sub(e, exact(1)) }, 1.5,
		func(x float64) bool { return x > -100 && x < 709.78 && math.Abs(x) > 1e-30 },
		[]float64{1e-3, -1e-3, 0.34657, -0.34657, 1, -1, 37, -37, 709.7, 1e-16, -1e-16, 0x1p-54, 1e-10}},
	{"Log1p", Log1p, func(x float64) *big.Float {
		y := exact(1)
		return bigLog(y.Add(y, exact(x)), math.Log1p(x))
	}, 1.5,
		func(x float64) bool { return x > -1 && math.Abs(x) > 1e-30 && !math.IsInf(x, 1) },
		[]float64{-0.5, 0.5, -0.25, 1, -0.999999, 1e-3, -1e-3, 1e15, 1e16, 1e17, 0x1p53, 1e300, 1e-16, -1e-16, 0x1p-54, 0.4142, -0.2929, 2, 1e5}},
	{"Sin", Sin, func(x float64) *big.Float { return bigSin(x, 0) }, 1.5, turns,
		[]float64{math.Pi, math.Pi / 2, math.Pi / 4, 3 * math.Pi / 4, 1e-8, 1e3, 1e6, 355, 1e9}},
	{"Cos", Cos, func(x float64) *big.Float { return bigSin(x, 1) }, 1.5, turns,
		[]float64{math.Pi, math.Pi / 2, math.Pi / 4, 3 * math.Pi / 4, 1e-8, 1e3, 1e6, 355, 1e9}},
	{"Erf", Erf, bigErf, 1.5,
		func(x float64) bool { return math.Abs(x) < 6.5 && math.Abs(x) > 1e-30 },
		[]float64{1, -1, 0.84375, 0.5, 2, 3, 5.9, 6, 1e-8, 0.01, 1.25, 1.5, -2.857}},
}

// bigSin returns sin(x + quarters·π/2), by Taylor's series of the remainder modulo 2π.
func bigSin(x, quarters float64) *big.Float {
	r := exact(x)
	r.Add(r, new(big.Float).Mul(bigHalfPi, exact(quarters)))
	turns, _ := new(big.Float).Quo(r, bigHalfPi).Float64()
	r.Sub(r, new(big.Float).SetPrec(precision).Mul(bigHalfPi, exact(4*math.Round(turns/4))))
	square, term := new(big.Float).Mul(r, r), new(big.Float).Copy(r)
	for n := int64(2); n < 60; n += 2 {
		term.Mul(term, square)
		term.Quo(term, exact(float64(-n*(n+1))))
		r.Add(r, term)
	}
	return r
}

// bigHalfPi is π/2.
var bigHalfPi, _, _ = big.ParseFloat("1.57079632679489661923132169163975144209858469968755291048747229615390820314310449931401741267105853399107404326",
	10, precision, big.ToNearestEven)

// bigErf returns erf(x) by the series 2/√π·Σ (-1)^n x^(2n+1)/(n!(2n+1)). At |x| = 6 cancellation costs 50 digits.
func bigErf(x float64) *big.Float {
	square := exact(x)
	square.Mul(square, square)
	power, total := exact(x), exact(x)
	for n := int64(1); n < 250 && power.MantExp(nil) > -200; n++ {
		power.Mul(power, square)
		power.Quo(power, exact(float64(-n)))
		term := exact(float64(2*n + 1))
		total.Add(total, term.Quo(power, term))
	}
	root, _, err := big.ParseFloat("1.12837916709551257389615890312154517168810125865799771368817144342", 10, precision, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	return total.Mul(total, root)
}

// points returns arguments: numbers with random bits, numbers of random size, and neighbours of hard arguments.
func (f reference) points(n int) []float64 {
	rng := rand.New(rand.NewPCG(21, 22))
	var x []float64
	keep := func(v float64) {
		if f.domain(v) {
			x = append(x, v)
		}
	}
	for _, h := range f.hard {
		up, down := h, h
		for range 30 {
			keep(up)
			keep(down)
			up, down = math.Nextafter(up, math.Inf(1)), math.Nextafter(down, math.Inf(-1))
		}
	}
	for k := -2200; k < 2200; k++ {
		keep(float64(k) * math.Ln2 / 2)
		keep(math.Nextafter(float64(k)*math.Ln2/2, 0))
		keep(math.Ldexp(0.75, k/2))
		keep(math.Nextafter(math.Ldexp(1.5, k/2), 0))
	}
	for len(x) < n {
		keep(math.Float64frombits(rng.Uint64()))
		keep(rng.NormFloat64())
		keep(1 + 0.5*(rng.Float64()-0.5))
		keep(1500 * (rng.Float64() - 0.5))
		h := f.hard[rng.IntN(len(f.hard))]
		keep(h * (1 + math.Exp(-40*rng.Float64())*rng.NormFloat64()))
	}
	return x
}

// worst returns the argument with the largest error, and this error in ulp.
func (f reference) worst(x []float64) (at, ulps float64) {
	got := make([]float64, len(x))
	f.run(got, x)
	for i, v := range x {
		want := f.value(v)
		near, _ := want.Float64()
		miss, _ := want.Sub(want, exact(got[i])).Float64()
		if e := math.Abs(miss) / ulp[float64](near); e > ulps || e != e {
			at, ulps = v, e
		}
	}
	return at, ulps
}

func TestAccuracy(t *testing.T) {
	if testing.Short() {
		t.Skip("long under the race detector, for which it has nothing")
	}
	n := 20000
	if os.Getenv("LIKC_LONG") != "" {
		n = 300000
	}
	for _, f := range references {
		x := f.points(n)
		t.Run(f.name, func(t *testing.T) {
			eachISA(t, func(t *testing.T) {
				at, ulps := f.worst(x)
				t.Logf("at worst %.3f ulp, at %v (%x)", ulps, at, at)
				limit := f.limit
				if active == isa.Portable {
					limit = 2 // largest error of package math, if it is not near a zero of a sine or cosine
					if f.name == "Sin" || f.name == "Cos" {
						t.Skip("package math")
					}
				}
				if !(ulps <= limit) {
					t.Errorf("%s(%v): %.3f ulp, limit %v", f.name, at, ulps, limit)
				}
			})
		})
	}
}

// TestAccuracy32 compares float32 kernels with package math's float64 over
// every 4099th float32, and all of some stretches.
func TestAccuracy32(t *testing.T) {
	step := uint64(4099)
	if os.Getenv("LIKC_LONG") != "" {
		step = 101
	}
	for _, f := range []struct {
		name string
		run  func(dst, x []float32)
		want func(float64) float64
	}{{"Exp32", Exp32, math.Exp}, {"Log32", Log32, math.Log}} {
		var x []float32
		for b := uint64(0); b < 1<<32; b += step {
			x = append(x, math.Float32frombits(uint32(b)))
		}
		for b := uint32(0x3F300000); b < 0x3FD00000; b += 17 { // 0.69 to 1.63
			x = append(x, math.Float32frombits(b))
		}
		got := make([]float32, len(x))
		eachISA(t, func(t *testing.T) {
			f.run(got, x)
			at, worst := float32(0), 0.0
			for i, v := range x {
				want := f.want(float64(v))
				if math.IsNaN(want) || float32(want) == 0 || math.Abs(want) > math.MaxFloat32 {
					if !agree(got[i], float32(want), true) {
						t.Fatalf("%s(%v) = %v, want %v", f.name, v, got[i], want)
					}
					continue
				}
				if e := math.Abs(float64(got[i])-want) / ulp[float32](want); !(e <= worst) {
					at, worst = v, e
				}
			}
			t.Logf("%s: at worst %.3f ulp, at %v", f.name, worst, at)
			if !(worst <= 1.5) {
				t.Errorf("%s(%v): %.3f ulp", f.name, at, worst)
			}
		})
	}
}
