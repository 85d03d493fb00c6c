package spline

// piece is the spline S in one bin, the interval of u between two neighbouring knots. The bin begins at (x, y) and has the width w and the
// height h. With ξ = (u - x)/w, q = ξ(1-ξ), slopes d0, d1 at the ends and s = h/w,
//
//	S = y + h·(s ξ² + d0 q)/D, S' = s²·A/D², D = s + (d0 + d1 - 2s) q, A = d1 ξ² + 2 s q + d0 (1-ξ)²
//
// ([durkan2019], eq. 4 and 5).
type piece struct { // kernels rely on the order of fields
	x, over, w   float64 // where the bin begins, 1/w, and the width
	y, h, s      float64 // S where the bin begins, the height, and h/w
	d0, d1, bend float64 // the slopes at the beginning and the end, and d0 + d1 - 2s
	squareS      float64 // s²
	twiceOver    float64 // 2/s
}

// piece returns the spline in bin k.
func (c *Curve) piece(k int) (p piece) {
	p.set(c, k)
	return p
}

func (p *piece) set(c *Curve, k int) {
	p.x, p.y, p.d0, p.d1 = c.x[k], c.y[k], c.slope[k], c.slope[k+1]
	p.w, p.h = c.x[k+1]-c.x[k], c.y[k+1]-c.y[k]
	p.over = 1 / p.w
	p.s = p.h * p.over
	p.twiceOver = 2 * p.w / p.h
	p.bend = p.d0 + p.d1 - 2*p.s
	p.squareS = p.s * p.s
}

// value returns S(u) and S'(u).
func (p *piece) value(u float64) (y, slope float64) {
	xi := (u - p.x) * p.over
	rest := 1 - xi
	q := xi * rest
	over := 1 / (p.s + p.bend*q)
	a := p.d1*xi*xi + 2*p.s*q + p.d0*rest*rest
	return p.y + p.h*(p.s*xi*xi+p.d0*q)*over, p.squareS * a * over * over
}

// moments are sums, over the trials in a bin, of derivatives of log S'(u) - S(u)²/2 with respect to ξ, s, d0, d1, y and h. xiXi is the
// sum of the derivative with respect to ξ, times ξ.
type moments struct {
	xi, xiXi, s, d0, d1, y, h float64
}

// add adds a trial to m, and returns S(u), S'(u) and the derivative of log S'(u) - S(u)²/2 with respect to u.
func (p *piece) add(m *moments, u float64) (y, slope, du float64) {
	xi := min(max((u-p.x)*p.over, 0), 1) // rounding may place u just outside
	rest := 1 - xi
	q := xi * rest
	square := xi * xi
	d := p.s + p.bend*q
	a := p.d1*square + 2*p.s*q + p.d0*rest*rest
	both := 1 / (d * a) // one division instead of two, because divisions are slow
	over, overA := both*a, both*d
	n := p.s*square + p.d0*q
	part := n * over
	y = p.y + p.h*part
	slope = p.squareS * a * over * over
	turn := 1 - 2*xi
	sideways := p.h * over // h/D
	dXi := 2*(p.d1*xi+p.s*turn-p.d0*rest)*overA - 2*p.bend*turn*over - y*slope*p.w
	m.xi += dXi
	m.xiXi += dXi * xi
	m.s += p.twiceOver + 2*q*overA - 2*(1-2*q)*over - y*sideways*(square-part*(1-2*q))
	m.d0 += rest*rest*overA - 2*q*over - y*sideways*q*(1-part)
	m.d1 += square*overA - 2*q*over + y*sideways*q*part
	m.y -= y
	m.h -= y * part
	return y, slope, dXi * p.over
}

// addTo converts the moments of bin k into derivatives with respect to the knots and slopes, and adds them to g.
func (p *piece) addTo(g *Sums, k int, m *moments) {
	h := m.h + m.s*p.over
	w := -(m.s*p.s + m.xiXi) * p.over
	g.x[k] -= w + m.xi*p.over
	g.x[k+1] += w
	g.y[k] += m.y - h
	g.y[k+1] += h
	g.slope[k] += m.d0
	g.slope[k+1] += m.d1
}

// addInTail adds a trial of the tail that begins at knot `at` to g. It returns S(u), S'(u) and the derivative of log S'(u) - S(u)²/2 with
// respect to u.
func (c *Curve) addInTail(g *Sums, at int, u float64) (y, slope, du float64) {
	slope = c.slope[at]
	away := u - c.x[at]
	y = c.y[at] + slope*away
	g.slope[at] += 1/slope - y*away
	g.y[at] -= y
	g.x[at] += y * slope
	return y, slope, -y * slope
}

// axis returns u'(τ), given √τ and 1/√τ. It also returns the derivatives of the log density with respect to τ, alpha and beta, given
// du, the derivative with respect to u.
func (c *Curve) axis(root, overRoot, du float64) (rise, dTau, dAlpha, dBeta float64) {
	over := overRoot * overRoot // 1/τ
	sum := c.alpha + c.beta*over
	inverse := 1 / sum
	rise = sum * overRoot / 2
	return rise, du*rise - over/2 - c.beta*over*over*inverse, du*root + inverse, inverse*over - du*overRoot
}
