package formula

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
)

// patsyFile is testdata/patsy.json: design matrices that patsy made.
type patsyFile struct {
	Data    map[string]json.RawMessage
	Designs []struct {
		Formula string
		Columns []struct {
			Name   string
			Values []float64
		}
	}
}

func readPatsy(t *testing.T) (patsyFile, Table) {
	t.Helper()
	text, err := os.ReadFile("testdata/patsy.json")
	if err != nil {
		t.Fatal(err)
	}
	var file patsyFile
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	table := Table{Rows: 12}
	for name, raw := range file.Data {
		c := DataColumn{Name: name}
		if json.Unmarshal(raw, &c.Numeric) != nil {
			c.Numeric = nil
			if err := json.Unmarshal(raw, &c.Labels); err != nil {
				t.Fatal(err)
			}
		}
		table.Columns = append(table.Columns, c)
	}
	return file, table
}

// ourName converts patsy's name of a column, such as c[T.b]:d[u], into bambi's, such as v_c:d[b, u].
func ourName(patsy string) string {
	var base, levels []string
	for _, factor := range strings.Split(patsy, ":") {
		name, level, categorical := strings.Cut(factor, "[")
		base = append(base, strings.ReplaceAll(strings.ReplaceAll(name, " ** ", "^"), "reference=3", `reference="3"`))
		if categorical {
			levels = append(levels, strings.TrimPrefix(strings.TrimSuffix(level, "]"), "T."))
		}
	}
	return Name{"v_" + strings.Join(base, ":"), levels}.String()
}

// The columns of the design matrices equal patsy's; only their order and names differ.
func TestPatsy(t *testing.T) {
	file, table := readPatsy(t)
	if len(file.Designs) < 20 {
		t.Fatalf("testdata/patsy.json has %d designs", len(file.Designs))
	}
	for _, want := range file.Designs {
		f, err := Parse("v ~ " + strings.ReplaceAll(want.Formula, "**", "^"))
		if err != nil {
			t.Error(err)
			continue
		}
		d, err := Build(f, table)
		if err != nil {
			t.Errorf("%s: %v", want.Formula, err)
			continue
		}
		got := map[string][]float64{}
		for _, term := range d.Common {
			for _, c := range term.Columns {
				got[c.Name.String()] = c.Values
			}
		}
		if len(got) != len(want.Columns) {
			t.Errorf("%s: %d columns, patsy has %d", want.Formula, len(got), len(want.Columns))
		}
		for _, c := range want.Columns {
			values, ok := got[ourName(c.Name)]
			if !ok {
				t.Errorf("%s: no column %s", want.Formula, ourName(c.Name))
				continue
			}
			for i, v := range c.Values {
				if !(math.Abs(values[i]-v) <= 1e-14*math.Max(1, math.Abs(v))) { // patsy adds 12 numbers in another order
					t.Errorf("%s: %s is %v in row %d, patsy has %v", want.Formula, c.Name, values[i], i, v)
				}
			}
		}
	}
}
