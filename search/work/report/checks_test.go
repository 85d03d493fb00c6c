package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"likc/runtime/sys/store"
	"likc/search/work/pipeline"
)

// TestAblation: the page shows the figure of an ablation and names the terms that carry most.
func TestAblation(t *testing.T) {
	r := &run{dir: t.TempDir(), records: map[string]*pipeline.Record{}}
	record := &pipeline.Record{Stage: "ablate", Name: "ablate"}
	for name, text := range map[string]string{
		"ablate/found.svg":  "<svg/>",
		"ablate/found.json": `{"model":"found","terms":[{"term":"a * v","carried":0.875},{"term":"log(tau)","carried":0.5}]}`,
	} {
		file := filepath.Join(r.dir, "ablate", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		record.Outputs = append(record.Outputs, store.Entry{Name: name})
	}
	r.records["ablate"] = record
	p := &page{}
	if err := p.checks(r); err != nil {
		t.Fatal(err)
	}
	if len(p.Checks) != 1 || p.Checks[0].Model != "found" || p.Checks[0].Picture != dataURL([]byte("<svg/>")) {
		t.Fatalf("%+v", p.Checks)
	}
	if words := strings.Join(p.Checks[0].Words, " "); !strings.HasSuffix(words, ": a * v, 0.88; log(tau), 0.50.") {
		t.Errorf("in words: %s", words)
	}
}
