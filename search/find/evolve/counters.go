package evolve

// Counters counts what happened to the candidates. Each candidate counts in Drawn, and in exactly one of Infeasible, Memo, Semantic,
// NonFinite, Staged, Full and Unscored.
type Counters struct {
	Drawn      int64 `json:"drawn"`      // candidates made by mutation, by crossover and at the start
	Infeasible int64 `json:"infeasible"` // candidates that broke a constraint, or had more violations than their parent
	Memo       int64 `json:"memo"`       // candidates that equal a known one up to the order of a + b and a * b
	Semantic   int64 `json:"semantic"`   // candidates with the values of a known expression
	NonFinite  int64 `json:"nonfinite"`  // candidates that are not finite on the first rows
	Staged     int64 `json:"staged"`     // candidates given up before all rows were evaluated
	Full       int64 `json:"full"`       // candidates evaluated on all rows; the budget limits their number
	Unscored   int64 `json:"unscored"`   // candidates that needed no score, such as copies, or came after the budget was spent

	Useful    int64 `json:"useful"`    // evaluations among Full that are finite, have every required symbol, and equal no earlier expression
	Sampled   int64 `json:"sampled"`   // evaluations among Useful whose expression was simplified to see whether a required symbol vanishes: one in 32, by hash
	Hollow    int64 `json:"hollow"`    // evaluations among Sampled in which a required symbol vanishes
	Repeated  int64 `json:"repeated"`  // evaluations among Full whose values were known: made again for the hall of fame, or because no memo is kept
	Rejected  int64 `json:"rejected"`  // evaluations among Full that are not finite on all rows
	Missing   int64 `json:"missing"`   // evaluations among Full without a required symbol
	Accepted  int64 `json:"accepted"`  // candidates that became members
	Fits      int64 `json:"fits"`      // fits of constants
	Simpler   int64 `json:"simpler"`   // simplifications made to look for missing symbols
	Vanishing int64 `json:"vanishing"` // simplifications among Simpler in which a required symbol was missing
}

// UsefulShare returns the share of full evaluations that are useful: the expression is feasible after simplification, finite, and
// equal to no earlier one. Whether it is feasible after simplification is estimated from the sample.
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
