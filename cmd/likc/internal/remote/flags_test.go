package remote

import (
	"bytes"
	"strings"
	"testing"
)

// TestWantsCancel: jobs are cancelled only if the answer is a clear yes.
func TestWantsCancel(t *testing.T) {
	for answer, want := range map[string]bool{"y\n": true, " YES \n": true, "\n": false, "n\n": false, "": false, "yesterday\n": false} {
		var out bytes.Buffer
		if got := wantsCancel(strings.NewReader(answer), &out, "17 (3 tasks)"); got != want || !strings.Contains(out.String(), "Job 17 (3 tasks)") {
			t.Errorf("%q: %v, asked %q", answer, got, out.String())
		}
	}
}
