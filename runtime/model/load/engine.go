package load

import (
	"reflect"

	"likc/runtime/num/isa"
)

// Use makes a likelihood of a generated package go over its trials by an engine, isa.Best at most, and returns the engine
// that it uses then. It must not be called while the likelihood evaluates. A likelihood without a choice of engines, one in
// another process among them, is left as it is; the result is Portable.
//
// Each generated package has an Engine type of its own, numbered as isa.Level is.
func Use(lik any, level isa.Level) isa.Level {
	m := reflect.ValueOf(lik).MethodByName("Use")
	if !m.IsValid() || m.Type().NumIn() != 1 || m.Type().NumOut() != 1 ||
		m.Type().In(0).Kind() != reflect.Int || m.Type().Out(0).Kind() != reflect.Int {
		return isa.Portable
	}
	engine := reflect.New(m.Type().In(0)).Elem()
	engine.SetInt(int64(min(level, isa.Best())))
	return isa.Level(m.Call([]reflect.Value{engine})[0].Int())
}

// IsRemote reports whether a likelihood evaluates in another process. Asking that takes longer than a short evaluation.
func IsRemote(lik any) bool {
	_, remote := lik.(*remote)
	return remote
}
