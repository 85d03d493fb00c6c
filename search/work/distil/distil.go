// Package distil finds a formula that replaces a likelihood. Its input is a process whose density is known, exactly or from a
// teacher. It searches for densities near that density with package dictionary, and judges some of them against the process's own density on new
// simulated subjects. It writes a folder:
//
//	formula.lik    the smallest formula that is honest, or else the nearest one
//	front.jsonl    the best expression of each size
//	verdicts.jsonl verdicts on the candidates; final.jsonl has those on the chosen one, on other subjects
//	verdicts-long.jsonl  verdicts on long candidates, if no other was honest
//	summary.json   the result, for programs
//	report.html    the result, for readers
//	search.json    the input of the search; the same command reuses its front
package distil

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"likc/compiler/expr"
	"likc/runtime/model/catalog"
	"likc/runtime/model/front"
	"likc/runtime/sys/store"
	"likc/search/find/dictionary"
)

// Settings determine a distillation. [Default] returns the defaults.
type Settings struct {
	Seed     uint64              `flag:"seed" help:"seed of the search and of the simulated subjects"`
	Vectors  int                 `flag:"vectors" in:"[8,16384]" help:"parameter vectors to which coefficients are fitted; with more, formulas are often nearer to the density, and the search takes longer"`
	Terms    int                 `flag:"terms" in:"[2,60]" help:"most terms of a formula"`
	Search   dictionary.Settings // further settings of the search; those that Settings has itself are not read
	Limit    time.Duration       `flag:"time" in:"[1s,1000h]" help:"most time of the search, by the wall; a first formula is finished in any case, and judging comes after"`
	MaxSize  int                 `flag:"max-size" in:"[10,100000]" help:"most nodes of a formula; of a process that is written down, equal parts count once"`
	Subjects int                 `flag:"subjects" in:"[0,100000]" help:"simulated subjects on which formulas are judged; 0: none are"`
	Trials   int                 `flag:"trials" in:"[10,100000]" help:"trials of a simulated subject"`
	Also     []int               `flag:"also-trials" list:"comma" in:"[10,100000]" want:"numbers of trials from {in}, separated by commas" help:"judge the chosen formula on subjects of so many trials, too"`
	Threads  int                 `flag:"threads" in:"[0,4096]" help:"threads (0: one a processor); results do not depend on it"`

	Source   string                           // the user's program that draws the trials, for a process that likc does not simulate; part of the search's hash
	Progress func(stage string, done, of int) // nil: progress is not reported; called from one goroutine at a time
}

// Default returns the default settings.
func Default() Settings {
	search := dictionary.Default()
	return Settings{Seed: 1, Search: search, Vectors: search.Vectors, Terms: search.Terms, MaxSize: 1000, Subjects: 300, Trials: 1000, Limit: 2 * time.Minute}
}

// These are the files of a folder.
const (
	FormulaFile  = "formula.lik"
	FrontFile    = "front.jsonl"
	SummaryFile  = "summary.json"
	ReportFile   = "report.html"
	recordFile   = "search.json"
	verdictsFile = "verdicts.jsonl"
	longFile     = "verdicts-long.jsonl"
	finalFile    = "final.jsonl"
	fitsFile     = "fits-" // the beginning of the names of files that hold the judge's fits until the judge is done
)

// run is one distillation.
type run struct {
	Settings
	dir       string
	model     *catalog.Model
	target    *target
	libraries []*dictionary.Library
	record    record
	lines     []front.Line // the front, the shortest expression first
	shown     []shown      // the candidates that were judged
	improper  error        // the reason why an expression of the front cannot be normalised
}

// Run distils a model into the folder dir, which it makes if needed. If the folder already has the search or the verdicts of the
// same distillation, it reuses them. When ctx ends, Run returns its error; finished parts stay in the folder.
func Run(ctx context.Context, m *catalog.Model, dir string, s Settings) (*Summary, error) {
	t, err := targetOf(m)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, store.Cause(err))
	}
	release, err := store.Lock(filepath.Join(dir, FrontFile))
	if err != nil {
		return nil, err
	}
	defer release()
	r := &run{Settings: s, dir: dir, model: m, target: t}
	if err := r.library(); err != nil {
		return nil, err
	}
	if err := r.search(ctx); err != nil {
		return nil, err
	}
	candidates := r.candidates(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(candidates) == 0 {
		return nil, fmt.Errorf("no expression of the front can be divided by its integral all over the ranges: %w", r.improper)
	}
	chosen, err := r.judge(ctx, candidates)
	if err != nil {
		return nil, err
	}
	return r.write(ctx, chosen)
}

// path returns the path of a file in the folder.
func (r *run) path(name string) string { return filepath.Join(r.dir, name) }

// progress returns a function that reports how many steps of a stage are done, and the number of its steps.
func (r *run) progress(stage string) func(done, of int) {
	return func(done, of int) {
		if r.Progress != nil {
			r.Progress(stage, done, of)
		}
	}
}

// library chooses the library of terms: that of the process, if the model defines one for which package dictionary has atoms, otherwise
// that of the header.
func (r *run) library() error {
	t := r.target
	if t.written != nil && !r.Search.Without.Process {
		own := *t.header
		own.Evidence = t.written
		ofProcess := func() ([]*dictionary.Library, *expr.Model, error) { return dictionary.OfProcess(&own, t.sd) }
		if t.header.Choices > 0 {
			ofProcess = func() ([]*dictionary.Library, *expr.Model, error) { return dictionary.OfWrittenRace(&own) }
		}
		libraries, header, err := ofProcess()
		if err == nil {
			r.libraries, t.header = libraries, header
			r.Search.Price = processPrice
			return nil
		}
		if !errors.Is(err, dictionary.ErrProcess) {
			return err
		}
	}
	ofHeader := r.Search.Without.OfHeader
	if t.header.Choices > 0 {
		ofHeader = dictionary.OfRace
	}
	l, err := ofHeader(t.header)
	r.libraries = []*dictionary.Library{l}
	return err
}

// processPrice is the price of a node if the model defines a process, because then named parts count once.
const processPrice = 0.005
