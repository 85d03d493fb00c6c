package pipeline

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestFormat: plans and records without a version are of the first one; a later version is refused by its number.
func TestFormat(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		`{"pipeline":"p","name":"p"}`:            "",
		`{"format":1,"pipeline":"p","name":"p"}`: "",
		`{"format":2,"pipeline":"p","name":"p"}`: "format 2: this likc reads format 1",
	} {
		write(t, filepath.Join(dir, PlanFile), text)
		write(t, filepath.Join(dir, RecordFile), text)
		plan, errPlan := ReadPlan(dir)
		record, errRecord := ReadRecord(dir)
		if want == "" {
			if errPlan != nil || errRecord != nil || plan.Format != 1 || record.Format != 1 || plan.Pipeline != "p" || record.Name != "p" {
				t.Errorf("%s: %+v %v, %+v %v", text, plan, errPlan, record, errRecord)
			}
			continue
		}
		for file, err := range map[string]error{PlanFile: errPlan, RecordFile: errRecord} {
			if err == nil || !strings.Contains(err.Error(), file+": "+want) {
				t.Errorf("%s: %v, want %s", file, err, want)
			}
		}
	}
}
