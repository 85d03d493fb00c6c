package front

import "encoding/json"

// Search is a line of a front as part of a verdict. Its JSON omits the fields that a verdict has itself (the expression, its size
// and tier, λ and the seed), and is in the order of names.
type Search struct{ Line }

// ownFields lists the fields of a line that a verdict writes itself.
var ownFields = []string{"expr", "size", "lambda", "seed", "tier"}

// MarshalJSON writes the fields that a verdict does not write itself.
func (s Search) MarshalJSON() ([]byte, error) {
	text, err := s.Line.MarshalJSON()
	if err != nil {
		return nil, err
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	for _, name := range ownFields {
		delete(fields, name)
	}
	return json.Marshal(fields)
}

// UnmarshalJSON decodes the JSON that MarshalJSON writes. It does not decode the expression, because the verdict has it.
func (s *Search) UnmarshalJSON(text []byte) (err error) {
	s.Line, err = decode(text)
	return err
}
