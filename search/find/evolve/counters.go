package evolve

// Counters says what became of the candidates. Each drawn candidate is counted in exactly one of Infeasible, Memo,
// Semantic, NonFinite, Staged, Full and Unscored.
type Counters struct {
	Drawn      int64 `json:"drawn"`      // candidates that mutation, crossover and the start have made
	Infeasible int64 `json:"infeasible"` // broke a constraint, or had more violations than their parent
	Memo       int64 `json:"memo"`       // known up to the order of a + b and a * b
	Semantic   int64 `json:"semantic"`   // had the values of a known expression
	NonFinite  int64 `json:"nonfinite"`  // were not finite on the first rows
	Staged     int64 `json:"staged"`     // were given up before all rows were seen
	Full       int64 `json:"full"`       // full evaluations: what the budget counts
	Unscored   int64 `json:"unscored"`   // needed no score (copies), or came when the budget was spent

	Useful    int64 `json:"useful"`    // evaluations among Full that are finite, have every required symbol, and equal no earlier expression
	Sampled   int64 `json:"sampled"`   // evaluations among Useful whose expression was simplified to see whether a required symbol vanishes: one in 32, by hash
	Hollow    int64 `json:"hollow"`    // evaluations among Sampled in which a required symbol vanishes
	Repeated  int64 `json:"repeated"`  // evaluations among Full with known values, made again for the hall of fame or for want of a memo
	Rejected  int64 `json:"rejected"`  // evaluations among Full that are not finite on all rows
	Missing   int64 `json:"missing"`   // evaluations among Full without a required symbol
	Accepted  int64 `json:"accepted"`  // candidates that became members
	Fits      int64 `json:"fits"`      // constants fitted
	Simpler   int64 `json:"simpler"`   // simplifications that looked for missing symbols
	Vanishing int64 `json:"vanishing"` // evaluations among these in which a required symbol was not there
}

// UsefulShare is the share of full evaluations that taught something new: feasible after simplification, finite, and not
// equal to an earlier one. How many are feasible only before it is estimated from the sample.
func (c Counters) UsefulShare() float64 {
	if c.Full == 0 {
		return 0
	}
	hollow := float64(c.Hollow) / float64(max(1, c.Sampled))
	return float64(c.Useful) / float64(c.Full) * (1 - hollow)
}

func (c *Counters) add(d Counters) {
	c.Drawn += d.Drawn
	c.Infeasible += d.Infeasible
	c.Memo += d.Memo
	c.Semantic += d.Semantic
	c.NonFinite += d.NonFinite
	c.Staged += d.Staged
	c.Full += d.Full
	c.Unscored += d.Unscored
	c.Useful += d.Useful
	c.Sampled += d.Sampled
	c.Hollow += d.Hollow
	c.Repeated += d.Repeated
	c.Rejected += d.Rejected
	c.Missing += d.Missing
	c.Accepted += d.Accepted
	c.Fits += d.Fits
	c.Simpler += d.Simpler
	c.Vanishing += d.Vanishing
}
