package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"likc/runtime/model/catalog"
	"likc/runtime/num/notation"
	"likc/runtime/sys/version"
)

// works are the references of methods paragraphs, by key, in the style of the American Psychological Association.
var works = map[string]struct{ cite, entry string }{
	"betancourt2017": {"Betancourt, 2017", "Betancourt, M. (2017). A conceptual introduction to Hamiltonian Monte Carlo. arXiv:1701.02434."},
	"gondan2014":     {"Gondan et al., 2014", "Gondan, M., Blurton, S. P., & Kesselmeier, M. (2014). Even faster and even more accurate first-passage time densities and distributions for the Wiener diffusion model. Journal of Mathematical Psychology, 60, 20–22."},
	"hoffman2014":    {"Hoffman & Gelman, 2014", "Hoffman, M. D., & Gelman, A. (2014). The No-U-Turn sampler: Adaptively setting path lengths in Hamiltonian Monte Carlo. Journal of Machine Learning Research, 15, 1593–1623."},
	"navarro2009":    {"Navarro & Fuss, 2009", "Navarro, D. J., & Fuss, I. G. (2009). Fast and accurate calculations for first-passage times in Wiener diffusion models. Journal of Mathematical Psychology, 53, 222–230."},
	"vehtari2017":    {"Vehtari et al., 2017", "Vehtari, A., Gelman, A., & Gabry, J. (2017). Practical Bayesian model evaluation using leave-one-out cross-validation and WAIC. Statistics and Computing, 27, 1413–1432."},
	"vehtari2021":    {"Vehtari et al., 2021", "Vehtari, A., Gelman, A., Simpson, D., Carpenter, B., & Bürkner, P.-C. (2021). Rank-normalization, folding, and localization: An improved R-hat for assessing convergence of MCMC. Bayesian Analysis, 16, 667–718."},
	"vehtari2024":    {"Vehtari et al., 2024", "Vehtari, A., Simpson, D., Gelman, A., Yao, Y., & Gabry, J. (2024). Pareto smoothed importance sampling. Journal of Machine Learning Research, 25(72), 1–58."},
	"yao2018":        {"Yao et al., 2018", "Yao, Y., Vehtari, A., Simpson, D., & Gelman, A. (2018). Using stacking to average Bayesian predictive distributions. Bayesian Analysis, 13, 917–1007."},
}

// densityWorks are the sources of exact densities, by model.
var densityWorks = map[string][]string{"ddm": {"navarro2009", "gondan2014"}}

// paragraph collects sentences and the keys of the works that they cite.
type paragraph struct {
	sentences []string
	cited     []string
}

func (p *paragraph) say(format string, args ...any) {
	p.sentences = append(p.sentences, fmt.Sprintf(format, args...))
}

// cite returns the citation of works in brackets, such as (Vehtari et al., 2017; Yao et al., 2018).
func (p *paragraph) cite(keys ...string) string {
	p.cited = append(p.cited, keys...)
	var texts []string
	for _, key := range keys {
		texts = append(texts, works[key].cite)
	}
	return "(" + strings.Join(texts, "; ") + ")"
}

// methods writes a paragraph for a paper's method section, and returns the keys of the works that it cites.
func (f *fitted) methods() (text string, cited []string) {
	p := &paragraph{}
	first := f.First()
	whom := notation.Count(f.Trials, "trial")
	if f.Many() {
		whom += fmt.Sprintf(" of %d participants, each fitted alone", len(f.Subjects))
	}
	if first.PriorOnly {
		p.say("To see what the model %s%s expects before it has seen the data, %s, its parameters were drawn from their priors alone.", f.Model.Name, p.density(f.Model), whom)
		p.structure(f)
		p.say("%s", f.priorSentence())
		p.say("likc %s drew %s of %s, all independent, with the seed %d.", f.versionOf(), notation.Count(first.Chains, "chain"), notation.Count(first.Draws, "draw"), first.Seed)
		return strings.Join(p.sentences, " "), p.cited
	}
	p.say("Parameters of the model %s%s were estimated by Bayesian inference from %s.", f.Model.Name, p.density(f.Model), whom)
	if rows := f.droppedRows(); rows != "" {
		p.say("Rows of the data that were left out: %s.", rows)
	}
	if choices := f.Choices(); choices != "" {
		p.say("Coding of responses: %s.", choices)
	}
	p.structure(f)
	p.conventions(f.Model)
	p.say("%s", f.priorSentence())
	p.say("Draws from the posterior were taken with the No-U-Turn sampler %s of likc %s: %s of %s after a warm-up of %d each, with a target acceptance of %g and the seed %d.",
		p.cite("hoffman2014", "betancourt2017"), f.versionOf(), notation.Count(first.Chains, "chain"), notation.Count(first.Draws, "draw"), first.Run.NumWarmup, first.Run.Delta, first.Seed)
	p.convergence(f)
	if f.Sum.Missing == "" {
		p.say("Predictive accuracy was estimated by leave-one-out cross-validation with Pareto smoothed importance sampling %s: the expected log predictive density was %s (standard error %s), with %s effective parameters%s.",
			p.cite("vehtari2017", "vehtari2024"), fixed(float64(f.Sum.Value), 1), fixed(float64(f.Sum.SE), 1), fixed(float64(f.Sum.P), 1), badTrials(f.Sum.Bad))
	}
	return strings.Join(p.sentences, " "), p.cited
}

// conventions adds a sentence about the parameter that is half of what other programs report, if the process's notes begin with one.
func (p *paragraph) conventions(m modelCard) {
	if clause, _, _ := strings.Cut(m.Notes, ", "); strings.Contains(clause, "HALF") {
		whole, _, cut := strings.Cut(m.Notes, "), ")
		if cut {
			clause = whole + ")"
		}
		p.say("Parameter %s.", strings.ReplaceAll(clause, "HALF", "half"))
	}
}

// density says how a model's density is computed.
func (p *paragraph) density(m modelCard) string {
	text := ""
	if m.Process != "" {
		text = ", the process " + m.Process + ","
	}
	if keys := densityWorks[m.Name]; m.Kind == catalog.Exact && keys != nil {
		return text + " with its exact density " + p.cite(keys...)
	}
	return strings.TrimSuffix(text, ",")
}

// priorSentence describes the priors and the fixed parameters.
func (f *fitted) priorSentence() string {
	if f.Record.Priors == nil {
		return "Priors were uniform over the parameters' ranges or as stated in the command: this fit does not record them."
	}
	var texts []string
	for _, c := range f.Model.Params {
		prior := f.Record.Priors[c.Name]
		if within := f.Record.Range(c.Name); prior == "uniform" && within != "" {
			prior = "uniform from " + within
		}
		texts = append(texts, c.Name+" ~ "+threeDigits(prior))
	}
	text := "Priors were " + strings.Join(texts, ", ") + "."
	for _, name := range slices.Sorted(maps.Keys(f.Record.Fixed)) {
		text += fmt.Sprintf(" %s was fixed at %g.", name, f.Record.Fixed[name])
	}
	return text
}

// versionOf returns the version that made the fit, or, if the fit does not record it, the one that writes the page.
func (f *fitted) versionOf() string {
	if of := cmp.Or(f.Record.Version, version.Get().Version); of != "devel" {
		return of
	}
	return "(a development version)"
}

// convergence says whether the draws can be trusted.
func (p *paragraph) convergence(f *fitted) {
	rhat, bulk, tail, divergent, _ := f.worst()
	p.say("Chains were compared by the rank-normalised R-hat %s: it was at most %s, the effective sample size at least %s in the bulk and %s in the tails, and there were %s.",
		p.cite("vehtari2021"), fixed(rhat, 3), fixed(bulk, 0), fixed(tail, 0), divergences(divergent))
}

// worst returns the largest R-hat, the smallest effective sample sizes, and the number of divergent transitions of all draws.
func (f *fitted) worst() (rhat, bulk, tail float64, divergent, draws int) {
	rhat, bulk, tail = math.Inf(-1), math.Inf(1), math.Inf(1)
	for _, s := range f.Subjects {
		w := s.Worst()
		rhat, bulk, tail = max(rhat, w.Rhat), min(bulk, w.ESSBulk), min(tail, w.ESSTail)
		divergent, draws = divergent+s.Divergences, draws+s.AllDraws()
	}
	return rhat, bulk, tail, divergent, draws
}

func divergences(n int) string {
	if n == 0 {
		return "no divergent transitions"
	}
	return notation.Count(n, "divergent transition")
}

func badTrials(n int) string {
	if n == 0 {
		return "; no trial’s Pareto k̂ was too large"
	}
	return fmt.Sprintf("; the Pareto k̂ of %s was too large", notation.Count(n, "trial"))
}

// listed returns the references of the cited works, in alphabetical order, each once.
func listed(keys []string) (entries []string) {
	for _, key := range keys {
		entries = append(entries, works[key].entry)
	}
	slices.Sort(entries)
	return slices.Compact(entries)
}
