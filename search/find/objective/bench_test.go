package objective_test

import (
	"math"
	"testing"
	"time"

	"likc/search/find/objective"
	"likc/search/find/tree"
)

// BenchmarkScore times, on one core, the scoring of expressions that are like those of a search. It reports the scores per
// second. It also reports the nodes times the rows of data and profiles per second, as if no subtree were shared and no score
// ended early. The time of an expression is the shortest of its scores. In the "staged" cases, a score ends when the loss is
// certain to exceed 1.5 times the best.
func BenchmarkScore(b *testing.B) {
	both, err := simulated()
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		settings objective.Settings
		single   bool
		limit    float64
	}{
		{"paper", objective.Paper(), false, math.Inf(1)},
		{"paper-float32", objective.Paper(), true, math.Inf(1)},
		{"paper-float32-staged", objective.Paper(), true, 1.5},
		{"improved-float32", objective.Improved(), true, math.Inf(1)},
		{"improved-float32-staged", objective.Improved(), true, 1.5},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := rows(b)
			if c.settings.JointGroups > 0 {
				r.Both = both
			}
			c.settings.Single = c.single
			l := loss(b, r, model(b, "expr2"), c.settings)
			scorer, terms := l.NewScorer(), make([]float64, len(l.Terms()))
			var trees []tree.Tree
			best := math.Inf(1)
			for _, x := range candidates(b, 600) {
				if value := scorer.Score(x, math.Inf(1), terms); !math.IsInf(value, 1) {
					trees, best = append(trees, x), min(best, value)
				}
			}
			benchmarkScore(b, scorer.(timed), trees, c.limit*best, terms)
		})
	}
}

type timed interface {
	objective.Counter
	Score(t tree.Tree, limit float64, dst []float64) float64
}

func benchmarkScore(b *testing.B, scorer timed, trees []tree.Tree, limit float64, terms []float64) {
	before := scorer.Counts()
	fastest := make([]float64, len(trees))
	for b.Loop() {
		for i, x := range trees {
			start := time.Now()
			scorer.Score(x, limit, terms)
			if took := time.Since(start).Seconds(); fastest[i] == 0 || took < fastest[i] {
				fastest[i] = took
			}
		}
	}
	after, took, nodes := scorer.Counts(), 0.0, 0.0
	perScore := float64(after.RowsAsked-before.RowsAsked) / float64(after.Scores-before.Scores)
	for i, x := range trees {
		took += fastest[i]
		nodes += float64(x.Size())
	}
	b.ReportMetric(float64(len(trees))/took, "scores/s")
	b.ReportMetric(nodes*perScore/took/1e9, "nominal-Gnode-rows/s")
	b.ReportMetric(100*float64(after.RowsEvaluated-before.RowsEvaluated)/float64(after.RowsAsked-before.RowsAsked), "%rows-visited")
	shared := float64(after.Columns.Shared - before.Columns.Shared)
	b.ReportMetric(100*shared/(shared+float64(after.Columns.Computed-before.Columns.Computed)), "%shared")
	b.ReportMetric(100*float64(after.Joint-before.Joint)/float64(after.Scores-before.Scores), "%joint")
	b.ReportMetric(nodes/float64(len(trees)), "nodes")
	b.ReportMetric(0, "ns/op")
}
