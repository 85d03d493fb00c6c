package evolve

import (
	"fmt"
	"strings"
)

// Presets lists the names that [Preset] accepts, the default first.
var Presets = []string{"likc", "pysr"}

// Preset returns the settings with the given name.
func Preset(name string) (Settings, error) {
	switch name {
	case "likc":
		return likc(), nil
	case "pysr":
		return pysr(), nil
	}
	return Settings{}, fmt.Errorf("preset %q: want one of %s", name, strings.Join(Presets, ", "))
}

// pysr returns the default settings of PySR 1.5.10 with SymbolicRegression.jl 1.11.3, and the constraints of the paper's searches.
func pysr() Settings {
	return Settings{
		Preset: "pysr", Seed: 1,
		MaxSize:      50,
		ArgumentSize: map[string]int{"exp": 9, "log": 9, "sqrt": 9},
		Nesting:      map[string][]string{"log": {"log", "exp"}, "exp": {"exp"}},
		Constants:    Penalised, Penalty: 1000, FitShare: 0.14,
		Populations: 31, PopulationSize: 27, Cycles: 380,
		TournamentSize: 15, TournamentP: 0.982, Crossover: 0.0259, Attempts: 10,
		Weights: Weights{Rotate: 4.26, Add: 2.47, Insert: 0.0112, Delete: 0.870, Operator: 0.293, Swap: 0.198,
			Simplify: 0.00209, Randomise: 0.000502, Constant: 0.0346, Nothing: 0.273},
		FrequencyScaling: 1040, FrequencyAcceptance: true, FrequencyWindow: 100000,
		MigrationFraction: 0.00036, HallFraction: 0.0614, Top: 12,
		StartSize: 7, TableEntries: 1 << 22,
	}
}

// likc returns the settings that gave the best results in measurements.
func likc() Settings {
	s := pysr()
	s.Preset, s.Constants, s.Blocks = "likc", None, 0.3
	s.Cycles, s.HallFraction, s.MigrationFraction = 38, 0.00614, 0.000036
	s.Crossover, s.FrequencyScaling = 0.2, 20
	s.Weights = Weights{Rotate: 1, Add: 0.5, Insert: 2, Delete: 0.5, Hoist: 0.8, Operator: 0.6, Feature: 1, Swap: 0.2, Subtree: 1,
		Simplify: 0.002, Randomise: 0.0005, Constant: 0.03, Nothing: 0}
	s.FrequencyAcceptance = false
	s.Ladder, s.Life = 0.3, 100 // otherwise the populations drift to large sizes and miss short expressions
	s.FeasibleStart, s.StartSize, s.RejectRegressions = true, 15, true
	s.Memo, s.Semantic, s.DropNonFinite, s.Distinct, s.SkipNeutral = true, true, true, true, true
	return s
}
