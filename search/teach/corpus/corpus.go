// Package corpus prepares banks of simulated subjects for training: it splits them into training and validation sets, and arranges
// parameters as inputs of networks.
package corpus

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"likc/runtime/model/neural/frame"
	"likc/search/study/bank"
)

// Subject is one parameter vector and its simulated trials, grouped by choice.
type Subject struct {
	Theta []float64
	RT    [][]float64 // response times in seconds by choice, in the process's order: the upper boundary and the lower, or 0, 1, …
}

// Corpus holds the subjects used for training and those used for validation.
type Corpus struct {
	Frame             *frame.Frame
	Train, Validation []Subject
	Trials            int // number of simulated trials of all subjects together
}

// validationShare is the share of subjects used for validation: the last ones, because a bank's subjects are in random order.
const validationShare = 0.25

// New splits a bank's subjects into training and validation subjects.
func New(b *bank.Bank) (*Corpus, error) {
	m, err := b.Settings.Process()
	if err != nil {
		return nil, err
	}
	if err := m.CheckTeachable(); err != nil {
		return nil, err
	}
	c := &Corpus{Frame: frame.New(m), Trials: b.Counts.Kept}
	var all []Subject
	for _, s := range b.Subjects {
		if len(s.RT) == 0 {
			continue
		}
		kept := Subject{Theta: s.Theta, RT: make([][]float64, len(m.Choices))}
		for i, rt := range s.RT {
			if !(rt > c.Frame.Onset(s.Theta)) {
				return nil, fmt.Errorf("bank: subject %d: rt %v is not after the onset %v", s.ID, rt, c.Frame.Onset(s.Theta))
			}
			k := slices.Index(m.Choices, s.Choice[i])
			if k < 0 {
				return nil, fmt.Errorf("bank: subject %d: choice %v is none of %s", s.ID, s.Choice[i], m.Name)
			}
			kept.RT[k] = append(kept.RT[k], rt)
		}
		all = append(all, kept)
	}
	cut := len(all) - int(math.Ceil(validationShare*float64(len(all))))
	if cut < 1 {
		return nil, fmt.Errorf("bank: subjects with trials: %d, want 2 or more", len(all))
	}
	c.Train, c.Validation = all[:cut], all[cut:]
	return c, nil
}

// Hash returns the SHA-256 sum, in hexadecimal, of a bank's numbers. It covers each subject's id, parameters, number of trials,
// response times and choices, as little-endian 8-byte words.
func Hash(b *bank.Bank) string {
	h := sha256.New()
	var words []byte
	for _, s := range b.Subjects {
		words = binary.LittleEndian.AppendUint64(words[:0], uint64(s.ID))
		words = appendNumbers(words, s.Theta)
		words = binary.LittleEndian.AppendUint64(words, uint64(len(s.RT)))
		words = appendNumbers(appendNumbers(words, s.RT), s.Choice)
		h.Write(words)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func appendNumbers(words []byte, x []float64) []byte {
	for _, v := range x {
		words = binary.LittleEndian.AppendUint64(words, math.Float64bits(v))
	}
	return words
}
