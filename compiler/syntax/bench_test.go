package syntax

import (
	"strings"
	"testing"
)

func BenchmarkReadExpr2(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read("expr2.lik", strings.NewReader(expr2)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadLargest reads a sum with the largest number of nodes that is allowed.
func BenchmarkReadLargest(b *testing.B) {
	text := inModel("loglik = x" + strings.Repeat(" + x", MaxNodes-1))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read("largest.lik", strings.NewReader(text)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFormatExpr2(b *testing.B) {
	models, err := Read("expr2.lik", strings.NewReader(expr2))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if Format(models[0]) == "" {
			b.Fatal("no text")
		}
	}
}
