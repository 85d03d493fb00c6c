package evidence

import "math"

// logarithms sets the logarithms of the fluxes of a panel.
func (v *volterra) logarithms(first int) {
	for k := range v.sides {
		flux, log := v.sol.flux[k], v.sol.log[k]
		for at := first; at < first+order; at++ {
			if v.silent(k, at, quietExponent) || !(flux.v[at] > 0) {
				v.asymptote(k, at)
				continue
			}
			log.v[at] = math.Log(flux.v[at]) + v.sol.lead[k]/v.tau[at] + 1.5*math.Log(v.tau[at])
			for p := range v.dim {
				log.d[at*v.dim+p] = flux.d[at*v.dim+p]/flux.v[at] + v.sol.turn[k][p]/v.tau[at]
			}
		}
	}
}

// asymptote sets the logarithm of a flux to that of a free Brownian motion from the nearest starting point.
func (v *volterra) asymptote(k, at int) {
	y, dy := v.from.low, v.from.dlow
	if k == 0 {
		y, dy = v.from.high, v.from.dhigh
	}
	d, s, rate := v.bound[k].v[at]-y, v.s.v[at], v.rate.v[at]
	speed := d / s
	q, steep := speed-v.path.slope[k].v[at], 1.0
	if least := 1e-6 * math.Abs(speed); !(math.Abs(q) > least) { // a start on the boundary that drifts along with it
		q, steep = max(least, 1e-6), 0
	}
	log := v.sol.log[k]
	log.v[at] = -d*speed/2 - 0.5*math.Log(2*math.Pi*s) + math.Log(math.Abs(q)*rate) + v.sol.lead[k]/v.tau[at] + 1.5*math.Log(v.tau[at])
	for p := range v.dim {
		i := at*v.dim + p
		dd, ds := v.bound[k].d[i]-dy[p], v.s.d[i]
		dspeed := (dd - speed*ds) / s
		log.d[i] = -speed*dd + (speed*speed/2-1/(2*s))*ds + v.rate.d[i]/rate + steep*(dspeed-v.path.slope[k].d[i])/q + v.sol.turn[k][p]/v.tau[at]
	}
}
