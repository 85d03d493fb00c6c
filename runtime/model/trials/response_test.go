package trials

import (
	"fmt"
	"strings"
	"testing"
)

// TestPooled checks that reading for a model without choice lists the responses that are treated alike, and keeps only
// the trials of one response if asked to.
func TestPooled(t *testing.T) {
	for _, c := range []struct {
		text     string
		response string
		rows     int
		pooled   string
	}{
		{"rt,choice\n1,1\n2,-1\n3,1\n", "", 3, "[2 of 1 1 of -1]"},
		{"rt,choice\n1,1\n2,-1\n3,1.0\n", "1", 2, "[]"},
		{"rt,choice\n1,1\n2,-1\n3,1\n", "-1", 1, "[]"},
		{"rt,choice\n1,1\n2,1\n", "", 2, "[]"},
		{"rt,choice\n1,1\n2,\n", "", 2, "[]"}, // a missing response does not count as a response
		{"rt,Response\n1,left\n2,right\n3,left\n", "left", 2, "[]"},
		{"rt,x\n1,left\n2,right\n", "", 2, "[]"},
		{"rt,choice\n1,1\n2,2\n3,3\n4,4\n5,5\n6,6\n7,7\n8,8\n9,9\n10,10\n11,11\n", "", 11, "[]"}, // too many different values for a column of responses
	} {
		table := read(t, c.text, Options{Trials: []string{"rt"}, Response: c.response})
		if got := fmt.Sprint(table.Pooled); table.N() != c.rows || got != c.pooled {
			t.Errorf("%q, --response %q: %d rows, %s pooled; want %d, %s", c.text, c.response, table.N(), got, c.rows, c.pooled)
		}
	}
	named := Options{Trials: []string{"rt"}, Response: "1", ResponseColumn: "correct"}
	if table := read(t, "rt,choice,correct\n1,-1,1\n2,1,0\n", named); table.N() != 1 || table.Columns[0][0] != 1 || table.Source.Dropped[otherResponse] != 1 {
		t.Errorf("%+v", table)
	}
	for text, want := range map[string]string{
		"rt\n1\n":                   "no column of responses: the columns are rt",
		"rt,choice,response\n1,1,1": `columns "choice" and "response" could both be the responses`,
		"rt,choice\n1,-1\n":         `no response "1" in column "choice": the responses are -1`,
	} {
		_, err := ReadCSV("d.csv", strings.NewReader(text), Options{Trials: []string{"rt"}, Response: "1"})
		if err == nil || err.Error() != "d.csv: "+want {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
