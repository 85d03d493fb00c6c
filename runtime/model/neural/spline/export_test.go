package spline

import "likc/runtime/model/kernel"

// LastNodes returns the number of nodes of the line in the last evaluation of rows; 0 if the rows did not lie on a line.
func LastNodes(rows kernel.Rows) int {
	r := rows.(*splineRows)
	w := r.spaces.Get().(*rowSpace)
	defer r.spaces.Put(w)
	if w.line.m > mostNodes {
		return 0
	}
	return w.line.m
}
