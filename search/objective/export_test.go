package objective

// JointOf runs the joint proxy of another density over the groups' trials.
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
