package catalog

import (
	"fmt"
	"slices"
	"strings"

	"likc/compiler/expr"
	"likc/runtime/stopsignal"
)

// checkStopSignal says why a model that declares the process has other parameters, columns or choices.
func checkStopSignal(m *expr.Model) error {
	var want []string
	for _, p := range stopsignal.Params {
		want = append(want, p.Name)
	}
	own := slices.EqualFunc(m.Simulator.Params, want, func(a expr.Assign, name string) bool {
		return a.Param == name && a.Value.Op == expr.Sym && a.Value.Name == name
	})
	switch {
	case !own:
		return fmt.Errorf("simulator %s: want a model of its parameters %s", stopsignal.Name, strings.Join(want, ", "))
	case !slices.Equal(m.Trials, stopsignal.Trials) || m.Choices != 2:
		return fmt.Errorf("simulator %s: want the trials %s and the choices 0 and 1", stopsignal.Name, strings.Join(stopsignal.Trials, " and "))
	}
	return nil
}
