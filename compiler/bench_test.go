package compiler

import (
	"fmt"
	"strings"
	"testing"

	"likc/compiler/syntax"
	"likc/testdata"
)

// frontLine is an expression of 50 nodes as a search writes it, without lets.
const frontLine = `model line {
  trial rt  choice c
  param v in [-3, 3]  param a in [0.3, 2.5]  param z in [0.1, 0.9]  param t in [0, 2]
  support t < rt
  lower { v = -v  z = 1 - z }
  loglik = (a - ((a - v*(rt - t)) / ((rt - t) + z))^4) * exp(sqrt(z) - z - a - t) - (rt - t)
    + log((rt - t)*a + exp(v*z)) / (a + (rt - t)^2) - (v - a*z)^2 * (rt - t)
}`

// BenchmarkCompile times Compile for two built-in models and frontLine.
func BenchmarkCompile(b *testing.B) {
	texts := map[string]string{"line": frontLine}
	for _, name := range []string{"expr2", "found31"} {
		texts[name], _ = testdata.Model(name)
	}
	for _, name := range []string{"expr2", "found31", "line"} {
		models, err := syntax.Read(name+".lik", strings.NewReader(texts[name]))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Compile(models[0], Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// longModels are models whose compilation once took a time that grew with the square or the cube of their length.
func longModels(scale int) map[string]string {
	const head = "model m { trial rt param v in [0.1, 3] param a in [0.1, 2] "
	terms, factors := make([]string, 8*scale), make([]string, scale)
	for i := range terms {
		terms[i] = fmt.Sprintf("%d*log(rt + v + %d)", i+1, i+1)
	}
	for i := range factors {
		factors[i] = fmt.Sprintf("(rt + v + %d)", i+1)
	}
	var lets strings.Builder
	last := "rt"
	for i := range 5 * scale {
		name := fmt.Sprintf("k%d", i)
		fmt.Fprintf(&lets, "let %s = exp(-%s*%s) + a*v ", name, last, last)
		last = name
	}
	return map[string]string{
		"sum":     head + "loglik = " + strings.Join(terms, " + ") + " }",
		"product": head + "loglik = " + strings.Join(factors, " * ") + " }",
		"lets":    head + lets.String() + "loglik = " + last + " }",
	}
}

// BenchmarkLong times models of growing length: twice the length should take about twice the time.
func BenchmarkLong(b *testing.B) {
	for _, scale := range []int{15, 30, 60} {
		for name, text := range longModels(scale) {
			models, err := syntax.Read(name+".lik", strings.NewReader(text))
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/%d", name, scale), func(b *testing.B) {
				for b.Loop() {
					if _, err := Compile(models[0], Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
