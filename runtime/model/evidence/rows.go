package evidence

import (
	"slices"

	"likc/runtime/model/kernel"
)

// rows holds bound trials.
type rows struct {
	*process
	rt      []float64   // response times
	choice  []int       // indices of the choices
	columns [][]float64 // trial columns on which the process depends

	byColumns []int // the rows, sorted so that rows with the same columns are neighbours
}

// sortByColumns sets byColumns.
func (r *rows) sortByColumns() {
	for i := range r.rt {
		r.byColumns = append(r.byColumns, i)
	}
	if slices.Contains(r.lateColumn, false) {
		slices.SortStableFunc(r.byColumns, func(a, b int) int { return r.compare(nil, a, b) })
	}
}

// N is the number of rows.
func (r *rows) N() int { return len(r.rt) }

// Each evaluates the rows. It sorts them so that rows that share a solution are evaluated together.
func (r *rows) Each(theta [][]float64, logp []float64, grad [][]float64) {
	s := r.pool.Get().(*space)
	defer r.pool.Put(s)
	s.sort(r, theta)
	one := []float64(nil)
	if grad != nil {
		if cap(s.one) < r.dim {
			s.one = make([]float64, r.dim)
		}
		one = s.one[:r.dim]
	}
	for from := 0; from < len(s.order); {
		first := s.order[from]
		to, most := from+1, r.rt[first]
		for to < len(s.order) && r.compare(theta, first, s.order[to]) == 0 {
			most = max(most, r.rt[s.order[to]])
			to++
		}
		r.place(s, theta, first)
		r.solve(s, r.latest(s, theta, s.order[from:to], most), grad != nil)
		for _, i := range s.order[from:to] {
			if to > from+1 && r.varies(theta) {
				r.place(s, theta, i)
				s.onset, s.dOnset = r.onset.at(&s.work[0].tape, &s.mem, r.dim, s.values)
			}
			logp[i] = s.log(r.rt[i], r.choice[i], one)
			for p, g := range grad {
				if g != nil {
					g[i] = one[p]
					if logp[i]-logp[i] != 0 {
						g[i] = 0
					}
				}
			}
		}
		from = to
	}
}

// varies reports whether a parameter or column on which only the onset or a tilt depends may differ from row to row.
func (r *rows) varies(theta [][]float64) bool {
	if slices.Contains(r.lateColumn, true) {
		return true
	}
	for p, late := range r.late {
		if late && len(theta[p]) > 1 {
			return true
		}
	}
	return false
}

// latest returns the time up to which rows that share a solution need it, as a response time for the onset of the row in s.
func (r *rows) latest(s *space, theta [][]float64, rows []int, most float64) float64 {
	if !r.varies(theta) {
		return most
	}
	base, until := r.begins(s), 0.0
	for _, i := range rows {
		r.place(s, theta, i)
		until = max(until, r.rt[i]-r.begins(s))
	}
	r.place(s, theta, rows[0])
	return base + until
}

// begins returns the earliest onset of the row in s.
func (r *rows) begins(s *space) float64 {
	s.mem.reset()
	values, _ := r.onset.at(&s.work[0].tape, &s.mem, r.dim, s.values)
	return r.onset.earliest(values)
}

// place copies the parameters and columns of row i to s.values.
func (r *rows) place(s *space, theta [][]float64, i int) {
	for p, x := range theta {
		s.values[p] = kernel.At(x, i)
	}
	for k, c := range r.columns {
		s.values[r.dim+k] = c[i]
	}
}

// sort orders the rows so that rows that share a solution are neighbours.
func (s *space) sort(r *rows, theta [][]float64) {
	s.order = append(s.order[:0], r.byColumns...)
	if !r.differ(theta) {
		return
	}
	slices.SortStableFunc(s.order, func(a, b int) int { return r.compare(theta, a, b) })
}

// differ reports whether rows with the same columns may need different solutions.
func (r *rows) differ(theta [][]float64) bool {
	for p, x := range theta {
		if len(x) > 1 && !r.late[p] {
			return true
		}
	}
	return false
}

// compare orders rows by the values on which their solutions depend.
func (r *rows) compare(theta [][]float64, a, b int) int {
	for p, x := range theta {
		if len(x) > 1 && !r.late[p] && x[a] != x[b] {
			return byValue(x[a], x[b])
		}
	}
	for k, c := range r.columns {
		if !r.lateColumn[k] && c[a] != c[b] {
			return byValue(c[a], c[b])
		}
	}
	return 0
}

// byValue returns -1 if a is less than b, and 1 otherwise.
func byValue(a, b float64) int {
	if a < b {
		return -1
	}
	return 1
}
