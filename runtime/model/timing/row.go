package timing

// Table is the JSON output of likc bench.
type Table struct {
	CPU  string `json:"cpu"`
	Rows []Row  `json:"rows"`
}

// Row is the time of one evaluation of a model by an engine, on N trials.
type Row struct {
	Model  string  `json:"model"`
	Engine string  `json:"engine"`
	N      int     `json:"n"`
	What   What    `json:"what"`
	NS     float64 `json:"ns"` // nanoseconds in the median round
	Rounds int     `json:"-"`
}
