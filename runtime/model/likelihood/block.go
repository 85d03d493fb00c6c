package likelihood

// Block is trials that share parameters.
type Block struct{ RT, Choice []float64 }
