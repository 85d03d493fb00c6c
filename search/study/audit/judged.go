package audit

import (
	"fmt"
	"math"

	"likc/runtime/model/catalog"
	"likc/runtime/num/finite"
	"likc/search/study/bank"
	"likc/search/study/judge"
)

// Judged holds verdicts on formulas, by the names of their models. The audit fits these formulas again only with fast guesses, and
// only if they recover all parameters without guesses.
type Judged map[string]*judge.Verdict

// Forms returns the models in a file of verdicts, each form once and the best first, with their verdicts. It returns at most `most`
// models, or all if most is 0. It skips teachers, and formulas that could not be fitted. path is for errors.
func Forms(path string, verdicts []*judge.Verdict, most int, b *bank.Bank, open judge.Opener) (list []*catalog.Model, known Judged, err error) {
	judge.Rank(verdicts)
	known = Judged{}
	for _, v := range verdicts {
		if most > 0 && len(list) == most {
			break
		}
		if v.Duplicate > 0 || v.Reason != "" || v.Teacher != "" {
			continue
		}
		if v.Bank != b.Settings.Role || v.Scheme != b.Settings.Scheme || v.Method != "nuts" {
			return nil, nil, fmt.Errorf("%s: %s: judged on %s (%s, %s), not on %s (%s, nuts): what was measured must be of the bank that is audited",
				path, v.Model, v.Bank, v.Scheme, v.Method, b.Settings.Role, b.Settings.Scheme)
		}
		src, err := modelOf(v, b, open)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %s: %w", path, v.Model, err)
		}
		if known[src.Name] != nil {
			return nil, nil, fmt.Errorf("%s: %s: two verdicts have this name", path, v.Model)
		}
		list, known[src.Name] = append(list, src), v
	}
	if len(list) == 0 {
		return nil, nil, fmt.Errorf("%s: no form was fitted", path)
	}
	return list, known, nil
}

// modelOf returns the model of a verdict, under a name that is valid for files and packages.
func modelOf(v *judge.Verdict, b *bank.Bank, open judge.Opener) (*catalog.Model, error) {
	if v.Search == nil {
		return open(v.Model)
	}
	entry, err := v.Entry(open)
	if err != nil {
		return nil, err
	}
	if of := entry.Model.Origin.Line.Model; of != b.Settings.Model {
		return nil, fmt.Errorf("is on %s, and the bank on %s", of, b.Settings.Model)
	}
	return entry.Model.Renamed(v.Model), nil
}

// shares returns the shares of guesses with which to fit a model.
func (k Judged) shares(src *catalog.Model, all []float64) []float64 {
	switch v := k[src.Name]; {
	case v == nil:
		return all
	case v.Pass:
		return all[1:]
	}
	return []float64{}
}

// complete returns the recoveries for all shares. The one without guesses comes from the verdict. A form that does not recover
// all parameters without guesses gets undefined recoveries with guesses.
func (k Judged) complete(src *catalog.Model, all []float64, fitted []Recovery) []Recovery {
	v := k[src.Name]
	if v == nil {
		return fitted
	}
	list := append([]Recovery{NewRecovery(0, v)}, fitted...)
	for _, share := range all[len(list):] {
		list = append(list, Recovery{Share: share, WeakestR: finite.Number(math.NaN())})
	}
	return list
}

// on reports whether a model's parameters are those of the bank's simulator.
func (k Judged) on(src *catalog.Model, b *bank.Bank) bool {
	if k[src.Name] != nil && !src.Origin.Builtin {
		return true // Forms has checked this already
	}
	return src.OfBank(b.Settings.Model)
}
