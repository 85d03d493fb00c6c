package divergence

import "likc/search/find/columns"

// The groups are divided into sections. The first is small, because the score of a very bad tree ends after it.
const (
	firstGroups   = 64
	sectionGroups = 128
)

// section holds some groups as a panel. Block i has the i-th node of every lane: first the first lanes of all groups, then the
// second lanes, and so on. The last blocks have the far times.
type section struct {
	panel     *columns.Panel[float64]
	share     []float64 // row by row, without far times
	logWeight []float64 // row by row
	nodes     int       // number of blocks before those of far times
	entropy   []float64 // entropy of each group
	groups    int
	lanes     int // number of lanes of each group
}

func newSection(groups []Group, symbols int) section {
	s := section{groups: len(groups), lanes: len(groups[0].Lanes)}
	width, times := s.groups*s.lanes, len(groups[0].Lanes[0].RT)
	s.nodes = times - len(far)
	s.panel = &columns.Panel[float64]{Rows: width * times, Width: width, Columns: make([][]float64, symbols)}
	for k := range s.lanes {
		for _, g := range groups {
			for j, x := range g.Lanes[k].Theta {
				s.panel.Columns[j] = append(s.panel.Columns[j], x)
			}
		}
	}
	for _, g := range groups {
		s.entropy = append(s.entropy, g.Entropy)
	}
	for i := range times {
		for k := range s.lanes {
			for _, g := range groups {
				l := &g.Lanes[k]
				s.panel.Columns[symbols-1] = append(s.panel.Columns[symbols-1], l.RT[i])
				s.logWeight = append(s.logWeight, l.LogWeight[i])
				if i < s.nodes {
					s.share = append(s.share, l.Share[i])
				}
			}
		}
	}
	return s
}

// The probe for fingerprints has some nodes of some groups.
const (
	probeGroups = 32
	probeNodes  = 2 // nodes of each lane
)

// newProbe chooses nodes from the middle of each lane. Each group's values in the first block are those that Fingerprint
// subtracts.
func newProbe(groups []Group, symbols int) *columns.Panel[float64] {
	width := len(groups)
	p := &columns.Panel[float64]{Width: width, Columns: make([][]float64, symbols)}
	for k := range groups[0].Lanes {
		for i := range probeNodes {
			for _, g := range groups {
				l := &g.Lanes[k]
				node := (2*i + 3) * (len(l.RT) - len(far)) / (2 * (probeNodes + 2))
				for j, x := range append(l.Theta[:len(l.Theta):len(l.Theta)], l.RT[node]) {
					p.Columns[j] = append(p.Columns[j], x)
				}
			}
		}
	}
	p.Rows = len(p.Columns[0])
	return p
}
