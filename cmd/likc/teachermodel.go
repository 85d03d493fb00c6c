package main

import (
	"os"
	"path/filepath"

	"likc/compiler/expr"
	"likc/search/teacher"
)

// readLikelihood is readModel for commands that only evaluate: the folder of a teacher is a model too.
func readLikelihood(arg string) (source, error) {
	if _, err := os.Stat(filepath.Join(arg, teacher.RecordFile)); err != nil {
		return readModel(arg)
	}
	o, err := teacher.Open(arg)
	if err != nil {
		return source{}, err
	}
	out := &expr.Model{Name: filepath.Base(filepath.Clean(arg)), Trials: []string{"rt"}, Positive: []string{"rt"}, Choice: "choice"}
	for _, p := range o.Simulator.Params {
		out.Params = append(out.Params, expr.Param{Name: p.Name, Lower: p.Lower, Upper: p.Upper})
	}
	return source{Model: out, Exact: true, Teacher: o}, nil
}
