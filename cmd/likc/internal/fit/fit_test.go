package fit

import (
	"context"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/nuts"
	"likc/runtime/posterior"
	"likc/runtime/ssm"
	"likc/search/bank"
	"slices"
	"strings"
	"testing"
)

func TestSubjectFoldersAreDistinctAndSafe(t *testing.T) {
	labels := []string{"0", "a/b", "a b", "..", ".", "a%2Fb", "ü", "s1", "S1", strings.Repeat("x", 300), strings.Repeat("x", 299), strings.Repeat("ü", 100)}
	seen := map[string]string{}
	for i, name := range subjectFolders(labels) {
		if strings.ContainsAny(name, "/\\ .") || len(name) > 200 {
			t.Errorf("%q gives the folder %q", labels[i], name)
		}
		folded := strings.ToLower(name)
		if other, twice := seen[folded]; twice {
			t.Errorf("%q and %q both give %q on some file systems", labels[i], other, name)
		}
		seen[folded] = labels[i]
	}
	if seen["subject_0"] != "0" {
		t.Error("a plain label has a hash in its folder's name")
	}
}

// Exact ddm on a subject without a minority response, where a and z blur along a curved ridge: the default settings hardly
// diverge.
func TestSubjectWithoutMinorityResponses(t *testing.T) {
	src, err := cli.ReadModel("ddm")
	if err != nil {
		t.Fatal(err)
	}
	b, err := bank.Open("../../../../testdata/banks/test-60")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(b.Subjects, func(s bank.Subject) bool { return s.ID == 26 })
	if i < 0 {
		t.Fatal("the bank has no subject 26")
	}
	columns, choice := [][]float64{b.Subjects[i].RT}, b.Subjects[i].Choice
	lik, err := ssm.DDM.Bind(columns[0], choice)
	if err != nil {
		t.Fatal(err)
	}
	params, err := src.Parameters(nil, columns, choice)
	if err != nil {
		t.Fatal(err)
	}
	post, err := posterior.New(lik, params)
	if err != nil {
		t.Fatal(err)
	}
	s := nuts.DefaultSettings()
	s.Seed, s.Stream = 2, nuts.StreamOf("26")
	r, err := nuts.Sample(context.Background(), func(int) nuts.Target { return post.Target() }, s)
	if err != nil {
		t.Fatal(err)
	}
	post.ConstrainDraws(r.Draws)
	if n := r.Draws.Divergences(); n > 8 { // 0 to 2 in three seeds, and 33 to 78 with steps that aim at 0.8
		t.Errorf("%d divergences", n)
	}
	for _, p := range r.Draws.Summarise() {
		if !(p.Rhat < 1.03) {
			t.Errorf("%s: R-hat %v", p.Name, p.Rhat)
		}
	}
}
