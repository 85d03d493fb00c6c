package posterior

import "math"

// Normal returns the mean and the standard deviation of a normal prior. It returns false for any other prior, and if
// the parameter's range is finite on either side.
func (p *Parameter) Normal() (mean, sd float64, ok bool) {
	if p.Prior.family == nil || p.Prior.family.name != "normal" || !math.IsInf(p.Lower, -1) || !math.IsInf(p.Upper, 1) {
		return 0, 0, false
	}
	return p.Prior.args[0], p.Prior.args[1], true
}
