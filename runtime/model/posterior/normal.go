package posterior

import "math"

// Normal returns the mean and the standard deviation of a parameter whose prior is normal, and false for any other prior and for one
// that the parameter's range cuts.
func (p *Parameter) Normal() (mean, sd float64, ok bool) {
	if p.Prior.family == nil || p.Prior.family.name != "normal" || !math.IsInf(p.Lower, -1) || !math.IsInf(p.Upper, 1) {
		return 0, 0, false
	}
	return p.Prior.args[0], p.Prior.args[1], true
}
