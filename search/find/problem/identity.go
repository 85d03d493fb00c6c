package problem

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"likc/search/find/divergence"
	"likc/search/find/evolve"
	"likc/search/find/objective"
	"likc/search/study/bank"
)

// Identity is everything on which a front depends. It includes the budget, because an island's share of an epoch depends on the
// remaining budget.
type Identity struct {
	Evolution evolve.Settings      `json:"evolution"`
	Objective objective.Settings   `json:"objective"`
	Density   *divergence.Settings `json:"density,omitempty"` // settings of a search for densities, which has no objective; otherwise nil
	Header    string               `json:"header"`
	Teacher   string               `json:"teacher"` // SHA-256 of the teacher's weights
	Gate      string               `json:"gate"`    // "passed", or why the teacher is not admitted
	Rows      bank.Settings        `json:"rows"`
	Both      *bank.Settings       `json:"both,omitempty"`
	Guesses   []string             `json:"guesses,omitempty"`
	From      *Origin              `json:"from,omitempty"`
	Climb     *evolve.Climb        `json:"climb,omitempty"` // settings of a polish; nil for a search
}

// Origin names the expressions of earlier searches that a search or a polish starts from.
type Origin struct {
	Expressions int    `json:"expressions"`
	Sum         string `json:"sha256"` // hash of the expressions' texts, one on each line
}

// JSON returns the identity as one line of JSON, without the line's end.
func (id *Identity) JSON() []byte {
	text, err := json.Marshal(id)
	if err != nil {
		panic(fmt.Sprintf("problem: settings have no JSON: %v", err))
	}
	return text
}

// Hash returns a short hash of the identity, in hexadecimal. Equal identities have equal hashes.
func (id *Identity) Hash() string {
	sum := sha256.Sum256(id.JSON())
	return hex.EncodeToString(sum[:8])
}

// These are the parts of an identity, and the settings in these parts, that [Identity.Differing] compares, in this order.
var (
	identityParts    = []string{"objective", "density", "evolution", "header", "teacher", "gate", "rows", "both", "guesses", "from"}
	identitySettings = []string{"lambda", "seed", "preset", "nonfinite", "fit", "operators", "max_size", "budget"}
)

// Differing returns the first setting, or else the first part, in which the identity differs from another one, given as JSON.
func (id *Identity) Differing(other []byte) string {
	var was, is map[string]json.RawMessage
	if json.Unmarshal(other, &was) != nil || json.Unmarshal(id.JSON(), &is) != nil {
		return "it cannot be read"
	}
	for _, part := range identityParts {
		if bytes.Equal(was[part], is[part]) {
			continue
		}
		before, now := fields(was[part]), fields(is[part])
		for _, key := range identitySettings {
			if !bytes.Equal(before[key], now[key]) {
				return fmt.Sprintf("%s %s, now %s", inWords(key), before[key], now[key])
			}
		}
		return part
	}
	return "another version"
}

// fields returns the fields of a JSON object; none if text is not an object.
func fields(text json.RawMessage) map[string]json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil {
		return nil
	}
	return object
}

// inWords returns the name of a setting in messages.
func inWords(setting string) string {
	switch setting {
	case "budget":
		return "evaluations" // the search has no budget
	case "max_size":
		return "largest size"
	}
	return setting
}
