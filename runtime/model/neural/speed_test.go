package neural

import (
	"fmt"
	"path/filepath"
	"testing"

	"likc/runtime/model/kernel"
	"likc/runtime/model/neural/lan"
	"likc/runtime/model/neural/spline"
	"likc/runtime/model/ssm"
	"likc/testdata/reference"
)

// BenchmarkThousandTrials times one evaluation at 1,000 trials. The paper's network takes 1,144 ms.
func BenchmarkThousandTrials(b *testing.B) {
	m, err := ssm.Lookup("ddm")
	if err != nil {
		b.Fatal(err)
	}
	theta, rt, choice := []float64{0.8, 1.2, 0.55, 0.3}, make([]float64, 1000), make([]float64, 1000)
	if err := m.Simulate(ssm.NewRand(1, 1), theta, ssm.Scheme{}, rt, choice); err != nil {
		b.Fatal(err)
	}
	bind := map[string]func() (kernel.Sum, error){
		"exact": func() (kernel.Sum, error) { return ssm.DDM.Bind(rt, choice) },
		"lan":   func() (kernel.Sum, error) { return published(b, m).Bind(rt, choice) },
	}
	for _, kind := range []string{"spline", "flow"} {
		bind[kind] = func() (kernel.Sum, error) {
			o, err := Open(filepath.Join("../../../testdata/teacher", kind))
			if err != nil {
				return nil, err
			}
			return o.Density.Sum(kernel.Responses(rt, choice))
		}
	}
	for _, name := range []string{"exact", "spline", "lan", "flow"} {
		b.Run(name+"/value", func(b *testing.B) { evaluate(b, bind[name], theta, false) })
		b.Run(name+"/gradient", func(b *testing.B) { evaluate(b, bind[name], theta, true) })
	}
}

// BenchmarkBlocks measures the gradient of many blocks of trials, each with its own parameters, for the committed spline.
func BenchmarkBlocks(b *testing.B) {
	o, err := Open(filepath.Join("../../../testdata/teacher", "spline"))
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range [][2]int{{14, 285}, {60, 100}} {
		var blocks []kernel.Trials
		var theta []float64
		r := ssm.NewRand(1, 1)
		for range size[0] {
			at := []float64{0.3 + r.NormFloat64()/2, 1.2 + r.Float64()/4, 0.5, 0.3}
			block := kernel.Trials{Columns: [][]float64{make([]float64, size[1])}, Choice: make([]float64, size[1])}
			if err := ssm.DDM.Simulate(r, at, ssm.ExactScheme(), block.Columns[0], block.Choice); err != nil {
				b.Fatal(err)
			}
			blocks, theta = append(blocks, block), append(theta, at...)
		}
		lik, err := o.Density.(*spline.Spline).SumBlocks(blocks)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%d×%d", size[0], size[1]), func(b *testing.B) {
			evaluate(b, func() (kernel.Sum, error) { return lik, nil }, theta, true)
		})
	}
}

func evaluate(b *testing.B, bind func() (kernel.Sum, error), theta []float64, gradient bool) {
	lik, err := bind()
	if err != nil {
		b.Fatal(err)
	}
	grad := make([]float64, lik.Dim())
	for b.Loop() {
		if gradient {
			lik.LogLikGrad(theta, grad)
		} else {
			lik.LogLik(theta)
		}
	}
}

// published returns the pretrained network of the process ddm.
func published(b *testing.B, m *ssm.Model) *lan.Teacher {
	n, err := lan.ReadTeacher(m, reference.Read(b, "networks/lan_ddm.json"))
	if err != nil {
		b.Fatal(err)
	}
	return n
}
