package evolve

import "slices"

// table maps hashes to values by open addressing. A key is itself a hash; 0 marks an empty slot.
type table[V any] struct {
	keys   []uint64
	values []V
	n      int
}

const firstSlots = 256

func (t *table[V]) get(key uint64) (v V, ok bool) {
	if t.n == 0 {
		return v, false
	}
	i := t.slot(key)
	return t.values[i], t.keys[i] != 0
}

// slot returns the index of the slot that holds key, or that would hold it.
func (t *table[V]) slot(key uint64) int {
	key = nonZero(key)
	mask := len(t.keys) - 1
	i := int(key>>1) & mask
	for t.keys[i] != 0 && t.keys[i] != key {
		i = (i + 1) & mask
	}
	return i
}

func nonZero(key uint64) uint64 { return max(key, 1) }

func (t *table[V]) put(key uint64, v V) {
	if 4*t.n >= 3*len(t.keys) {
		t.grow()
	}
	i := t.slot(key)
	if t.keys[i] == 0 {
		t.keys[i] = nonZero(key)
		t.n++
	}
	t.values[i] = v
}

func (t *table[V]) grow() {
	old := *t
	slots := max(firstSlots, 2*len(t.keys))
	*t = table[V]{keys: make([]uint64, slots), values: make([]V, slots)}
	for key, v := range old.all {
		t.put(key, v)
	}
}

// all yields the entries in no particular order.
func (t *table[V]) all(yield func(uint64, V) bool) {
	for i, key := range t.keys {
		if key != 0 && !yield(key, t.values[i]) {
			return
		}
	}
}

// clear empties the table and keeps its memory; reset gives the memory back.
func (t *table[V]) clear() {
	if t.n > 0 {
		clear(t.keys)
		t.n = 0
	}
}

func (t *table[V]) reset() { *t = table[V]{} }

// sorted returns the keys in ascending order and their values. Tables with the same entries give the same slices.
func (t *table[V]) sorted() (keys []uint64, values []V) {
	for key := range t.all {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		v, _ := t.get(key)
		values = append(values, v)
	}
	return keys, values
}
