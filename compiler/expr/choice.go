package expr

// Conditions are numbers: 1 where they hold and 0 where they do not. A comparison with NaN does not hold.

func truth(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// choose is x where the condition holds, else y; the other may be anything, NaN too.
func choose(condition, x, y float64) float64 {
	if condition != 0 {
		return x
	}
	return y
}

const (
	goLessEqual = `// lesseq is 1 where x <= y, else 0.
func lesseq(x, y float64) float64 {
	if x <= y {
		return 1
	}
	return 0
}`
	goAnd = `// and is 1 where both conditions hold, else 0.
func and(x, y float64) float64 {
	if x != 0 && y != 0 {
		return 1
	}
	return 0
}`
	goOr = `// or is 1 where one of two conditions holds, else 0.
func or(x, y float64) float64 {
	if x != 0 || y != 0 {
		return 1
	}
	return 0
}`
	goChoose = `// choose is y where the condition x holds, else z.
func choose(x, y, z float64) float64 {
	if x != 0 {
		return y
	}
	return z
}`

	cLessEqual = `static inline double likc_lesseq(double x, double y) { return x <= y ? 1 : 0; }`
	cAnd       = `static inline double likc_and(double x, double y) { return x != 0 && y != 0 ? 1 : 0; }`
	cOr        = `static inline double likc_or(double x, double y) { return x != 0 || y != 0 ? 1 : 0; }`
	cChoose    = `static inline double likc_if(double x, double y, double z) { return x != 0 ? y : z; }`

	rChoose = `# x where a condition holds, else y, for each trial; a comparison with NaN does not hold
likc_if <- function(condition, x, y) {
  holds <- rep_len(condition, max(length(condition), length(x), length(y)))
  ifelse(holds & !is.na(holds), x, y)
}`
)
