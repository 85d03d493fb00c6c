package recipe

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"likc/runtime/model/ssm"
	"likc/runtime/sys/settings"
	"likc/search/study/bank"
)

// maxSearches is the largest number of searches of a pipeline.
const maxSearches = 100_000

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// check sets defaults, and returns an error for the first invalid setting, with its key.
func (r *Recipe) check() (key string, err error) {
	if !nameForm.MatchString(r.Name) {
		return "name", fmt.Errorf("%q: want a word of small letters, digits and hyphens", r.Name)
	}
	m, err := ssm.Lookup(r.Model)
	if err == nil && r.Teacher != nil {
		err = m.CheckTeachable()
	}
	if err == nil && r.Search != nil {
		err = m.CheckBoundaries() // searches support no other processes
	}
	if err != nil {
		return "model", err
	}
	for _, name := range r.bankNames() {
		b := r.Banks[name]
		switch {
		case !nameForm.MatchString(name):
			return "bank." + name, errors.New("want a word of small letters, digits and hyphens")
		case (b.Path == "") == (b.Role == ""):
			return "bank." + name, errors.New("want either path, of a bank that is there, or role, of one to make")
		}
	}
	for _, s := range stages {
		if s.check == nil {
			continue
		}
		if key, err := s.check(r); err != nil {
			return key, err
		}
	}
	return "", nil
}

func (r *Recipe) bankNames() []string { return slices.Sorted(maps.Keys(r.Banks)) }

// bank checks that a stage's key names a bank of the recipe.
func (r *Recipe) bank(key, name string) (string, error) {
	if _, ok := r.Banks[name]; !ok {
		return key, fmt.Errorf("%q: there is no such bank; this file has %s", name, strings.Join(r.bankNames(), ", "))
	}
	return "", nil
}

func (r *Recipe) checkTeacher() (string, error) {
	t := r.Teacher
	if t == nil {
		if r.Gate != nil {
			return "gate", errors.New("there is no teacher to admit: add [teacher]")
		}
		return "", nil
	}
	if (t.Path == "") == (t.Kind == "") {
		return "teacher", errors.New("want either path, of a teacher that is there, or kind, of one to train")
	}
	if t.Bank != "" {
		if key, err := r.bank("teacher.bank", t.Bank); err != nil {
			return key, err
		}
	}
	if r.Gate != nil && r.Gate.Bank != "" {
		return r.bank("gate.bank", r.Gate.Bank)
	}
	return "", nil
}

func (r *Recipe) checkSearch() (string, error) {
	s := r.Search
	if s == nil {
		return "", nil
	}
	s.FirstSeed, s.Threads = max(1, s.FirstSeed), max(1, s.Threads)
	if s.Objective == "kl" && len(s.Lambda) == 0 {
		s.Lambda = []float64{0}
	}
	if len(s.Lambda) == 0 {
		return "search.lambda", errors.New("want at least one weight, as in [0, 1]")
	}
	seen := map[float64]bool{}
	for _, l := range s.Lambda {
		if !(l >= 0) || math.IsInf(l, 0) || seen[l] {
			return "search.lambda", fmt.Errorf("%v: want finite weights of 0 or more, each once", l)
		}
		seen[l] = true
	}
	switch {
	case s.Objective == "kl" && !slices.Equal(s.Lambda, []float64{0}):
		return "search.lambda", fmt.Errorf("%v: the objective kl has no weight of recovery: want [0], or nothing", s.Lambda)
	case s.Seeds < 1 || s.Seeds > maxSearches/len(s.Lambda):
		return "search.seeds", fmt.Errorf("%d: want 1 to %d searches a weight", s.Seeds, maxSearches/len(s.Lambda))
	case (s.Evals > 0) == (s.Time != ""):
		return "search", errors.New("want either evals, a number of evaluations, or time, as in \"60s\"")
	case s.Rows != "":
		if key, err := r.bank("search.rows", s.Rows); err != nil {
			return key, err
		}
	}
	return r.checkDefaults()
}

// checkDefaults refuses a search that would use the teacher or the rows distributed with the program if these are of another
// process.
func (r *Recipe) checkDefaults() (string, error) {
	included := ssm.DDM.Name
	switch {
	case r.Model == included:
		return "", nil
	case r.Teacher == nil:
		return "search", fmt.Errorf("the teacher that comes with likc is of %s, not of %s: add [teacher] with a kind to train", included, r.Model)
	case r.Search.Rows == "":
		return "search.rows", fmt.Errorf("the rows that come with likc are of %s, not of %s: name a bank of role %s", included, r.Model, bank.SearchRows)
	}
	return "", nil
}

func (r *Recipe) checkJudges() (string, error) {
	if r.Judge != nil {
		if r.Search == nil {
			return "judge", errors.New("there is nothing to judge: add [search]")
		}
		if key, err := r.bank("judge.bank", r.Judge.Bank); err != nil {
			return key, err
		}
	}
	if r.Sweep != nil {
		if r.Judge == nil {
			return "sweep", errors.New("there are no verdicts to count: add [judge]")
		}
		settings.SetDefaults(r.Sweep)
	}
	if r.Holdout != nil {
		if r.Sweep == nil {
			return "holdout", errors.New("no expressions are chosen to be checked: add [sweep]")
		}
		return r.bank("holdout.bank", r.Holdout.Bank)
	}
	return "", nil
}

func (r *Recipe) checkChecks() (string, error) {
	for _, c := range []struct {
		name  string
		check *Check
		bank  bool // whether the check needs a bank
	}{{"ppc", r.PPC, true}, {"sbc", r.SBC, false}, {"audit", r.Audit, true}, {"ablate", r.Ablate, true}} {
		if c.check == nil {
			continue
		}
		if c.check.Top == nil {
			c.check.Top = new(int)
			if r.Sweep != nil {
				*c.check.Top = r.Sweep.Top
			}
		}
		switch n := *c.check.Top; {
		case n > 0 && r.Sweep == nil:
			return c.name + ".top", fmt.Errorf("%d: no expressions are chosen to be checked: add [sweep]", n)
		case n > 0 && n > r.Sweep.Top:
			return c.name + ".top", fmt.Errorf("%d: want at most as many as [sweep] has top", n)
		case n == 0 && len(c.check.Models) == 0:
			return c.name, errors.New("nothing to check: name models, or add [sweep], whose best expressions are checked")
		}
		if c.check.Bank != "" || c.bank {
			if key, err := r.bank(c.name+".bank", c.check.Bank); err != nil {
				return key, err
			}
		}
	}
	if r.Compile != nil && len(r.Compile.Models) == 0 {
		return "compile.models", errors.New("want at least one model")
	}
	if r.Speed != nil && len(r.Speed.Models) == 0 {
		return "speed.models", errors.New("want at least one model")
	}
	return "", nil
}

// position returns the position of a key in the text of a recipe. It is where the last part of the key stands below the heading of its
// table. If the key is missing, it is the heading, and without a heading the first line.
func position(text []byte, key string) (line, column int) {
	table, last := "", key
	if i := strings.LastIndex(key, "."); i >= 0 {
		table, last = key[:i], key[i+1:]
	}
	at, inside := 0, table == ""
	for i, l := range strings.Split(string(text), "\n") {
		trimmed := strings.TrimSpace(l)
		if strings.HasPrefix(trimmed, "[") {
			heading := strings.Trim(strings.TrimSpace(strings.SplitN(trimmed, "#", 2)[0]), "[]")
			if inside = heading == table; heading == table || heading == key {
				at = i + 1
			}
			continue
		}
		if name, _, found := strings.Cut(trimmed, "="); inside && found && strings.TrimSpace(name) == last {
			return i + 1, strings.Index(l, trimmed) + 1
		}
	}
	return max(1, at), 1
}
