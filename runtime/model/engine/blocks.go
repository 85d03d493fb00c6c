package engine

import "likc/runtime/model/kernel"

// together is a density that is quicker for many blocks of trials at once than for one after the other.
type together interface {
	BindBlocks(blocks []kernel.Trials) (kernel.Sum, error)
}

// TakesBlocks reports whether BindBlocks can bind the model.
func (b *Binder) TakesBlocks() bool { return b.together != nil }

// BindBlocks gives blocks of trials, each with parameters of its own, to one log-likelihood. Its parameters are those of all blocks, one
// block after the other.
func (b *Binder) BindBlocks(blocks []kernel.Trials) (kernel.Sum, error) {
	return b.together.BindBlocks(blocks)
}
