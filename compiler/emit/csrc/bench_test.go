package csrc_test

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"likc/compiler/build"
	"likc/compiler/emit"
	"likc/compiler/emit/csrc"
)

// BenchmarkAgainstAsWritten times emitted C and the model as written in one run, both compiled with
// gcc -O3 -march=native -ffast-math: ns an evaluation, by model, engine, number of trials and what is computed.
func BenchmarkAgainstAsWritten(b *testing.B) {
	need(b, "gcc")
	for _, name := range []string{"expr2", "wald", "entangled", "lognormal"} {
		b.Run(name, func(b *testing.B) {
			m, _ := read(b, name)
			_, files := emitted(b, name, "emitted")
			naive, err := csrc.AsWritten(m)
			if err != nil {
				b.Fatal(err)
			}
			programs := [][]emit.File{files, naive}
			for i := 0; i < b.N; i++ {
				for _, p := range programs {
					report(b, p)
				}
			}
			b.ReportMetric(0, "ns/op") // the time of one iteration means nothing here
		})
	}
}

// report runs the benchmark of a package.
func report(b *testing.B, files []emit.File) {
	b.Helper()
	made, err := build.CompileC(context.Background(), files, build.COptions{Kind: build.ProgramKind, Native: true, Fast: true})
	if err != nil {
		b.Fatal(err)
	}
	out, err := exec.Command(made.Path, "--bench", "1000", "100000").Output()
	if err != nil {
		b.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		f := strings.Split(line, "\t") // engine, trials, what, ns
		ns, err := strconv.ParseFloat(f[3], 64)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(ns, "ns/"+f[0]+"-"+f[1]+"-"+f[2])
	}
}
