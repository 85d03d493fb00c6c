package chains

import (
	"errors"
	"io"
	"strings"
)

// ReadChainColumns reads plain CSV in which every column is a chain of one parameter, called param. name is the file's
// name, for errors. Comment lines (#) are skipped.
func ReadChainColumns(r io.Reader, name, param string) (*Draws, error) {
	rows := newRowReader(r, name)
	d := &Draws{Names: []string{param}}
	var columns []string
	var values []float64
	for {
		line, err := rows.next()
		if errors.Is(err, io.EOF) {
			break
		}
		switch {
		case err != nil:
			return nil, err
		case strings.HasPrefix(line, "#"):
			continue
		case columns == nil:
			if columns, err = rows.header(line); err != nil {
				return nil, err
			}
			if len(columns) > maxChains {
				return nil, rows.errorf("%d columns: want at most %d chains", len(columns), maxChains)
			}
			d.Chains = newChains(len(columns))
			continue
		}
		if values, err = rows.fields(line, columns, values); err != nil {
			return nil, err
		}
		for i, v := range values {
			d.Chains[i].Params[0] = append(d.Chains[i].Params[0], v)
		}
	}
	if d.Len() == 0 {
		return nil, rows.errorf("no draw")
	}
	return d, nil
}

func newChains(n int) []Chain {
	chains := make([]Chain, n)
	for i := range chains {
		chains[i] = Chain{ID: i + 1, Trace: Trace{Params: make([][]float64, 1)}}
	}
	return chains
}
