package omission

import (
	"encoding/binary"
	"math"
	"sync"

	"likc/runtime/model/kernel"
	"likc/runtime/model/trials"
)

// LogDensity sets dst[i] to the log density of a trial, or to that of its omission. Without choices no trial is an omission.
func (c *Censored) LogDensity(dst []float64, theta [][]float64, rt, choice []float64) {
	var answered []int
	var at [][]float64
	times, choices := []float64{}, []float64{}
	for i, t := range rt {
		side := 0.0
		if choice != nil {
			side = choice[i]
		}
		if side == trials.Omitted {
			dst[i] = c.known.survival(c, theta[i], t)
			continue
		}
		answered, at = append(answered, i), append(at, theta[i])
		times, choices = append(times, t), append(choices, side)
	}
	if len(answered) == 0 {
		return
	}
	own := make([]float64, len(answered))
	c.responses(own, at, times, choices)
	for k, i := range answered {
		dst[i] = own[k]
	}
}

// responses sets dst to the log density of trials with a response.
func (c *Censored) responses(dst []float64, theta [][]float64, rt, choice []float64) {
	if c.density != nil {
		c.density.(kernel.Drawn).LogDensity(dst, theta, rt, choice)
		return
	}
	rows, err := c.bind(rt, choice)
	if err != nil { // it was bound before
		panic("omission: " + err.Error())
	}
	params := make([][]float64, rows.Dim())
	for j := range params {
		for i := range theta {
			params[j] = append(params[j], theta[i][j])
		}
	}
	rows.Each(params, dst, nil)
}

// memory remembers the probability of a response after a deadline at parameters, because callers that ask for single trials ask for many
// at the same parameters.
type memory struct {
	mutex sync.Mutex
	value map[string]float64
	rows  map[float64]kernel.Rows // an omission by each deadline
}

// mostKnown is how many values are remembered: more than a fit has draws.
const mostKnown = 1 << 16

func (m *memory) survival(c *Censored, theta []float64, deadline float64) float64 {
	key := make([]byte, 0, 8*(len(theta)+1))
	for _, x := range append(theta[:len(theta):len(theta)], deadline) {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x))
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if value, ok := m.value[string(key)]; ok {
		return value
	}
	rows := m.rows[deadline]
	if rows == nil {
		var err error
		if rows, err = c.Rows(kernel.Responses([]float64{deadline}, []float64{trials.Omitted})); err != nil { // it was bound before
			panic("omission: " + err.Error())
		}
		if m.rows == nil {
			m.rows = map[float64]kernel.Rows{}
		}
		m.rows[deadline] = rows
	}
	var value [1]float64
	rows.Each(kernel.Fixed(theta), value[:], nil)
	if m.value == nil || len(m.value) >= mostKnown {
		m.value = map[string]float64{}
	}
	m.value[string(key)] = value[0]
	return value[0]
}
