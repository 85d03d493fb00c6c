package omission

import (
	"testing"

	"likc/runtime/model/kernel"
	"likc/runtime/model/trials"
)

// BenchmarkOmission measures value and gradient of one omission that is likely, rare or nearly certain.
func BenchmarkOmission(b *testing.B) {
	for _, c := range []struct {
		model string
		theta []float64
	}{
		{"ddm", []float64{1, 1.2, 0.5, 0.3}}, {"lba2", []float64{2.5, 1.5, 0.5, 0.8, 0.2}}, {"rdm2", []float64{2.5, 1.5, 0.5, 0.8, 0.2}},
		{"lnr2", []float64{-1, -0.5, 0.5, 0.2}}, {"found57", []float64{1, 1.2, 0.5, 0.3}}, {teacher, []float64{1, 1.2, 0.5, 0.3}},
	} {
		d := censored(b, c.model)
		for _, deadline := range []struct {
			name string
			at   float64
		}{{"likely", 0.7}, {"rare", 2}, {"certain", 0.35}} {
			rows, err := d.Rows(kernel.Responses([]float64{deadline.at}, []float64{trials.Omitted}))
			if err != nil {
				b.Fatal(err)
			}
			s := kernel.SumOf(rows)
			grad := make([]float64, len(c.theta))
			b.Run(c.model+"/"+deadline.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					s.LogLikGrad(c.theta, grad)
				}
			})
		}
	}
}
