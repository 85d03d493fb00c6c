package omission

import (
	"cmp"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/trials"

	"gonum.org/v1/gonum/integrate/quad"
)

// For every built-in model that can have a deadline, log S and its gradient agree with an independent integral, at parameters all over the
// ranges and deadlines from 0.05 to 3 s: many are before the onset or before a narrow peak. With LIKC_LONG=1 the test uses 10,000 points of
// each model instead of a few. LIKC_POINTS sets another number of points, and LIKC_OMISSIONS lists the models to be tested.
func TestSurvivalIsRight(t *testing.T) {
	points := 2
	if os.Getenv("LIKC_LONG") != "" {
		points = 10_000
	}
	if n, err := strconv.Atoi(os.Getenv("LIKC_POINTS")); err == nil { // another number of points
		points = n
	}
	all, err := catalog.All()
	if err != nil {
		t.Fatal(err)
	}
	only := strings.Fields(os.Getenv("LIKC_OMISSIONS")) // empty: all models
	for _, m := range all {
		if m.Origin.Kind == catalog.Process ||
			len(only) > 0 && !slices.Contains(only, m.Name) {
			continue
		}
		if os.Getenv("LIKC_LONG") == "" && m.Choices > 1 && m.Choices != 3 {
			continue // one size of each race is enough
		}
		b, err := bound.Open(m, bound.Ready)
		if err != nil {
			t.Fatal(err)
		}
		c, err := b.With(Deadline{})
		if err != nil {
			t.Log(err)
		} else {
			checkSurvival(t, c, b, pointsFor(m, points))
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// pointsFor returns the number of points at which a model is tested: at most 1,000 for formulas, teachers and the largest races, whose
// reference integrals take minutes.
func pointsFor(m *catalog.Model, points int) int {
	if k := m.Origin.Kind; k == catalog.Formula || k == catalog.Teacher || m.Choices > 3 {
		return min(points, 1000)
	}
	return points
}

// slopesOff holds the allowed error of a model's derivatives, if it is not 1e-5. For full_ddm, two of 10,000 points have a larger error,
// because its density has kinks where the range of onsets begins and ends (docs/explanation/testing.md).
var slopesOff = map[string]float64{"full_ddm": 1e-4}

func checkSurvival(t *testing.T, c, b *bound.Prepared, points int) {
	t.Helper()
	m := c.Model
	rng := rand.New(rand.NewPCG(30, uint64(len(m.Params))))
	var worst, worstSlope, most float64
	for range points {
		theta := make([]float64, len(m.Params))
		for j, p := range m.Params {
			theta[j] = p.Lower + (p.Upper-p.Lower)*rng.Float64()
		}
		deadline := 0.05 * math.Pow(60, rng.Float64())
		rows, err := c.Rows(kernel.Responses([]float64{deadline}, []float64{trials.Omitted}))
		if err != nil {
			t.Fatal(err)
		}
		var got [1]float64
		slopes := make([][]float64, len(theta))
		for j := range slopes {
			slopes[j] = make([]float64, 1)
		}
		rows.Each(kernel.Fixed(theta), got[:], slopes)
		want, gradient := integrated(t, m, b, theta, deadline)
		if m.Origin.Kind == catalog.Teacher { // the integrands of its slopes jump at the knots of a spline
			gradient = differences(rows, theta)
		}
		if most = max(most, got[0]); !(want > math.Log(1e-12)) {
			continue
		}
		if want > 1e-9 { // the density's own mass is above 1
			if !(got[0] >= -1e-5 && got[0] <= 0) {
				t.Errorf("%s at %v, deadline %v: log survival %v, want 0 to 1e-5", m.Name, theta, deadline, got[0])
			}
			continue
		}
		off := math.Abs(got[0] - want)
		if worst = max(worst, off); !(off <= 1e-5 && got[0] <= 0) {
			t.Errorf("%s at %v, deadline %v: log survival %v, want %v", m.Name, theta, deadline, got[0], want)
		}
		for j := range theta {
			if math.IsNaN(gradient[j]) { // the density's own slope is undefined at some time
				continue
			}
			off := math.Abs(slopes[j][0]-gradient[j]) / max(1, math.Abs(gradient[j]))
			if worstSlope = max(worstSlope, off); !(off <= cmp.Or(slopesOff[m.Name], 1e-5)) {
				t.Errorf("%s at %v, deadline %v: d/d%s is %v, want %v", m.Name, theta, deadline, m.Params[j].Name, slopes[j][0], gradient[j])
			}
		}
	}
	t.Logf("%-20s log survival is off by %.1e at most, slopes by %.1e, and the greatest log survival is %.1e", m.Name, worst, worstSlope, most)
}

// differences returns the gradient of the first row's log density, by central differences.
func differences(rows kernel.Rows, theta []float64) (gradient []float64) {
	const h = 1e-6
	at := func(j int, x float64) float64 {
		var value [1]float64
		moved := slices.Clone(theta)
		moved[j] += x
		rows.Each(kernel.Fixed(moved), value[:], nil)
		return value[0]
	}
	for j := range theta {
		gradient = append(gradient, (at(j, h)-at(j, -h))/(2*h))
	}
	return gradient
}

// integrated returns log S and its gradient by adaptive bisection, which starts from geometric grids from the onset and from the deadline on.
func integrated(t *testing.T, m *catalog.Model, b *bound.Prepared, theta []float64, deadline float64) (logS float64, gradient []float64) {
	t.Helper()
	gradient = make([]float64, len(theta))
	onset := m.OnsetAt(theta)
	if deadline <= onset && m.Lapse == nil {
		return 0, gradient
	}
	ends := []float64{deadline}
	for u := 1e-8; u < 1e13; u *= 4 {
		ends = append(ends, deadline+u)
		for _, end := range []float64{onset - u, onset + u} {
			if end > deadline {
				ends = append(ends, end)
			}
		}
	}
	if m.Lapse != nil && m.Lapse.Until > deadline { // the density jumps at the end of the lapses
		ends = append(ends, m.Lapse.Until)
	}
	slices.Sort(ends)
	var open []span
	for i := 1; i < len(ends); i++ {
		if ends[i]-ends[i-1] > 1e-12*ends[i] {
			open = append(open, span{from: ends[i-1], to: ends[i]})
		}
	}
	evaluate(t, m, b, theta, open)
	done := make([]float64, 1+len(theta))
	for depth := 0; len(open) > 0; depth++ {
		total := done[0]
		for _, s := range open {
			total += s.integrals[0]
		}
		var halves []span
		for _, s := range open {
			middle := (s.from + s.to) / 2
			halves = append(halves, span{from: s.from, to: middle}, span{from: middle, to: s.to})
		}
		evaluate(t, m, b, theta, halves)
		var next []span
		for k, s := range open {
			one, two := halves[2*k], halves[2*k+1]
			near := depth == 14 || len(open) > 3000 // the remaining differences are rounding errors
			if !near {
				near = true
				for i, whole := range s.integrals {
					within := 1e-9
					if i > 0 {
						within = 1e-7 // derivatives of races are less accurate
					}
					near = near && math.Abs(whole-one.integrals[i]-two.integrals[i]) <= within*total
				}
			}
			if !near {
				next = append(next, one, two)
				continue
			}
			for i := range done {
				done[i] += one.integrals[i] + two.integrals[i]
			}
		}
		open = next
	}
	for j := range gradient {
		gradient[j] = done[1+j] / done[0]
	}
	return math.Log(done[0]), gradient
}

// span is an interval of time, with the integrals of the density and of its derivatives by Gauss's rule of 10 points.
type span struct {
	from, to  float64
	integrals []float64
}

func evaluate(t *testing.T, m *catalog.Model, b *bound.Prepared, theta []float64, spans []span) {
	t.Helper()
	const points = 10
	at, weight := make([]float64, points), make([]float64, points)
	codes := []float64{0}
	if m.Choice != "" {
		codes = m.Codes()
	}
	var rt, choice []float64
	for _, s := range spans {
		quad.Legendre{}.FixedLocations(at, weight, s.from, s.to)
		for _, code := range codes {
			for _, x := range at {
				rt, choice = append(rt, x), append(choice, code)
			}
		}
	}
	if m.Choice == "" {
		choice = nil
	}
	rows, err := b.Rows(kernel.Responses(rt, choice))
	if err != nil {
		t.Fatal(err)
	}
	logp, grad := make([]float64, len(rt)), make([][]float64, len(theta))
	for j := range grad {
		grad[j] = make([]float64, len(rt))
	}
	rows.Each(kernel.Fixed(theta), logp, grad)
	row := 0
	for k := range spans {
		s := &spans[k]
		quad.Legendre{}.FixedLocations(at, weight, s.from, s.to)
		s.integrals = make([]float64, 1+len(theta))
		for range codes {
			for i := range at {
				f := weight[i] * math.Exp(logp[row])
				if math.IsNaN(f) && s.from > 1e6 { // a race's density has no digits there, and log densities around it are below -1e6
					f = 0
				}
				s.integrals[0] += f
				for j := range theta {
					if f == 0 { // slopes may be infinite
						break
					}
					s.integrals[1+j] += f * grad[j][row]
				}
				row++
			}
		}
	}
}

// An omission with a deadline before the onset carries no information: at all parameters its log density is 0, with zero derivatives. So it
// changes no posterior and no leave-one-out sum. Up to rounding, the same holds for every deadline that is too early for a response.
func TestOmissionsThatSayNothing(t *testing.T) {
	const deadline = 0.12
	for name, all := range map[string][][]float64{
		"ddm": {{1, 1.2, 0.5, 0.3}, {-2, 0.4, 0.5, 0.13}, {0.5, 3, 0.5, 0.06}}, "angle": {{1, 1.2, 0.5, 0.3, 0.2}, {3, 0.5, 0.5, 0.12, 1}},
		"lnr2": {{-1, -0.5, 0.5, 0.2}, {-2.8, 1.5, 0.1, 0.35}}, "shifted_wald": {{7, 0.2, 0.5}, {2, 3.5, 0.03}}, "lba2": {{2.5, 1.5, 0, 0.8, 0.2}, {3, 1, 0.3, 3, 0}},
	} {
		c := censored(t, name)
		m := c.Model
		rows, err := c.Rows(kernel.Responses([]float64{deadline}, []float64{trials.Omitted}))
		if err != nil {
			t.Fatal(err)
		}
		for _, theta := range all {
			var got [1]float64
			slopes := make([][]float64, len(theta))
			for j := range slopes {
				slopes[j] = make([]float64, 1)
			}
			rows.Each(kernel.Fixed(theta), got[:], slopes)
			within := 0.0
			if m.OnsetAt(theta) < deadline {
				within = 1e-9
			}
			if !(math.Abs(got[0]) <= within) {
				t.Errorf("%s at %v: an omission that says nothing has the log density %v", name, theta, got[0])
			}
			for j, s := range slopes {
				if !(math.Abs(s[0]) <= 100*within) {
					t.Errorf("%s at %v: it has the slope %v in %s", name, theta, s[0], m.Params[j].Name)
				}
			}
		}
	}
}
