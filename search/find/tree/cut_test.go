package tree_test

import (
	"testing"

	"likc/search/find/tree"
)

// randomWithConstants returns a random tree whose constants are all different.
func randomWithConstants(seed uint64, size int) tree.Tree {
	set := tree.Searchable(len(names))
	set.Constants = true
	var t tree.Tree
	set.Random(stream(seed), &t, size)
	return t
}

// Replacing a subtree in a tree and putting the original subtree back gives the original tree, including its constants.
func TestSpliceReplacesSubtree(t *testing.T) {
	var out tree.Tree
	for i := range 500 {
		x, y := randomWithConstants(uint64(i), 1+i%40), randomWithConstants(uint64(i)+1000, 1+i%7)
		for end, start := range x.Starts(nil) {
			out.Splice(x, start, end+1, y)
			if err := out.Check(len(names)); err != nil {
				t.Fatal(err)
			}
			back := out.Cut(start, start+y.Size())
			if !back.Equal(y) || out.Size() != x.Size()-(end+1-start)+y.Size() {
				t.Fatalf("%v with %v in place of %d:%d is %v", x, y, start, end+1, out)
			}
			var again tree.Tree
			again.Splice(out, start, start+y.Size(), x.Cut(start, end+1))
			if !again.Equal(x) {
				t.Fatalf("%v came back as %v", x, again)
			}
		}
	}
}

func TestCopySharesNothing(t *testing.T) {
	x := randomWithConstants(3, 20)
	var y tree.Tree
	y.Copy(x)
	if !y.Equal(x) {
		t.Fatal("the copy differs")
	}
	y.Codes[0], y.Values[0] = tree.Constant, 17
	if x.Values[0] == 17 {
		t.Error("the copy shares memory")
	}
}
