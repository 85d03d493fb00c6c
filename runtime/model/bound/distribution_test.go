package bound

import (
	"math"
	"os"
	"slices"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/model/honesty"
	"likc/runtime/model/ssm"
)

// The test compares every built-in model that claims a distribution with trials of its simulator: exact densities, closed forms, numerical
// densities, teachers, and formulas that were judged honest. A process without a density is compared with itself at an eighth of the time step. With LIKC_LONG=1
// the test prints the table of docs/evidence/simulators.md; without, it compares one model in four, with fewer trials.
func TestModelsHaveTheDistributionOfTheirSimulator(t *testing.T) {
	all, err := catalog.All()
	if err != nil {
		t.Fatal(err)
	}
	processes, err := catalog.Processes()
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, processes...)
	n, points := 100_000, 4
	long := os.Getenv("LIKC_LONG") != ""
	if !long {
		n, points = 10_000, 1
	}
	all = slices.DeleteFunc(all, func(m *catalog.Model) bool { return !claims(m) })
	for i, m := range all {
		if !long && i%4 != 0 {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			compare := againstDensity
			if m.Usable() != nil {
				compare = againstShorterSteps
			}
			worst := 0.0
			for k, theta := range Spread(m, points) {
				d, chance := compare(t, m, theta, n, uint64(k))
				if worst = max(worst, d); !(d < chance+ownError(m)) {
					t.Errorf("at %v the distance is %.4f: by chance it is %.4f, and its own error is %.3f", theta, d, chance, ownError(m))
				}
			}
			t.Logf("| `%s` | %s | %.4f |", m.Name, m.Origin.Kind, worst)
		})
	}
}

// claims reports whether a model of one response time claims to have the distribution of its process.
func claims(m *catalog.Model) bool {
	_, simulated := m.Simulator()
	judged, known := m.Judged()
	return simulated && len(m.Trials) == 1 && (m.Origin.Kind != catalog.Formula || known && judged.Honest != honesty.NotHonest)
}

// ownError returns the largest Kolmogorov–Smirnov distance that is allowed between a model's distribution and its process: 0 for exact
// densities. Teachers and formulas are approximations. All that were measured are within these bounds (docs/evidence/simulators.md), most
// formulas by far.
func ownError(m *catalog.Model) float64 {
	switch m.Origin.Kind {
	case catalog.Teacher:
		return 0.01
	case catalog.Formula:
		return 0.05
	}
	return 0
}

// rarely is the value of Kolmogorov's statistic that one sample in 20,000 exceeds.
const rarely = 2.3

// againstDensity returns the Kolmogorov–Smirnov distance between simulated trials and the density, and the limit that it rarely exceeds by
// chance.
func againstDensity(t *testing.T, m *catalog.Model, theta []float64, n int, seed uint64) (d, chance float64) {
	_, over := timed(t, m.Name)
	rt, choice := simulatedTrials(t, m, theta, n, 1, seed)
	return distanceFromDensity(over, theta, rt, choice), rarely / math.Sqrt(float64(n))
}

// againstShorterSteps returns the same for two samples of a process: simulated with its time step, and with an eighth of it.
func againstShorterSteps(t *testing.T, m *catalog.Model, theta []float64, n int, seed uint64) (d, chance float64) {
	rt, choice := simulatedTrials(t, m, theta, n, 1, seed)
	fine, fineChoice := simulatedTrials(t, m, theta, n, 8, seed+1000)
	for _, c := range m.Codes() {
		d = max(d, sampleDistance(timesOf(rt, choice, c), timesOf(fine, fineChoice, c), n))
	}
	return d, rarely * math.Sqrt(2/float64(n))
}

// simulatedTrials returns n trials of the model's simulator, with its time step divided by `divided`.
func simulatedTrials(t *testing.T, m *catalog.Model, theta []float64, n, divided int, seed uint64) (rt, choice []float64) {
	t.Helper()
	s, _ := m.Simulator()
	scheme, _, err := s.Process.Scheme("")
	if err != nil {
		t.Fatal(err)
	}
	scheme.Step /= float64(divided)
	rt, choice = make([]float64, n), make([]float64, n)
	if err := s.Simulate(ssm.NewRand(7, seed), theta, scheme, rt, choice); err != nil {
		t.Fatal(err)
	}
	return rt, choice
}

// timesOf returns the response times of one choice in ascending order.
func timesOf(rt, choice []float64, c float64) (times []float64) {
	for i, x := range rt {
		if choice[i] == c {
			times = append(times, x)
		}
	}
	slices.Sort(times)
	return times
}

// sampleDistance returns the largest difference, over time, between two empirical distribution functions of one choice. x and y are the
// sorted times of that choice in two samples of n trials.
func sampleDistance(x, y []float64, n int) (most float64) {
	for i, j := 0, 0; i < len(x) || j < len(y); {
		if j == len(y) || i < len(x) && x[i] < y[j] {
			i++
		} else {
			j++
		}
		most = max(most, math.Abs(float64(i-j))/float64(n))
	}
	return most
}

// distanceFromDensity returns the largest difference, over time and choices, between the empirical distribution function of a choice and
// the integral of its density. The density is integrated by the trapezoidal rule on a fine grid.
func distanceFromDensity(over *Timed, theta, rt, choice []float64) (most float64) {
	onset := over.model.OnsetAt(theta)
	u, f := make([]float64, 5_000), make([]float64, 5_000)
	for i := range u {
		u[i] = 1e-5 * math.Exp(float64(i)/float64(len(u))*math.Log(1e9))
	}
	for _, c := range over.choices {
		seen := timesOf(rt, choice, c)
		if over.model.Choice == "" {
			seen = slices.Sorted(slices.Values(rt))
		}
		over.at(theta, c, u, f)
		total, k := 0.0, 0
		for i := 1; i < len(u); i++ {
			total += (math.Exp(f[i-1]) + math.Exp(f[i])) / 2 * (u[i] - u[i-1])
			for k < len(seen) && seen[k] <= onset+u[i] {
				k++
			}
			most = max(most, math.Abs(total-float64(k)/float64(len(rt))))
		}
	}
	return most
}
