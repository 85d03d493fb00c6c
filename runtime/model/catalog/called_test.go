package catalog

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"likc/runtime/model/kernel"
	"likc/runtime/model/ssm"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const learner = `model rl { trial rt positive  trial reward = if(0 < c, ra, rb)  choice c
	param alpha in [0, 1] param k in [0, 10] param a in [0.3, 2.5] param t in [0, 1]
	state qa = 0.5 restart block state qb = 0.5 restart block
	next { qa = if(0 < c, qa + alpha*(reward - qa), qa)  qb = if(0 < c, qb, qb + alpha*(reward - qb)) }
	loglik = ddm(v = k*(qa - qb), a = a, z = 0.5, t = t) }`

// TestSequence checks that drawn choices change later trials through states and computed columns.
func TestSequence(t *testing.T) {
	m, err := Open(write(t, "rl.lik", learner))
	if err != nil {
		t.Fatal(err)
	}
	s, ok := m.Sequence()
	if _, simple := m.Simulator(); !ok || simple || strings.Join(s.Supplied(), ",") != "ra,rb" || len(s.Given()) != 0 || m.Callees()[0].Name != "ddm" {
		t.Fatalf("%+v", m)
	}
	const n = 4000
	column := func(x float64) []float64 {
		c := make([]float64, n)
		for i := range c {
			c[i] = x
		}
		return c
	}
	blocks := column(0)
	for i := range blocks {
		blocks[i] = float64(i / 40)
	}
	d := kernel.Trials{Columns: [][]float64{column(0), column(0), blocks}, Choice: column(0)}
	if err := s.Draw(context.Background(), rand.New(rand.NewPCG(1, 2)), s.By(ssm.Scheme{}), [][]float64{{0.2}, {3}, {1}, {0.2}}, d, [][]float64{column(1), column(0)}); err != nil {
		t.Fatal(err)
	}
	early, late := 0.0, 0.0
	for i, c := range d.Choice {
		if (c > 0) != (d.Columns[1][i] == 1) || !(d.Columns[0][i] > 0.2) {
			t.Fatalf("trial %d: choice %v, reward %v, time %v", i, c, d.Columns[1][i], d.Columns[0][i])
		}
		switch up := (c + 1) / 2; {
		case i%40 == 0:
			early += up / 100
		case i%40 >= 20:
			late += up / 2000
		}
	}
	// at the start of a block both values are alike; later qa is about 1 and qb about 0.1 to 0.4, so the drift is about 2
	if want := 1 / (1 + math.Exp(-2*2.1)); math.Abs(early-0.5) > 0.15 || math.Abs(late-want) > 0.05 {
		t.Errorf("share of upper choices %v at the start of a block, %v late, about %v", early, late, want)
	}
}

// TestAdoptedSimulator checks that a model which is one call, with other parameters, has the simulator of the called model.
func TestAdoptedSimulator(t *testing.T) {
	m, err := Open(write(t, "m.lik", `model fast { trial rt choice c param lv in [-1, 1] param a in [0.3, 2] loglik = ddm(v = exp(lv), a, z = 0.5, t = 0.1) }`))
	if err != nil {
		t.Fatal(err)
	}
	s, ok := m.Simulator()
	if !ok || s.Process.Name != "ddm" || m.Origin.Kind != Closed {
		t.Fatalf("%+v", m)
	}
	if at := s.At([]float64{0.5, 1.2}); at[0] != math.Exp(0.5) || at[1] != 1.2 || at[2] != 0.5 || at[3] != 0.1 {
		t.Error(at)
	}
	if r, _ := m.Limits(1); r.Low != 0 || !math.IsInf(r.High, 1) {
		t.Error(r)
	}
	if r, _ := m.Limits(0); !math.IsInf(r.Low, -1) {
		t.Error(r)
	}
}

// TestFilesNameOthers checks that paths are relative to the file that names them, and that cycles of files are refused.
func TestFilesNameOthers(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.lik":     `use "sub/b.lik" as b  model a { trial rt choice c param k in [0, 1] loglik = b(k) }`,
		"sub/b.lik": `model b { trial rt choice c param k in [0, 1] loglik = ddm(v = k, a = 1, z = 0.5, t = 0.1) }`,
		"c.lik":     `use "d.lik" as d  model c { trial rt choice c param k in [0, 1] loglik = d(k) }`,
		"d.lik":     `use "c.lik" as c  model d { trial rt choice c param k in [0, 1] loglik = c(k) }`,
		"e.lik":     `model e { trial rt choice c param k in [0, 1] loglik = levy(v = k) }`,
	} {
		path := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(path), 0o755)
		os.WriteFile(path, []byte(text), 0o644)
	}
	m, err := Open(filepath.Join(dir, "a.lik"))
	if err != nil {
		t.Fatal(err)
	}
	if m.Callees()[0].Name != "ddm" || m.Called.Calls[0].Args[0].Name != "k" {
		t.Errorf("%+v", m.Called.Calls[0])
	}
	if _, ok := m.Simulator(); !ok {
		t.Error("no simulator")
	}
	if _, err := Open(filepath.Join(dir, "c.lik")); err == nil || !strings.Contains(err.Error(), "names itself") || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
	if _, err := Open(filepath.Join(dir, "e.lik")); err != nil && strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}
