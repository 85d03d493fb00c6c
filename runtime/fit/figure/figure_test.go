package figure

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"likc/runtime/num/chains"
	"likc/runtime/num/statistic"
)

func someDraws() *chains.Draws {
	rng := rand.New(rand.NewPCG(1, 2))
	d := &chains.Draws{Names: []string{"v", "a"}}
	for c := range 2 {
		t := chains.NewTrace(2, 60)
		for range 60 {
			t.Params[0] = append(t.Params[0], rng.NormFloat64())
			t.Params[1] = append(t.Params[1], 1) // a constant parameter must not break a plot
			t.Divergent = append(t.Divergent, false)
		}
		t.Divergent[7] = true
		d.Chains = append(d.Chains, chains.Chain{ID: c + 1, Trace: t})
	}
	return d
}

func svg(t *testing.T, f *Figure, err error) []byte {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	text := bytes.Clone(b.Bytes())
	for d := xml.NewDecoder(&b); ; {
		if _, err := d.Token(); err == io.EOF {
			return text
		} else if err != nil {
			t.Fatalf("the SVG is not XML: %v", err)
		}
	}
}

func TestDrawsFiguresAreSVG(t *testing.T) {
	for name, plot := range map[string]func(*chains.Draws) (*Figure, error){"trace": Trace, "rank": Rank, "marginal": Marginal, "pairs": Pairs} {
		f, err := plot(someDraws())
		first := svg(t, f, err)
		if !bytes.Contains(first, []byte(">v</text>")) {
			t.Errorf("%s: the parameter v is not named", name)
		}
		f, err = plot(someDraws())
		if !bytes.Equal(first, svg(t, f, err)) {
			t.Errorf("%s: the same draws gave other bytes", name)
		}
		if _, err := plot(&chains.Draws{}); err == nil {
			t.Errorf("%s: no parameters, and no error", name)
		}
	}
}

func TestPNGSize(t *testing.T) {
	f, err := Recovery([]Recovered{{Name: "v", Truth: []float64{1, 2, 3}, Estimate: []float64{1, math.NaN(), 2.5}, Note: "r = 1"}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.WritePNG(&b); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if w := img.Bounds().Dx(); !(math.Abs(float64(w)-3.2*96) <= 1) {
		t.Errorf("width %d pixels, want 3.2 inches at 96", w)
	}
}

func TestRankCounts(t *testing.T) {
	low, high := make([]float64, 40), make([]float64, 40)
	for i := range low {
		low[i], high[i] = float64(i), float64(i+100)
	}
	counts, total := rankCounts([][]float64{low, high})
	if total != 80 || counts[0][0] != 4 || counts[0][rankBins-1] != 0 || counts[1][0] != 0 || counts[1][rankBins-1] != 4 {
		t.Errorf("of two chains, one with all the larger draws: %v of %d", counts, total)
	}
}

func TestHistogramsHaveAreaOne(t *testing.T) {
	x := []float64{0.1, 0.2, 0.2, 0.9, 1}
	area := 0.0
	for _, b := range histogram(x, 7).Bins {
		area += b.Weight * (b.Max - b.Min)
	}
	if !(math.Abs(area-1) <= 1e-12) {
		t.Errorf("area %v", area)
	}
	h := signedHistogram(statistic.Signed([]float64{0.5, 1, 3}, []float64{1, -1, -1}), 2)
	left, right := 0.0, 0.0
	for _, b := range h.Bins {
		if b.Max <= 0 {
			left += b.Weight * h.Width
		} else {
			right += b.Weight * h.Width
		}
	}
	if !(math.Abs(left-1./3) <= 1e-12) || !(math.Abs(right-1./3) <= 1e-12) {
		t.Errorf("left %v, right %v of three trials, one beyond the reach", left, right)
	}
	f, err := SignedTimes(Condition{"posterior predictive", []float64{0.5}, []float64{1}, []float64{0.6, 0.7}, []float64{1, -1}, true}, nil)
	if !bytes.Contains(svg(t, f, err), []byte("posterior predictive")) {
		t.Error("no legend")
	}
}

// However many draws there are, a trace shows the largest and the smallest one, each at its number.
// The band must contain 90 % of the bars of trials from the predicted distribution. Whole numbers of trials make it wider.
func TestChanceBand(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	draw := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		return x
	}
	inside, bars := 0, 0
	for range 40 {
		predicted, seen := signedHistogram(draw(1500), 2), signedHistogram(draw(1000), 2)
		outline := chanceBand(predicted, 1000, 1500)
		for i, b := range seen.Bins {
			bars++
			if low, high := outline[2*i].Y, outline[len(outline)-1-2*i].Y; low <= b.Weight*(1+1e-9) && b.Weight <= high*(1+1e-9) {
				inside++
			}
		}
	}
	if share := float64(inside) / float64(bars); !(share > 0.88 && share < 0.96) {
		t.Errorf("%.3f of %d bars are in the band", share, bars)
	}
}

func TestTracesKeepExcursions(t *testing.T) {
	x := make([]float64, 100_000)
	x[77_777], x[31_416] = 9, -5
	points := numbered(x)
	if len(points) > 2*traceBins {
		t.Errorf("%d points", len(points))
	}
	seen := map[float64]float64{}
	for k, p := range points {
		seen[p.Y] = p.X
		if k > 0 && p.X < points[k-1].X {
			t.Fatalf("point %d is left of the one before", k)
		}
	}
	if seen[9] != 77_778 || seen[-5] != 31_417 {
		t.Errorf("excursions at %v and %v", seen[9], seen[-5])
	}
}

// A matrix has the names of its rows and columns, and a number for each share that is not NaN.
func TestMatrices(t *testing.T) {
	names := []string{"one", "two"}
	f, err := Matrices([]Matrix{{Title: "shares", Rows: names, Columns: names, Shares: [][]float64{{0.25, 0.75}, {1, math.NaN()}}}}, "simulated", "preferred")
	text := svg(t, f, err)
	for want, times := range map[string]int{">shares<": 1, ">one<": 2, ">two<": 2, ">0.25<": 1, ">0.75<": 1, ">1.00<": 1, ">NaN<": 0, ">simulated<": 1, ">preferred<": 1} {
		if n := bytes.Count(text, []byte(want)); n != times {
			t.Errorf("%d times %q, want %d", n, want, times)
		}
	}
}
