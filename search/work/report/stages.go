package report

import (
	"fmt"
	"math"
	"slices"

	"likc/compiler/facts"
	"likc/runtime/model/honesty"
	"likc/runtime/model/timing"
	"likc/runtime/num/finite"
	"likc/search/study/ppc"
	"likc/search/study/sweep"
	"likc/search/teach/gate"
)

// gate reads the gate's report on the teacher.
func (p *page) gate(r *run) error {
	for _, unit := range []string{"gate", "teacher"} {
		var g gate.Report
		found, err := r.json(unit, "teacher/"+gate.File, &g)
		if found {
			p.Gate = &g
		}
		if err != nil || found {
			return err
		}
	}
	return nil
}

// judged reads the verdicts on further models.
func (p *page) judged(r *run) error {
	file, ok := r.path("judge/models", "VERDICTS.jsonl")
	if !ok {
		return nil
	}
	var err error
	p.Models, err = sweep.Verdicts(file)
	return err
}

// calibrated reads the verdicts on calibrated models.
func (p *page) calibrated(r *run) (err error) {
	file, ok := r.path("judge/calibrated", "VERDICTS.jsonl")
	if !ok {
		return nil
	}
	p.Calibrated, err = sweep.Verdicts(file)
	for _, v := range p.Calibrated {
		if v.Honest == honesty.Honest {
			p.Honest++
		}
	}
	return err
}

// sweep reads the table of λ and adds the paper's rows.
func (p *page) sweep(r *run) error {
	var s sweep.Result
	found, err := r.json("sweep", sweepFile, &s)
	if err == nil && r.sweepAt != "" {
		s, err = readSweep(r.sweepAt, &s)
		found, p.By = true, r.sweepAt
	}
	if err != nil || !found {
		return err
	}
	if r.alone {
		p.Recipe.Model = s.Model()
	}
	if len(s.Rows) == 0 {
		return fmt.Errorf("%s: has no row", sweepFile)
	}
	if p.Sweep = &s; s.Models == nil {
		s.Models = p.Models
	}
	p.Models = s.Models
	p.Headline.Searches = s.Searches
	papers := PaperRows(p.Recipe.Model)
	for _, row := range s.Rows {
		p.Pairs = append(p.Pairs, pair{Row: row})
		p.Headline.Expressions += row.Pool
		p.Headline.Recover += row.Recover
		p.Headline.Compared += row.Compared
		p.Headline.Honest += row.Honest
		p.Headline.Undecided += row.Undecided
		for _, other := range papers {
			if other.Lambda == row.Lambda {
				p.Pairs = append(p.Pairs, pair{Row: other, Paper: true})
			}
		}
	}
	if len(s.Best) > 0 {
		p.Headline.Best = &s.Best[0]
	}
	p.figures(&s)
	p.screen()
	return p.ungrouped(r)
}

// ungrouped inserts the row of the searches on ungrouped rows below the row of λ = 0.
func (p *page) ungrouped(r *run) error {
	var s sweep.Result
	found, err := r.json("sweep-ungrouped", sweepFile, &s)
	if err != nil || !found || len(s.Rows) == 0 {
		return err
	}
	below := 0
	if p.Pairs[0].Row.Lambda == 0 {
		below = 1
	}
	p.Ungrouped = &s.Rows[0]
	p.Pairs = slices.Insert(p.Pairs, below, pair{Row: s.Rows[0], Ungrouped: true})
	return nil
}

// readSweep reads a sweep's folder. If the run's own sweep is done, both must count the same verdicts.
func readSweep(dir string, own *sweep.Result) (s sweep.Result, err error) {
	r, err := openSweep(dir)
	if err != nil {
		return s, err
	}
	if found, err := r.json("sweep", sweepFile, &s); err != nil || !found {
		return s, err
	}
	if own.Searches > 0 && (own.Searches != s.Searches || !slices.EqualFunc(own.Rows, s.Rows, func(a, b sweep.Row) bool {
		return a.Lambda == b.Lambda && a.Pool == b.Pool && a.Recover == b.Recover
	})) {
		return s, fmt.Errorf("%s: is a sweep of other verdicts than the run's", dir)
	}
	return s, nil
}

// holdout reads the verdicts on subjects that were not used for ranking.
func (p *page) holdout(r *run) error {
	if p.Sweep != nil {
		p.Holdout = p.Sweep.Subjects
	}
	if file, ok := r.path("holdout", "VERDICTS.jsonl"); ok {
		var err error
		if p.Holdout, err = sweep.Verdicts(file); err != nil {
			return err
		}
	}
	for _, v := range p.Holdout {
		if v.Line > 0 && v.Pass && !(float64(v.WeakestR) <= p.Headline.HeldOut) {
			p.Headline.HeldOut, p.Headline.HeldOutBest = float64(v.WeakestR), v
		}
	}
	if best := p.Headline.HeldOutBest; best != nil {
		p.HoldoutPlot, p.PairPlots = recoveryPlots(best), pairPlots(best, p.Holdout, p.Recipe.Model)
	}
	return nil
}

// best reads the best expressions, with their verdicts on the held-out subjects.
func (p *page) best(r *run) error {
	if p.Sweep == nil {
		return nil
	}
	top := p.Sweep.Settings.Top
	if p.Recipe.Sweep != nil {
		top = p.Recipe.Sweep.Top
	}
	list := p.Sweep.First(top)
	if n := len(p.Sweep.Best); n > 0 {
		list = list[:min(n, len(list))]
	}
	for i, e := range list {
		b := best{Expression: e, Rank: i + 1, Weakest: finite.Number(math.NaN())}
		b.Formula, b.SimplifiedSize = canonical(e.Text, p.Recipe.Model)
		for _, v := range p.Holdout {
			if v.Expr == e.Text {
				b.Weakest = v.WeakestR
			}
		}
		predictive := ppc.Summary{KS: finite.Number(math.NaN())}
		if _, err := r.json("ppc", fmt.Sprintf("ppc/top%d.json", i+1), &predictive); err != nil {
			return err
		}
		b.KS = predictive.KS
		p.Top = append(p.Top, b)
	}
	return nil
}

// compiler reads the compiler's reports and the timings.
func (p *page) compiler(r *run) error {
	for _, name := range r.units("compile") {
		var c facts.Facts
		if found, err := r.json(name, "check.json", &c); err != nil {
			return err
		} else if found {
			p.Compiled = append(p.Compiled, c)
		}
	}
	var bench timing.Table
	_, err := r.json("speed", "bench.json", &bench)
	p.Speed = bench.Rows
	return err
}
