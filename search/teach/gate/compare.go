package gate

import (
	"fmt"
	"math"

	"likc/runtime/model/bound"
	"likc/runtime/model/kernel"
	"likc/runtime/model/ssm"
	"likc/runtime/num/statistic"
	"likc/search/study/bank"
)

// compared holds log densities of the same trials: the teacher's, and another density's.
type compared struct{ teacher, other []float64 }

// compare evaluates the teacher's and the other density at the first `most` trials of each subject.
func compare(s Subject, b *bank.Bank, other Density, most int) compared {
	var c compared
	for i := range b.Subjects {
		subject := &b.Subjects[i]
		n := min(most, len(subject.RT))
		x, y, theta := make([]float64, n), make([]float64, n), make([][]float64, n)
		for k := range theta {
			theta[k] = subject.Theta
		}
		s.LogDensity(x, theta, subject.RT[:n], subject.Choice[:n])
		other.LogDensity(y, theta, subject.RT[:n], subject.Choice[:n])
		c.teacher, c.other = append(c.teacher, x...), append(c.other, y...)
	}
	return c
}

// raise replaces log densities below the floor by the floor.
func (c compared) raise(floor float64) compared {
	for i := range c.teacher {
		c.teacher[i], c.other[i] = math.Max(c.teacher[i], floor), math.Max(c.other[i], floor)
	}
	return c
}

// sameDensity is the mean absolute difference of log densities below which two networks count as the same one. Networks trained
// independently differ by more.
const sameDensity = 1e-6

const crossMeaning = "correlation of log densities with those of an independently trained network, both raised to that network's floor"

// crossCheck compares the teacher with an independently trained network. A network that gives the teacher's own densities is an error.
// Without a network, the only figure says that the comparison was not run.
func crossCheck(s Subject, b *bank.Bank, network *Network, settings Settings) ([]Figure, error) {
	if network == nil {
		why := "no network was given"
		if settings.Uncrossed {
			why = "the examiner said that there is no independently trained network of the model"
		}
		return []Figure{notRun(crossed, crossMeaning, why)}, nil
	}
	c := compare(s, b, network, settings.Crossed).raise(network.Floor)
	distance := absoluteError(c.teacher, c.other)
	if distance < sameDensity {
		return nil, fmt.Errorf("gate: %s: gives the teacher's own log densities: want an independently trained network", network.File)
	}
	return []Figure{
		above(crossed, statistic.Correlation(c.teacher, c.other), LeastCrossR, crossMeaning),
		information("cross_mae", distance, "mean absolute difference of the same", "for information"),
	}, nil
}

// exactNote is the note of figures that need the exact density.
const exactNote = "for information, never used by the search"

// exactFigures compares the teacher with the exact density of the process; nil if the process has none.
func exactFigures(s Subject, b *bank.Bank, settings Settings) []Figure {
	if s.Model.Density == nil {
		return nil
	}
	c := compare(s, b, exact{s.Model}, settings.Crossed)
	return []Figure{
		information("exact_r", statistic.Correlation(c.teacher, c.other), "correlation of log densities with the exact ones", exactNote),
		information("exact_mae", absoluteError(c.teacher, c.other), "mean absolute difference of the same", exactNote),
	}
}

// exact computes the exact density of a process.
type exact struct{ *ssm.Model }

// LogDensity fills dst with log p(rt, choice | theta).
func (e exact) LogDensity(dst []float64, theta [][]float64, rt, choice []float64) {
	for i := range dst {
		dst[i] = e.Model.LogDensity(rt[i], choice[i], theta[i])
	}
}

// Exact returns the exact density of a process in the form that the gate examines. No teacher can do better.
func Exact(m *ssm.Model) Subject {
	bind := func(rt, choice []float64) (kernel.Sum, error) {
		rows, err := m.Rows(rt, choice)
		if err != nil {
			return nil, err
		}
		return bound.SumOf(rows), nil
	}
	return Subject{Density: exact{m}, Bind: bind, Model: m}
}
