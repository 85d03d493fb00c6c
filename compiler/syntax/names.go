package syntax

import (
	"strconv"

	"likc/compiler/expr"
)

// nodeNames records which nodes have a name in the printed text, and finds the nodes that need a name before they are printed.
type nodeNames struct {
	byNode map[*expr.Expr]string // the name of a node, if it has one
	uses   map[*expr.Expr]int    // how often each node is used; nil if shared nodes may be printed several times
	taken  map[string]bool       // names that the model uses
	next   int                   // the number of the next name t0, t1, … that fresh tries
	size   map[*expr.Expr]int    // for each visited node, the number of nodes in its text
	depth  map[*expr.Expr]int    // for each visited node, a bound on the nesting of its text
}

// newNodeNames returns the names of a model that is to be printed; no node has a name yet.
func newNodeNames(m *expr.Model) *nodeNames {
	n := &nodeNames{
		byNode: map[*expr.Expr]string{},
		taken:  map[string]bool{},
		size:   map[*expr.Expr]int{},
		depth:  map[*expr.Expr]int{},
	}
	for _, name := range declaredNames(m) {
		n.taken[name] = true
	}
	return n
}

// declaredNames returns the names of everything that the model declares.
func declaredNames(m *expr.Model) []string {
	names := append([]string{}, m.Trials...)
	if m.Choice != "" {
		names = append(names, m.Choice)
	}
	names = append(names, m.ParamNames()...)
	for _, l := range m.Lets {
		names = append(names, l.Name)
	}
	if e := m.Evidence; e != nil {
		names = append(names, expr.Tau, e.Name)
		for _, a := range e.Accumulators {
			names = append(names, a.Evidence)
		}
	}
	return names
}

// countUses counts the uses of every node. From then on, every shared node needs a name.
func (n *nodeNames) countUses(roots []*expr.Expr) {
	n.uses = map[*expr.Expr]int{}
	for _, r := range roots {
		n.uses[r]++
	}
	for _, e := range expr.Order(roots...) {
		for _, a := range e.Args {
			n.uses[a]++
		}
	}
}

// set gives a node a name, unless it has one already or is a leaf, whose text is short.
func (n *nodeNames) set(e *expr.Expr, name string) {
	if n.byNode[e] == "" && len(e.Args) > 0 {
		n.byNode[e] = name
	}
}

// fresh returns a name that the model does not use.
func (n *nodeNames) fresh() string {
	for {
		name := "t" + strconv.Itoa(n.next)
		n.next++
		if _, function := expr.ByName(name); !function && !n.taken[name] {
			return name
		}
	}
}

// tree returns the number of nodes that are printed for a use of e: 1 if e has a name.
func (n *nodeNames) tree(e *expr.Expr) int {
	if n.byNode[e] != "" {
		return 1
	}
	return n.size[e]
}

// visit measures the nodes below e, arguments first, and calls name for each node that needs a name.
func (n *nodeNames) visit(e *expr.Expr, name func(*expr.Expr)) {
	if n.size[e] > 0 {
		return
	}
	size, depth := 1, 0
	for i, a := range e.Args {
		n.visit(a, name)
		size = min(size+n.tree(a), MaxNodes)
		if n.byNode[a] == "" {
			depth = max(depth, n.depth[a]+nests(e, i))
		}
	}
	n.size[e], n.depth[e] = size, depth
	if len(e.Args) > 0 && (n.uses[e] > 1 || depth > MaxDepth-2) {
		name(e)
	}
}

// nests returns a bound on the nesting that e adds to its argument i. It is 0 for the left operand of a left-associative
// operator without parentheses.
func nests(e *expr.Expr, i int) int {
	info := e.Op.Info()
	if info.Notation == expr.Infix && i == 0 && e.Args[0].Op.Info().Prec >= info.Prec {
		return 0
	}
	return 2
}
