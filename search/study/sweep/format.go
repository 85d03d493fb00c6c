package sweep

import (
	"encoding/json"
	"fmt"
)

// formatVersion is the version of sweep.json. Files of the first version may omit it.
const formatVersion = 1

// UnmarshalJSON parses sweep.json, and refuses a file of another version.
func (r *Result) UnmarshalJSON(text []byte) error {
	type fields Result // has no methods, so that decoding it does not call this one
	if err := json.Unmarshal(text, (*fields)(r)); err != nil {
		return err
	}
	if r.Format == 0 {
		r.Format = 1
	}
	if r.Format != formatVersion {
		return fmt.Errorf("format %d: this likc reads format %d", r.Format, formatVersion)
	}
	return nil
}
