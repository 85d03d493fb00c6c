package run

import (
	"fmt"
	"io"
	"strings"

	"likc/search/work/pipeline"
)

// listPlan prints the units in their order, with names for the paths of inputs.
func listPlan(w io.Writer, p pipeline.Plan) error {
	for _, u := range p.Units {
		for i, s := range u.Steps {
			name := u.Name
			if i > 0 {
				name = ""
			}
			if _, err := fmt.Fprintf(w, "%-33s likc %s\n", name, strings.Join(s.Args, " ")); err != nil {
				return err
			}
		}
	}
	return nil
}
