// Package recipe reads the settings of a pipeline from a TOML file and plans its units of work: banks, teacher, gate, searches, judge,
// checks, tables and the report.
//
// A stage runs if the file has its table. An unknown key is an error that names line and column.
package recipe

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"likc/runtime/model/ssm"
)

// Recipe is a pipeline's settings.
type Recipe struct {
	Name      string           `toml:"name" json:"name"`   // name of the pipeline
	Model     string           `toml:"model" json:"model"` // the process that is simulated
	Banks     map[string]Bank  `toml:"bank" json:"bank"`
	Teacher   *Teacher         `toml:"teacher" json:"teacher,omitempty"`
	Gate      *Gate            `toml:"gate" json:"gate,omitempty"`
	Search    *Search          `toml:"search" json:"search,omitempty"`
	Polish    *Polish          `toml:"polish" json:"polish,omitempty"`
	Judge     *Judge           `toml:"judge" json:"judge,omitempty"`
	Screen    *Screen          `toml:"screen" json:"screen,omitempty"`
	Refit     *Judge           `toml:"refit" json:"refit,omitempty"`
	NewRows   *NewRows         `toml:"new_rows" json:"new_rows,omitempty"`
	Sweep     *Sweep           `toml:"sweep" json:"sweep,omitempty"`
	Holdout   *Judge           `toml:"holdout" json:"holdout,omitempty"`
	Calibrate *Calibrate       `toml:"calibrate" json:"calibrate,omitempty"`
	PPC       *Check           `toml:"ppc" json:"ppc,omitempty"`
	SBC       *Check           `toml:"sbc" json:"sbc,omitempty"`
	Audit     *Check           `toml:"audit" json:"audit,omitempty"`
	Ablate    *Check           `toml:"ablate" json:"ablate,omitempty"`
	Applied   map[string]Study `toml:"applied" json:"applied,omitempty"`
	Compile   *Compile         `toml:"compile" json:"compile,omitempty"`
	Speed     *Compile         `toml:"speed" json:"speed,omitempty"`

	folder string // folder of the file, to which relative paths refer; "" for a pipeline that is part of the program
}

// stages lists the parts of a recipe's file, in the order in which they are checked and planned. The units of a part come after those of
// earlier parts. A new stage needs a field of [Recipe], a row here and a source file.
var stages = []struct {
	check func(*Recipe) (key string, err error) // nil: nothing to check
	plan  func(*planner) error                  // nil: it has no units
}{
	{(*Recipe).checkNumbers, nil},
	{(*Recipe).checkArguments, nil},
	{nil, (*planner).banks},
	{(*Recipe).checkTeacher, (*planner).teacher},
	{(*Recipe).checkSearch, (*planner).searches},
	{(*Recipe).checkUngrouped, nil},
	{(*Recipe).checkPolish, (*planner).polish},
	{(*Recipe).checkJudges, (*planner).judges},
	{(*Recipe).checkCompared, (*planner).screen},
	{nil, (*planner).refit},
	{nil, (*planner).newRows},
	{nil, (*planner).sweep},
	{nil, (*planner).holdout},
	{(*Recipe).checkCalibrate, (*planner).calibrate},
	{(*Recipe).checkChecks, (*planner).checks},
	{(*Recipe).checkApplied, (*planner).applied},
	{nil, (*planner).compiler},
}

// Bank is a bank of simulated subjects: a folder, the name of a bank that is part of the program, or settings to simulate one.
type Bank struct {
	Path     string `toml:"path" json:"path,omitempty"`
	Role     string `toml:"role" json:"role,omitempty"`
	Seed     uint64 `toml:"seed" flag:"seed" json:"seed,omitempty"`
	Subjects int    `toml:"subjects" flag:"subjects" in:"[0,2147483647]" json:"subjects,omitempty"` // 0: the number of the role
	Trials   int    `toml:"trials" flag:"trials" in:"[0,2147483647]" json:"trials,omitempty"`       // 0: the number of the role
}

// Teacher is the neural likelihood: a folder, "committed" for the one that is part of the program, or settings to train one.
type Teacher struct {
	Path string   `toml:"path" json:"path,omitempty"`
	Kind string   `toml:"kind" json:"kind,omitempty"`
	Bank string   `toml:"bank" json:"bank,omitempty"` // the bank to train on; "" for the default bank of the teacher's kind
	Seed uint64   `toml:"seed" flag:"seed" json:"seed,omitempty"`
	Args []string `toml:"args" json:"args,omitempty"` // further flags of likc teacher train
}

// Gate examines the teacher on a bank that was not used to train it.
type Gate struct {
	Bank string   `toml:"bank" json:"bank,omitempty"`
	Args []string `toml:"args" json:"args,omitempty"`
}

// Search is a set of searches: one for each λ and seed.
type Search struct {
	Lambda    []float64 `toml:"lambda" json:"lambda"`
	Seeds     int       `toml:"seeds" in:"[0,100000]" json:"seeds"`                               // number of searches for each λ
	FirstSeed uint64    `toml:"first_seed" json:"first_seed"`                                     // seed of the first search; each further search has the next number
	Evals     int64     `toml:"evals" flag:"evals" in:"[0,1000000000000]" json:"evals,omitempty"` // budget of each search, in evaluations
	Time      string    `toml:"time" flag:"time" json:"time,omitempty"`                           // time limit of each search, such as 60s; results then depend on the machine
	Rows      string    `toml:"rows" json:"rows,omitempty"`                                       // bank of rows; "" for the one that is part of the program
	Preset    string    `toml:"preset" flag:"preset" json:"preset,omitempty"`
	Objective string    `toml:"objective" flag:"objective" json:"objective,omitempty"`
	MaxSize   int       `toml:"max_size" flag:"max-size" in:"[0,10000]" json:"max_size,omitempty"`
	Ungated   bool      `toml:"ungated" json:"ungated,omitempty"`
	Threads   int       `toml:"threads" in:"[0,4096]" json:"threads,omitempty"` // threads of one search
	Args      []string  `toml:"args" json:"args,omitempty"`

	Ungrouped *Ungrouped `toml:"ungrouped" json:"ungrouped,omitempty"`
}

// Ungrouped is a set of further searches at λ = 0. Each of their rows has its own parameters. They are counted in a separate sweep.
type Ungrouped struct {
	Bank      string `toml:"bank" json:"bank"`
	Seeds     int    `toml:"seeds" in:"[0,100000]" json:"seeds"`
	FirstSeed uint64 `toml:"first_seed" json:"first_seed"` // by default that of [search]
}

// Polish is a local search from the best expressions of all fronts. Its front is judged, and counted in a separate sweep.
type Polish struct {
	Top   int      `toml:"top" flag:"top" in:"[0,10000]" json:"top,omitempty"`               // number of expressions to climb from
	Evals int64    `toml:"evals" flag:"evals" in:"[0,1000000000000]" json:"evals,omitempty"` // budget of a climb, in evaluations
	Seed  uint64   `toml:"seed" flag:"seed" json:"seed,omitempty"`
	Args  []string `toml:"args" json:"args,omitempty"`
}

// Screen judges all fronts by posterior modes. The sweep compares these verdicts with the judge's.
type Screen struct {
	Bank string   `toml:"bank" json:"bank"`
	Seed uint64   `toml:"seed" flag:"seed" json:"seed,omitempty"`
	Args []string `toml:"args" json:"args,omitempty"`
}

// NewRows is a bank of rows that no search saw. On it, the sweep computes squared errors.
type NewRows struct {
	Bank string `toml:"bank" json:"bank"`
}

// Judge fits candidates to a bank's subjects.
type Judge struct {
	Bank   string   `toml:"bank" json:"bank"`
	Chains int      `toml:"chains" flag:"chains" in:"[0,1048576]" json:"chains,omitempty"`
	Warmup int      `toml:"warmup" flag:"warmup" in:"[0,1073741824]" json:"warmup,omitempty"`
	Draws  int      `toml:"draws" flag:"draws" in:"[0,1073741824]" json:"draws,omitempty"`
	Seed   uint64   `toml:"seed" flag:"seed" json:"seed,omitempty"`
	Also   []string `toml:"also" json:"also,omitempty"` // further models to judge
	Args   []string `toml:"args" json:"args,omitempty"`
}

// Sweep is the table that compares the values of λ.
type Sweep struct {
	Resamples int    `toml:"resamples" flag:"resamples" default:"10000" in:"[0,10000000]" json:"resamples"`
	Seed      uint64 `toml:"seed" flag:"seed" default:"1" json:"seed"`
	Top       int    `toml:"top" flag:"top" default:"5" in:"[0,10000]" json:"top"` // number of the best expressions that are checked
}

// Check is ppc, sbc, audit or ablate, applied to the best expressions and to named models.
type Check struct {
	Bank   string   `toml:"bank" json:"bank,omitempty"`
	Models []string `toml:"models" json:"models,omitempty"`
	Top    *int     `toml:"top" in:"[0,10000]" json:"best,omitempty"` // number of the sweep's best expressions that are checked; by default all of [sweep]'s top
	Args   []string `toml:"args" json:"args,omitempty"`
}

// Compile lists models for which the compiler's report, or timings, are made.
type Compile struct {
	Models []string `toml:"models" json:"models"`
	Args   []string `toml:"args" json:"args,omitempty"`
}

// Parse parses a recipe. file is its name, for errors, which have the form FILE:LINE:COLUMN: KEY: why.
func Parse(file string, text []byte) (*Recipe, error) {
	r := &Recipe{Model: ssm.DDM.Name}
	d := toml.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(r); err != nil {
		return nil, explain(file, err)
	}
	if key, err := r.check(); err != nil {
		line, column := position(text, key)
		return nil, fmt.Errorf("%s:%d:%d: %s: %w", file, line, column, key, err)
	}
	return r, nil
}

// explain rewrites the TOML decoder's error as one line with position and reason.
func explain(file string, err error) error {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		e := unknown.Errors[0]
		line, column := e.Position()
		return fmt.Errorf("%s:%d:%d: %s: no such key%s", file, line, column, strings.Join(e.Key(), "."), known(e.Key()))
	}
	if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := wrong.Position()
		what := wrongKind(strings.TrimPrefix(wrong.Error(), "toml: "))
		if key := strings.Join(wrong.Key(), "."); key != "" {
			what = key + ": " + what
		}
		return fmt.Errorf("%s:%d:%d: %s", file, line, column, what)
	}
	return fmt.Errorf("%s: %s", file, strings.TrimPrefix(err.Error(), "toml: "))
}
