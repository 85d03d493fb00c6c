package vec

// Passages holds columns of a Volterra equation of first passage [buonocore1987], one element a source: an earlier point at a boundary.
// The kernel of a source is K = rate·scale·exp(-d²/2Δ)·(slope - d/Δ), where d is the distance of the point b from the source, and Δ the
// time between them.
//
//	[buonocore1987] Buonocore, Nobile, Ricciardi. A new integral equation for the evaluation of first-passage-time probability
//	                densities. Adv. Appl. Prob. 19 (1987) 784-800.
type Passages struct {
	K, Distance, Clock []float64 // results: K; its derivatives in d and in Δ, multiplied by the flux
	At, Inverse, Scale []float64 // the positions of the sources, 1/Δ, and the factors of the exponentials, which go as 1/√Δ
	Flux               []float64 // the densities with which evidence reached the sources
}

// Passage sets p.K and p.Distance, and p.Clock if it is not nil, for the point b. It returns the sums over sources of kernels times fluxes, and of the
// derivatives of this in slope, d and Δ. The last is 0 without p.Clock.
func Passage(p *Passages, b, slope, rate float64) (k, bySlope, byDistance, byClock float64) {
	var total [4][8]float64 // the sums over every eighth source
	match(p.K, p.Distance, p.At, p.Inverse, p.Scale, p.Flux)
	if p.Clock == nil {
		passage(p.K, p.Distance, p.At, p.Inverse, p.Scale, p.Flux, b, slope, rate, &total)
	} else {
		match(p.K, p.Clock)
		passageByClock(p.K, p.Distance, p.Clock, p.At, p.Inverse, p.Scale, p.Flux, b, slope, rate, &total)
	}
	var sums [4]float64
	for i := range sums {
		t := &total[i]
		sums[i] = ((t[0] + t[4]) + (t[2] + t[6])) + ((t[1] + t[5]) + (t[3] + t[7]))
	}
	return sums[0], sums[1], sums[2], sums[3]
}

func passagePortable(k, distance, at, inverse, scale, flux []float64, b, slope, rate float64, total *[4][8]float64) {
	passageByClockPortable(k, distance, nil, at, inverse, scale, flux, b, slope, rate, total)
}

func passageByClockPortable(k, distance, clock, at, inverse, scale, flux []float64, b, slope, rate float64, total *[4][8]float64) {
	n := len(at)
	k, distance, inverse, scale, flux = k[:n], distance[:n], inverse[:n], scale[:n], flux[:n]
	for j, x := range at {
		d := b - x
		k[j] = -0.5 * d * (d * inverse[j])
	}
	expPortable(k, k)
	for j, x := range at {
		inv := inverse[j]
		speed := (b - x) * inv
		e := rate * scale[j] * k[j]
		q, flow := slope-speed, e*flux[j]
		k[j] = e * q
		distance[j] = -flow * (q*speed + inv)
		total[0][j%8] += k[j] * flux[j]
		total[1][j%8] += flow
		total[2][j%8] += distance[j]
		if clock != nil {
			clock[j] = flow * (0.5*q*(speed*speed-inv) + speed*inv)
			total[3][j%8] += clock[j]
		}
	}
}
