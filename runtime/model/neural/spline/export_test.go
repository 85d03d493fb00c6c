package spline

import "likc/runtime/model/kernel"

// LastNodes is the number of nodes of the line that rows were last evaluated along; 0 if they were evaluated one by one.
func LastNodes(rows kernel.Rows) int {
	r := rows.(*splineRows)
	w := r.spaces.Get().(*rowSpace)
	defer r.spaces.Put(w)
	if w.line.m > mostNodes {
		return 0
	}
	return w.line.m
}
