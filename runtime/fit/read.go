package fit

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ReadSummaries parses a summary.json of draws. The file of a single subject gives one summary whose Folder is ""; the file of
// many subjects gives a summary for each, in the file's order. It returns an error for any other text.
func ReadSummaries(text []byte) ([]*Summary, error) {
	if err := CheckSum(text); err != nil {
		return nil, err
	}
	var kind struct {
		Format   int             `json:"format"`
		Subjects json.RawMessage `json:"subjects"`
	}
	if err := json.Unmarshal(text, &kind); err != nil {
		return nil, errors.New("is not the summary of a fit: " + err.Error())
	}
	switch {
	case kind.Format < 1:
		return nil, errors.New("is not the summary of a fit")
	case kind.Format > Format:
		return nil, fmt.Errorf("has format %d; this version of likc reads up to %d", kind.Format, Format)
	case kind.Subjects == nil:
		s, err := readSummary(text)
		if err == nil {
			s.Folder = "" // the file has the name of a folder only if it is one of many
		}
		return []*Summary{s}, err
	}
	var all []*Summary
	err := eachField(kind.Subjects, func(label string, value json.RawMessage) error {
		s, err := readSummary(value)
		if err != nil {
			return fmt.Errorf("subject %s: %w", label, err)
		}
		all = append(all, s)
		return nil
	})
	if err == nil && len(all) == 0 {
		err = errors.New("holds no subject")
	}
	return all, err
}

// readSummary reads the summary of one subject.
func readSummary(text []byte) (*Summary, error) {
	s := &Summary{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, err
	}
	if s.Chains == 0 || len(s.Params) == 0 {
		return nil, errors.New("has no draws (a posterior mode, of --map?)")
	}
	return s, nil
}
