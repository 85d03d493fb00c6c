package formula

import (
	"slices"
	"strings"
)

// expandGroup expands (effects | g1/g2) into a group term by g1 and one by g1:g2.
func expandGroup(a *atomTree) (*effects, error) {
	inner, err := expandSum(a.Paren.Sum)
	switch {
	case err != nil:
		return nil, err
	case len(inner.offsets) > 0:
		return nil, errorf(inner.offsets[0].Pos, "offset does not vary by group, expected a column")
	case len(inner.groups) > 0:
		return nil, errorf(inner.groups[0].Pos, "group term inside a group term, expected a column")
	}
	terms := inner.ordered(at(a.Paren.Sum.Pos))
	if len(terms) == 0 {
		return nil, errorf(at(a.Paren.Sum.Pos), "group term without effects, expected a column or 1")
	}
	all := &effects{}
	var by []Grouping
	for _, part := range a.Paren.By.Parts {
		if by, err = addGrouping(by, part.Names); err != nil {
			return nil, err
		}
		all.groups = append(all.groups, GroupTerm{at(a.Pos), slices.Clone(by), terms, a.Paren.Bar == "|"})
		if countEffects(all.groups) > MaxTerms {
			return nil, errorf(at(a.Pos), "formula has more than %d terms", MaxTerms)
		}
	}
	return all, nil
}

// addGrouping adds columns to a grouping.
func addGrouping(by []Grouping, names []*nameTree) ([]Grouping, error) {
	for _, n := range names {
		text, err := name(n)
		if err != nil {
			return nil, err
		}
		g := Grouping{at(n.Pos), text}
		if slices.ContainsFunc(by, func(old Grouping) bool { return old.Column == text }) {
			return nil, errorf(g.Pos, "%s is twice in one grouping", quote(text))
		}
		if by = append(by, g); len(by) > MaxFactors {
			return nil, errorf(g.Pos, "grouping has more than %d columns", MaxFactors)
		}
	}
	return by, nil
}

// checkGroups returns an error if the same effect varies by the same grouping in two group terms.
func checkGroups(f *Formula) error {
	seen := map[string]Pos{}
	for _, g := range f.Groups {
		for _, t := range g.Effects {
			key := t.key() + "|" + groupKey(g.By)
			if old, ok := seen[key]; ok {
				return errorf(g.Pos, "%s|%s is already in the group term at %s; (0 + x | g) adds x without an intercept", t, groupName(g.By), old)
			}
			seen[key] = g.Pos
		}
	}
	return nil
}

// groupName returns the name of a grouping, such as g1:g2.
func groupName(by []Grouping) string {
	names := make([]string, len(by))
	for i, g := range by {
		names[i] = QuoteName(g.Column)
	}
	return strings.Join(names, ":")
}

// groupKey returns a text that is the same for two groupings with the same columns, in any order.
func groupKey(by []Grouping) string {
	names := make([]string, len(by))
	for i, g := range by {
		names[i] = QuoteName(g.Column)
	}
	return strings.Join(sorted(names), ":")
}
