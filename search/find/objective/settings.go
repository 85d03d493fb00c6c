package objective

import (
	"errors"
	"fmt"
	"math"
)

// Settings determine the loss. [Paper] returns the defaults.
type Settings struct {
	Lambda float64 `json:"lambda"` // weight λ of 1 − R in the loss; R says how well parameters are recovered
	// The proxies use the first ProxyGroups groups and the first ProxyTrials trials of each. This is a fair sample, because groups and
	// trials are in random order.
	ProxyGroups int `json:"proxy_groups"`
	ProxyTrials int `json:"proxy_trials"`
	GridPoints  int `json:"grid_points"` // number of grid points of each parameter: equally spaced over its range, ends included

	// JointGroups and JointTrials determine the sample of the joint proxy, which estimates all parameters at once. It has the first
	// JointTrials trials of the first JointGroups subjects that have so many. 0 means no joint proxy.
	JointGroups int `json:"joint_groups,omitempty"`
	JointTrials int `json:"joint_trials,omitempty"`
	// JointPoints is the approximate number of weighted points that replace a subject's trials; 0: the trials themselves are used.
	JointPoints int `json:"joint_points,omitempty"`
	// JointWeight is the joint proxy's share of R, from 0 to 1.
	JointWeight float64 `json:"joint_weight,omitempty"`
	// JointFrom is the least R of the profiles at which the joint proxy is computed, because it takes milliseconds. Below it, the
	// joint proxy's R is 0, and so are its terms. At λ = 0 it is never computed.
	JointFrom float64 `json:"joint_from,omitempty"`

	// JointNeeded rejects an expression whose profiles are below JointFrom. Otherwise its joint R of 0 would be better than that of
	// an expression whose joint estimates are all at edges, which is negative.
	JointNeeded bool `json:"joint_needed,omitempty"`

	// JointWeakest is the share of the weakest parameter in the joint proxy's R, from 0 to 1; the mean over parameters has the rest.
	JointWeakest float64 `json:"joint_weakest,omitempty"`

	// JointLeast is the correlation in the joint proxy above which a parameter counts as recovered. It is more than the judge's ½,
	// because an expression that barely reaches ½ in the proxy mostly fails with the judge.
	JointLeast float64 `json:"joint_least,omitempty"`

	// Edge is Ends or Missed.
	Edge string `json:"edge"`
	// NonFinite is Role or Reject.
	NonFinite string `json:"nonfinite"`
	// Fit is MSE or Robust. Robust is the mean of d²/(9 + d²), between 0 and 1. Here d is a row's distance minus the median
	// distance on the first trials of the first 128 groups. It ignores an additive constant, because that changes no estimate. It
	// limits the influence of single rows, because a few large errors say little about an expression. For example, a quotient
	// with a pole at the right time, but not yet with the right residue, has a mean square in the hundreds.
	Fit string `json:"fit"`
	// Single makes trees evaluate in float32, with sums of squares in float64. MSE then has a relative error of about 1e-6, and in one
	// of sixty expressions some group's estimate moves by a grid point. The joint proxy is always computed in float64.
	Single bool `json:"single"`
}

// These are the values of Settings.NonFinite.
const (
	// Role treats a value that is not finite by its role: on a row of the data it rejects the expression, in a proxy only the grid
	// point.
	Role = "role"
	// Reject is PySR's rule: any value that is not finite rejects the expression, even outside the support.
	Reject = "reject"
)

// These are the values of Settings.Edge.
const (
	// Ends counts an estimate at the first or last point of the grid as an edge, even if the truth is next to it.
	Ends = "ends"
	// Missed counts such an estimate as an edge only if the truth is nearer to another grid point; in the joint proxy, only if the truth
	// is half a grid cell or more away. If no point has a finite sum, the estimate is always an edge.
	Missed = "missed"
)

// These are the values of Settings.Fit.
const (
	MSE    = "mse"    // mean squared distance
	Robust = "robust" // mean of a bounded function of the distance
)

// Paper returns the paper's settings at λ = 1.
func Paper() Settings {
	return Settings{Lambda: 1, ProxyGroups: 50, ProxyTrials: 5, GridPoints: 9, Edge: Ends, NonFinite: Role, Fit: MSE}
}

// Improved returns settings under which the exact density has nearly the lowest possible loss. They are for rows with subjects
// that have at least a thousand trials at both boundaries.
func Improved() Settings {
	s := Paper()
	s.ProxyTrials, s.Edge, s.Fit = 20, Missed, Robust
	s.JointGroups, s.JointTrials, s.JointPoints, s.JointWeight, s.JointWeakest, s.JointFrom, s.JointLeast = 90, 1000, 16, 0.8, 0.5, 0.6, 0.6
	return s
}

// Polish returns settings for local search on expressions that were found with Improved. The joint recovery of the weakest
// parameter has the largest share. There are more subjects, because a climb overfits few subjects.
func Polish() Settings {
	s := Improved()
	s.Lambda, s.JointGroups, s.JointWeight, s.JointWeakest, s.JointNeeded = 50, 300, 0.95, 0.8, true
	return s
}

// Check returns an error for settings that determine no loss.
func (s Settings) Check() error {
	switch {
	case !(s.Lambda >= 0) || math.IsInf(s.Lambda, 1):
		return fmt.Errorf("settings: lambda %v: want a finite number that is not negative", s.Lambda)
	case s.ProxyGroups < 2 || s.ProxyTrials < 1 || s.GridPoints < 2:
		return fmt.Errorf("settings: proxy of %d groups, %d trials, %d points: want at least 2, 1 and 2",
			s.ProxyGroups, s.ProxyTrials, s.GridPoints)
	case s.JointGroups < 0 || s.JointGroups == 1 || s.JointGroups > 0 && s.JointTrials < 1:
		return fmt.Errorf("settings: joint proxy of %d groups and %d trials: want at least 2 and 1", s.JointGroups, s.JointTrials)
	case !(s.JointWeight >= 0 && s.JointWeight <= 1) || s.JointWeight > 0 && s.JointGroups == 0 || math.IsNaN(s.JointFrom):
		return fmt.Errorf("settings: joint weight %v with %d groups: want 0 to 1, and groups", s.JointWeight, s.JointGroups)
	case math.IsInf(s.JointFrom, 0) || !(s.JointLeast >= 0 && s.JointLeast < 1):
		return fmt.Errorf("settings: joint from %v, least correlation %v: want a finite number, and 0 to below 1", s.JointFrom, s.JointLeast)
	case s.JointNeeded && !(s.JointWeight > 0 && s.Lambda > 0):
		return fmt.Errorf("settings: joint needed with weight %v at lambda %v: want both above 0", s.JointWeight, s.Lambda)
	case s.JointPoints < 0 || !(s.JointWeakest >= 0 && s.JointWeakest <= 1):
		return fmt.Errorf("settings: joint points %d, share of the weakest %v: want 0 or more, and 0 to 1", s.JointPoints, s.JointWeakest)
	case s.Edge != Ends && s.Edge != Missed:
		return fmt.Errorf("settings: edge %q: want %q or %q", s.Edge, Ends, Missed)
	case s.NonFinite != Role && s.NonFinite != Reject:
		return fmt.Errorf("settings: nonfinite %q: want %q or %q", s.NonFinite, Role, Reject)
	case s.Fit != MSE && s.Fit != Robust:
		return fmt.Errorf("settings: fit %q: want %q or %q", s.Fit, MSE, Robust)
	}
	return nil
}

// Rows are the data of a search: G groups of K trials at the upper boundary, with a vector of P parameters for each group, and a
// teacher's log densities.
type Rows struct {
	Params []string      // in the order of Theta's columns
	Theta  [][]float64   // G×P
	RT     [][]float64   // G×K: the model's first trial column
	More   [][][]float64 // the model's further trial columns, G×K each
	Target [][]float64   // G×K: the teacher's log density

	// Both, if not nil, replaces the rows' groups in the proxies: subjects with trials at both boundaries.
	Both *Subjects
}

// Subjects are groups of trials with both choices. For trials with the lower choice, the parameters are reflected. The subjects
// must not come from a bank that judges use.
type Subjects struct {
	Theta      [][]float64   // G×P
	RT, Choice [][]float64   // G×(any number of trials), choice +1 or −1
	More       [][][]float64 // further trial columns
}

// check returns an error for rows that do not fit together or do not fit the model's parameters.
func (r *Rows) check(params []string, trials int) error {
	if len(r.Params) != len(params) {
		return fmt.Errorf("rows: %d parameters, but the model has %d", len(r.Params), len(params))
	}
	for i, name := range params {
		if r.Params[i] != name {
			return fmt.Errorf("rows: parameter %d is %s, but the model's is %s", i+1, r.Params[i], name)
		}
	}
	if len(r.RT) == 0 || len(r.RT[0]) == 0 {
		return errors.New("rows: no trials")
	}
	if len(r.More) != trials-1 {
		return fmt.Errorf("rows: %d trial columns, but the model has %d", 1+len(r.More), trials)
	}
	if err := sameShape("theta", r.Theta, len(r.RT), len(params)); err != nil {
		return err
	}
	for i, c := range append([][][]float64{r.RT, r.Target}, r.More...) {
		if err := sameShape([]string{"rt", "target", "trials"}[min(i, 2)], c, len(r.RT), len(r.RT[0])); err != nil {
			return err
		}
	}
	if r.Both != nil {
		return r.Both.check(len(params), trials)
	}
	return nil
}

// check returns an error for the first subject whose fields do not fit together.
func (s *Subjects) check(params, trials int) error {
	if len(s.Theta) != len(s.RT) || len(s.Choice) != len(s.RT) || len(s.More) != trials-1 {
		return fmt.Errorf("rows: subjects: %d of parameters, %d of times, %d of choices, and %d further trial columns: want as many, and %d",
			len(s.Theta), len(s.RT), len(s.Choice), len(s.More), trials-1)
	}
	for i, c := range s.More {
		if len(c) != len(s.RT) {
			return fmt.Errorf("rows: subjects: %d in trial column %d: want %d", len(c), i+2, len(s.RT))
		}
	}
	for g, rt := range s.RT {
		lengths := []int{len(s.Choice[g])}
		values := [][]float64{s.Theta[g], rt, s.Choice[g]}
		for _, c := range s.More {
			lengths, values = append(lengths, len(c[g])), append(values, c[g])
		}
		for _, n := range lengths {
			if n != len(rt) {
				return fmt.Errorf("rows: subject %d: %d times, but %d choices or values of another column", g+1, len(rt), n)
			}
		}
		if len(s.Theta[g]) != params {
			return fmt.Errorf("rows: subject %d: %d parameters, want %d", g+1, len(s.Theta[g]), params)
		}
		if v, ok := strange(values); ok {
			return fmt.Errorf("rows: subject %d has the value %v", g+1, v)
		}
		for k, c := range s.Choice[g] {
			if c != 1 && c != -1 {
				return fmt.Errorf("rows: subject %d: trial %d: choice %v: want 1 or -1", g+1, k+1, c)
			}
		}
	}
	return nil
}

// strange returns the first value that is not finite; ok is false if there is none.
func strange(columns [][]float64) (v float64, ok bool) {
	for _, c := range columns {
		for _, v := range c {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return v, true
			}
		}
	}
	return 0, false
}

// sameShape returns an error for a matrix that does not have the given shape, or has a value that is not finite.
func sameShape(name string, m [][]float64, rows, columns int) error {
	if len(m) != rows {
		return fmt.Errorf("rows: %s: %d groups, want %d", name, len(m), rows)
	}
	for g, row := range m {
		if len(row) != columns {
			return fmt.Errorf("rows: %s: group %d has %d values, want %d", name, g+1, len(row), columns)
		}
		for _, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("rows: %s: group %d has the value %v", name, g+1, v)
			}
		}
	}
	return nil
}
