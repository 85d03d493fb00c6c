package bank

import (
	"bytes"
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"likc/runtime/model/ssm"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat"
)

func settings(t testing.TB, role, scheme string, subjects, trials int) Settings {
	t.Helper()
	s, err := NewSettings(role, "ddm", scheme, 7)
	if err != nil {
		t.Fatal(err)
	}
	s.Subjects = subjects
	s.SetTrials(trials)
	return s
}

func simulated(t testing.TB, s Settings) *Bank {
	t.Helper()
	b, err := Make(context.Background(), s, 2)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPaperSizes: the roles have the sizes of the paper's "Pipeline data split
// details".
func TestPaperSizes(t *testing.T) {
	want := map[string][2]int{"teacher-train": {15000, 20}, "search-rows": {800, 20}, "screen-40": {40, 1000}, "test-60": {60, 1000}, "holdout-90": {90, 1000}}
	for name, size := range want {
		s, err := NewSettings(name, "ddm", "exact", 1)
		if err != nil {
			t.Fatal(err)
		}
		if s.Subjects != size[0] || s.Trials != size[1] {
			t.Errorf("%s: %d × %d, want %v", name, s.Subjects, s.Trials, size)
		}
	}
}

// TestBytesDoNotDependOnThreads: the files are the same on any number of threads, and another seed gives other trials.
func TestBytesDoNotDependOnThreads(t *testing.T) {
	for _, s := range []Settings{settings(t, "search-rows", "exact", 50, 20), settings(t, "screen-40", "euler", 8, 30)} {
		var first map[string][]byte
		for _, threads := range []int{1, 2, 7} {
			b, err := Make(context.Background(), s, threads)
			if err != nil {
				t.Fatal(err)
			}
			files, err := encode(b)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = files
			}
			for name := range files {
				if !bytes.Equal(files[name], first[name]) {
					t.Errorf("%s: %s differs with %d threads", s.Role, name, threads)
				}
			}
		}
		s.Seed++
		files, err := encode(simulated(t, s))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(files[TrialsFile], first[TrialsFile]) {
			t.Errorf("%s: another seed gives the same trials", s.Role)
		}
	}
}

// TestRolesAreDisjoint: no parameter set is in two banks, or twice in one.
func TestRolesAreDisjoint(t *testing.T) {
	seen := map[[4]float64]string{}
	for _, role := range Roles() {
		for _, s := range simulated(t, settings(t, role.Name, "exact", min(role.Subjects, 300), 1)).Subjects {
			theta := [4]float64(s.Theta)
			if other, twice := seen[theta]; twice {
				t.Errorf("%v is in %s and %s", theta, other, role.Name)
			}
			seen[theta] = role.Name
		}
	}
}

// TestOneBankOf150: test-60 and holdout-90 are the subjects 0 to 59 and 60 to
// 149 of one group.
func TestOneBankOf150(t *testing.T) {
	test, holdout := simulated(t, settings(t, "test-60", "exact", 60, 2)), simulated(t, settings(t, "holdout-90", "exact", 90, 2))
	var ids []int
	for _, s := range append(test.Subjects, holdout.Subjects...) {
		ids = append(ids, s.ID)
	}
	if len(ids) != 150 || !slices.IsSorted(ids) || ids[0] != 0 || ids[149] != 149 {
		t.Errorf("subjects %v", ids)
	}
}

// TestRolesOfOneGroupShareNoSubject: test-60 and holdout-90 share no subject, also if they have more than the paper's 150
// together. The first subjects of a larger bank are those of the smaller one.
func TestRolesOfOneGroupShareNoSubject(t *testing.T) {
	test, holdout := simulated(t, settings(t, "test-60", "exact", 300, 2)), simulated(t, settings(t, "holdout-90", "exact", 200, 2))
	ids, thetas := map[int]bool{}, map[float64]bool{}
	for _, s := range append(test.Subjects, holdout.Subjects...) {
		if ids[s.ID] || thetas[s.Theta[0]] {
			t.Errorf("subject %d is in both, or twice in one", s.ID)
		}
		ids[s.ID], thetas[s.Theta[0]] = true, true
	}
	small := simulated(t, settings(t, "test-60", "exact", 60, 2))
	if d := cmp.Diff(small.Subjects, test.Subjects[:60]); d != "" {
		t.Errorf("-of 60 +of 300:\n%s", d)
	}
	dir := filepath.Join(t.TempDir(), "bank")
	if err := Write(dir, test); err != nil {
		t.Fatal(err)
	}
	read, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(test.Subjects, read.Subjects); d != "" {
		t.Errorf("-written +read:\n%s", d)
	}
}

// TestSameSubjectsUnderBothSchemes: the scheme and the number of trials change the trials, but not the parameters. With fewer
// exact trials, these are the first ones of a larger number.
func TestSameSubjectsUnderBothSchemes(t *testing.T) {
	exact, euler := simulated(t, settings(t, "test-60", "exact", 5, 50)), simulated(t, settings(t, "test-60", "euler", 5, 40))
	few := simulated(t, settings(t, "test-60", "exact", 5, 10))
	for i := range exact.Subjects {
		if d := cmp.Diff(exact.Subjects[i].Theta, euler.Subjects[i].Theta); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(exact.Subjects[i].RT[:9], few.Subjects[i].RT[:9]); d != "" {
			t.Error(d)
		}
		if cmp.Equal(exact.Subjects[i].RT[:9], euler.Subjects[i].RT[:9]) {
			t.Error("both schemes give the same trials")
		}
	}
}

// TestParametersAreUniform compares each parameter with its uniform distribution over the paper's ranges, by the
// Kolmogorov-Smirnov distance.
func TestParametersAreUniform(t *testing.T) {
	ranges := [][2]float64{{-3, 3}, {0.3, 2.5}, {0.1, 0.9}, {0, 2}}
	for _, role := range []string{"teacher-train", "gate-100"} {
		b := simulated(t, settings(t, role, "exact", 2000, 1))
		for j, r := range ranges {
			var x []float64
			for _, s := range b.Subjects {
				x = append(x, (s.Theta[j]-r[0])/(r[1]-r[0]))
			}
			slices.Sort(x)
			if x[0] < 0 || x[len(x)-1] > 1 {
				t.Errorf("%s: parameter %d leaves its range", role, j)
			}
			n := float64(len(x))
			distance := 0.0
			for i, u := range x {
				distance = max(distance, math.Abs(u-float64(i)/n), math.Abs(u-float64(i+1)/n))
			}
			if critical := 1.95 / math.Sqrt(n); distance > critical { // p = 0.001
				t.Errorf("%s: parameter %d: distance %.4f > %.4f", role, j, distance, critical)
			}
		}
	}
}

// TestTrialsFollowTheDensity: transformed by the model's distribution function, the trials of a subject are uniform. Rounding and
// dropping trials does not change that.
func TestTrialsFollowTheDensity(t *testing.T) {
	b := simulated(t, settings(t, "screen-40", "exact", 40, 1000))
	var distances []float64
	for _, s := range b.Subjects {
		under := 1 - (ssm.DDM.CDF(Latest, 1, s.Theta) + ssm.DDM.CDF(Latest, -1, s.Theta))
		var u []float64
		for i, rt := range s.RT {
			if s.Choice[i] > 0 {
				u = append(u, ssm.DDM.CDF(rt, 1, s.Theta)/(1-under))
			} else {
				u = append(u, 1-ssm.DDM.CDF(rt, -1, s.Theta)/(1-under))
			}
		}
		slices.Sort(u)
		n := float64(len(u))
		distance := 0.0
		for i, x := range u {
			distance = max(distance, math.Abs(x-float64(i)/n), math.Abs(x-float64(i+1)/n))
		}
		distances = append(distances, distance*math.Sqrt(n))
	}
	slices.Sort(distances)
	if most := distances[len(distances)-1]; most > 2.23 { // p = 0.0001 for one subject
		t.Errorf("largest √n KS distance %.3f", most)
	}
	if median := stat.Quantile(0.5, stat.Empirical, distances, nil); median < 0.65 || median > 1.05 { // Kolmogorov's median is 0.828
		t.Errorf("median √n KS distance %.3f", median)
	}
}

// TestHygiene: the trials of a bank are finite, in (0, 20) s and after t. Dropped trials are counted.
func TestHygiene(t *testing.T) {
	b := simulated(t, settings(t, "gate-100", "exact", 300, 1000))
	dropped := 0
	for _, s := range b.Subjects {
		dropped += s.Dropped
		if len(s.RT)+s.Dropped != 1000 {
			t.Errorf("subject %d: %d kept and %d dropped of 1000", s.ID, len(s.RT), s.Dropped)
		}
		for _, rt := range s.RT {
			if !(rt > s.Theta[3] && rt < 20) || rt != math.Trunc(rt/grid)*grid {
				t.Errorf("subject %d: rt %v, t %v", s.ID, rt, s.Theta[3])
			}
		}
	}
	if dropped == 0 || dropped != b.Counts.Dropped || b.Counts.Kept != 300_000-dropped {
		t.Errorf("dropped %d, counts %+v", dropped, b.Counts)
	}
	rt, choice := clean([]float64{math.NaN(), 0.5, 20, math.Inf(1), -1, 19.9, 0}, []float64{1, -1, 1, 1, 1, 1, 1})
	if len(rt) != 2 || choice[0] != -1 || choice[1] != 1 || rt[0] != 0.5 {
		t.Errorf("cleaned to %v, %v", rt, choice)
	}
}

// TestReflection: in search-rows, every subject has 20 trials of the upper boundary. A subject with too few is replaced by its
// reflection: its trials are the first ones of the lower boundary at the parameters that were drawn.
func TestReflection(t *testing.T) {
	s := settings(t, "search-rows", "exact", 300, 20)
	b := simulated(t, s)
	role, _ := RoleNamed("search-rows")
	model, _ := ssm.Lookup("ddm")
	for _, got := range b.Subjects {
		r := ssm.NewRand(mix(s.Seed), role.stream(got.ID))
		theta := draw(r, s.Params)
		rt, choice := make([]float64, 1000), make([]float64, 1000)
		if err := model.Simulate(r, theta, ssm.ExactScheme(), rt, choice); err != nil {
			t.Fatal(err)
		}
		rt, choice = clean(rt, choice)
		var upper, lower []float64
		for i := range rt {
			if choice[i] > 0 {
				upper = append(upper, rt[i])
			} else {
				lower = append(lower, rt[i])
			}
		}
		want := Subject{ID: got.ID, Theta: theta, Dropped: 1000 - len(rt), Choice: slices.Repeat([]float64{1}, 20)}
		if len(upper) >= 20 {
			want.RT = upper[:20]
		} else {
			want.Theta = []float64{-theta[0], theta[1], 1 - theta[2], theta[3]}
			want.RT, want.Reflected = lower[:20], true
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("subject %d: %s", got.ID, d)
		}
	}
	if b.Counts.Reflected == 0 || b.Counts.Reflected == 300 || b.Counts.Kept != 6000 {
		t.Errorf("counts %+v", b.Counts)
	}
}

// TestOtherModels: banks of other models are made with each scheme that the model has, and refused with others.
func TestOtherModels(t *testing.T) {
	for _, m := range ssm.Models()[1:] {
		for _, scheme := range []string{"exact", "bridge", "euler"} {
			s, err := NewSettings("screen-40", m.Name, scheme, 1)
			if !slices.Contains(m.SchemeNames(), scheme) {
				if err == nil {
					t.Errorf("%s has no %s scheme, but settings with it", m.Name, scheme)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			s.Subjects = 3
			s.SetTrials(20)
			b, err := Make(context.Background(), s, 1)
			if err != nil || len(b.Subjects[2].Theta) != m.Dim() {
				t.Errorf("%s: %v", m.Name, err)
				continue
			}
			dir := t.TempDir()
			if err := Write(dir, b); err != nil {
				t.Fatal(err)
			}
			got, err := Open(dir)
			if d := cmp.Diff(b, got); d != "" || err != nil {
				t.Errorf("%s: %v %s", m.Name, err, d)
			}
		}
	}
}

// TestSettingsAreChecked: each impossible setting is an error.
func TestSettingsAreChecked(t *testing.T) {
	for _, c := range []struct {
		role string
		set  func(*Settings)
		want string
	}{
		{"test-60", func(s *Settings) { s.Subjects = 1<<24 + 1 }, "subjects 16777217: want 1 to 16777216"},
		{"test-60", func(s *Settings) { s.Subjects = 0 }, "subjects 0: want 1 to 16777216"},
		{"test-60", func(s *Settings) { s.SetTrials(0) }, "trials 0: want at least 1 a subject"},
		{"search-rows", func(s *Settings) { s.SetTrials(1 << 40) }, "trials 1099511627776: more than the 100000000 simulated a subject"},
		{"search-rows", func(s *Settings) { s.Trials = 1001 }, "trials 1001: more than the 1000 simulated a subject"},
		{"teacher-train", func(s *Settings) { s.SetTrials(1 << 40) }, "15000 subjects with 1099511627776 trials: want at most 50000000 trials in a bank"},
		{"test-60", func(s *Settings) { s.Step = 0.001 }, "dt 0.001: the exact scheme has no time step"},
		{"test-60", func(s *Settings) { s.Scheme, s.Step = "euler", math.NaN() }, "dt NaN: want seconds between 0.00001 and 0.1"},
		{"test-60", func(s *Settings) { s.Role = "test" }, `role "test": unknown; there are teacher-train, search-rows, screen-40, test-60, holdout-90, gate-100`},
		{"test-60", func(s *Settings) { s.UpperOnly = true }, "role test-60: upper_only is true, want false"},
		{"test-60", func(s *Settings) { s.Params = s.Params[:2] }, "params: 2 ranges, but ddm has 4 parameters"},
	} {
		s, err := NewSettings(c.role, "ddm", "exact", 1)
		if err != nil {
			t.Fatal(err)
		}
		c.set(&s)
		if _, err := Make(context.Background(), s, 1); err == nil || err.Error() != c.want {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}

// TestMakeStops: a context that is done ends Make.
func TestMakeStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Make(ctx, settings(t, "teacher-train", "exact", 15000, 20), 2); err != context.Canceled {
		t.Error(err)
	}
}

func BenchmarkMake(b *testing.B) {
	for _, c := range []struct {
		role   string
		scheme string
	}{{"teacher-train", "exact"}, {"search-rows", "exact"}, {"test-60", "exact"}, {"test-60", "euler"}} {
		b.Run(c.role+"/"+c.scheme, func(b *testing.B) {
			s, err := NewSettings(c.role, "ddm", c.scheme, 1)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := Make(context.Background(), s, 2); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
