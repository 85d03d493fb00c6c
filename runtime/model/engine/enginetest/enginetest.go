// Package enginetest opens models for tests.
package enginetest

import (
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/model/engine"
)

// Open returns the model of a name, and its likelihood by an engine that needs no building. The test's end closes it.
func Open(t testing.TB, name string) (*catalog.Model, *engine.Binder) {
	t.Helper()
	m, err := catalog.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := engine.Open(m, engine.Ready)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return m, b
}
