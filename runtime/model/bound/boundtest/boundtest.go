// Package boundtest opens models for tests.
package boundtest

import (
	"testing"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
)

// Open returns the model with a name, and its likelihood with an engine that needs no building. The likelihood is closed when the test ends.
func Open(t testing.TB, name string) (*catalog.Model, *bound.Prepared) {
	t.Helper()
	m, err := catalog.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bound.Open(m, bound.Ready)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return m, b
}
