package teacher

import (
	"context"
	"os"
	"slices"
	"testing"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/kernel"
	"likc/runtime/model/posterior"
	"likc/runtime/model/ssm"
	"likc/runtime/model/timing"
	"likc/runtime/num/chains"
	"likc/search/study/bank"

	"gonum.org/v1/gonum/stat"
)

// TestRecoveryUnderNUTS fits the test subjects under the default teacher and under the exact density.
func TestRecoveryUnderNUTS(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("long: set LIKC_LONG=1")
	}
	b, err := bank.Open("../../../testdata/banks/test-60")
	if err != nil {
		t.Fatal(err)
	}
	o := open(t)
	clock, err := timing.CPU()
	if err != nil {
		t.Fatal(err)
	}
	began := clock()
	taught := estimates(t, b, func(rt, choice []float64) (kernel.Sum, error) { return o.Density.Sum(kernel.Responses(rt, choice)) })
	middle := clock()
	exact := estimates(t, b, func(rt, choice []float64) (kernel.Sum, error) { return ssm.DDM.Bind(rt, choice) })
	t.Logf("CPU time: teacher %v, exact %v", middle-began, clock()-middle)
	truth := make([][]float64, o.Simulator.Dim())
	for _, s := range b.Subjects {
		for j, x := range s.Theta {
			truth[j] = append(truth[j], x)
		}
	}
	for j, p := range o.Simulator.Params {
		ours, theirs := stat.Correlation(truth[j], taught[j], nil), stat.Correlation(truth[j], exact[j], nil)
		agreement := stat.Correlation(taught[j], exact[j], nil)
		t.Logf("%s: recovery r %.4f, exact %.4f, agreement r %.5f", p.Name, ours, theirs, agreement)
		if ours < theirs-0.02 || agreement < 0.96 {
			t.Errorf("%s: recovery r %v, exact %v, agreement r %v", p.Name, ours, theirs, agreement)
		}
	}
}

// estimates are posterior means, a slice a parameter.
func estimates(t *testing.T, b *bank.Bank, bind func(rt, choice []float64) (kernel.Sum, error)) [][]float64 {
	t.Helper()
	means := make([][]float64, len(b.Settings.Params))
	for _, subject := range b.Subjects {
		lik, err := bind(subject.RT, subject.Choice)
		if err != nil {
			t.Fatal(err)
		}
		var params []posterior.Parameter
		for _, r := range b.Settings.Params {
			params = append(params, posterior.Parameter{Name: r.Name, Lower: r.Lower, Upper: r.Upper})
		}
		if err := posterior.CapUpper(params, "t", slices.Min(subject.RT)); err != nil {
			t.Fatal(err)
		}
		post, err := posterior.New(lik, params)
		if err != nil {
			t.Fatal(err)
		}
		s := nuts.DefaultSettings()
		s.NumChains, s.NumWarmup, s.NumSamples, s.Threads, s.Seed, s.Stream = 2, 500, 500, 1, 1, uint64(subject.ID)
		result, err := nuts.Sample(context.Background(), func(int) nuts.Target { return post.Target() }, s)
		if err != nil {
			t.Fatalf("subject %d: %v", subject.ID, err)
		}
		post.ConstrainDraws(result.Draws)
		for j := range means {
			means[j] = append(means[j], chains.Mean(result.Draws.Param(j)))
		}
	}
	return means
}
