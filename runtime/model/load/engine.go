package load

import (
	"reflect"

	"likc/runtime/num/isa"
)

// Use makes a likelihood of a generated package use an instruction set, at most isa.Best, for its loops over trials. It returns the
// instruction set that is then used. It must not be called while the likelihood is evaluated. For a likelihood without a method Use,
// such as one in another process, it does nothing and returns Portable.
//
// The method Use of a generated package has an argument of the package's type Engine, whose numbers are those of isa.Level.
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

// IsRemote reports whether a likelihood is evaluated in another process. Sending a question and its answer takes longer than a short
// evaluation, so the durations of calls say little about the likelihood.
func IsRemote(lik any) bool {
	_, remote := lik.(*remote)
	return remote
}
