package report

import (
	"regexp"

	"likc/runtime/fit"
	"likc/runtime/fit/folder"
	"likc/runtime/fit/formula"
	"likc/runtime/fit/hierarchy"
)

// difference is a difference between two cells of a design, on the parameter's own scale.
type difference struct {
	Name string
	hierarchy.Figures
}

// cellOfOne is the name of a cell of one column, such as v[conf=HC]: a parameter, a column and its label.
var cellOfOne = regexp.MustCompile(`^([^\[]+\[[^=,]+=)[^,]*\]$`)

// differencesOf returns the differences between each label's cell and that of the column's first label, for parameters whose cells have one column of labels.
// It is what likc contrast prints of the typical participant.
func differencesOf(r *folder.Regression, cells []fit.CellSummary) (all []difference) {
	first := map[string]string{} // name of the first cell of a parameter and column
	for _, cell := range cells {
		name := cellOfOne.FindStringSubmatch(cell.Cell)
		if name == nil {
			continue
		}
		if first[name[1]] == "" {
			first[name[1]] = cell.Cell
			continue
		}
		text := cell.Cell + " - " + first[name[1]]
		c, err := formula.ParseContrast(text)
		if err != nil {
			continue // a label that an expression cannot name
		}
		x, err := r.Contrast(c, r.Draws)
		if err != nil {
			continue
		}
		all = append(all, difference{text, hierarchy.FiguresOf(x)})
	}
	return all
}
