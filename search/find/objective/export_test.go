package objective

// JointOf computes the joint proxy of another density on the groups' trials, as Refine does for an expression.
func JointOf(l *Loss, rt, choice [][]float64, density func(rt, choice float64, theta []float64) float64, dst []float64) {
	c := newClimber(l.joint, l.settings.near())
	c.sum = func(theta [][]float64, sums []float64) {
		for g := range sums {
			sums[g] = 0
			for k, x := range rt[g][:l.settings.JointTrials] {
				sums[g] += density(x, choice[g][k], theta[g])
			}
		}
	}
	c.climb(dst)
}

// Condensed returns the points that replace a subject's trials: their times, choices and weights.
func Condensed(rt, choice []float64, points int) (x, side, weight []float64) {
	trials := make([][]float64, len(rt))
	for k := range rt {
		trials[k] = rt[k : k+1]
	}
	s := sample{theta: [][]float64{nil}, trials: [][][]float64{trials}, choice: [][]float64{choice}}.condense(points)
	for _, row := range s.trials[0] {
		x = append(x, row[0])
	}
	return x, s.choice[0], s.weight[0]
}
