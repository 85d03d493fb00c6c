package recipe

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A study is one unit of the verdicts on all fronts, which a cluster divides by the expressions that passed.
func TestPlanApplied(t *testing.T) {
	units := plan(t, small+"[applied.one]\ndata = \"study\"\npreset = \"cavanagh-full\"\nalso = [\"wald\"]\ntop = 7\nchains = 2\nargs = [\"--max-depth\", \"8\"]\n")
	u := units[len(units)-2]
	const want = "apply {judge/lambda-0-seed-5}/VERDICTS.jsonl {judge/lambda-0-seed-6}/VERDICTS.jsonl {judge/lambda-0.3-seed-5}/VERDICTS.jsonl " +
		"{judge/lambda-0.3-seed-6}/VERDICTS.jsonl --data {data} --preset cavanagh-full --reference ddm --also wald --top 7 --chains 2 --max-depth 8 -o {out}/APPLIED.jsonl"
	if got := strings.Join(u.Steps[0].Args, " "); u.Name != "applied/one" || got != want {
		t.Errorf("%s:\n got %s\nwant %s", u.Name, got, want)
	}
	if in := u.Inputs[len(u.Inputs)-1]; in.Label != "data" || in.Path != "/somewhere/study" {
		t.Errorf("input %+v", in)
	}
	dir, lines := t.TempDir(), ""
	for _, r := range []string{"v", "a", "z", "t"} { // two pass
		lines += `{"model":"F:1","method":"nuts","search":{"model":"ddm"},"expr":"` + r + ` - rt","pass":` + map[bool]string{true: "true", false: "false"}[r < "u"] +
			`,"weakest_r":0.9,"params":[{"name":"v","r":0.9,"edge":0}]}` + "\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "V.jsonl"), []byte(lines), 0o666); err != nil {
		t.Fatal(err)
	}
	if n, err := u.Divide(dir, []string{"apply", "V.jsonl", "--data", "x"}); err != nil || n != 1 {
		t.Errorf("%d parts, %v", n, err)
	}
	if n, err := partsOfStudy(0, 15)(dir, []string{"apply", "V.jsonl", "--data", "x"}); err != nil || n != 2 {
		t.Errorf("%d parts of 15 models and 2 expressions, %v", n, err)
	}
}
