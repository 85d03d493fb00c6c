// Package zarr writes stores of arrays in version 2 of the Zarr format, with the metadata of all arrays in one file. Python's zarr, xarray and
// ArviZ read them.
//
// A store is a folder. A group is a folder in it, and an array a folder in a group, with a compressed file for each chunk.
//
// Reference: [zarr2] Zarr storage specification version 2, https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html.
package zarr

import (
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Folder is the folder that stores are written to. Names have slashes between folders.
type Folder interface {
	Mkdir(name string) error
	WriteFile(name string, write func(io.Writer) error) error
}

// Store is a store that is being written. After an error, its methods do nothing; Close returns the first error.
type Store struct {
	in       Folder
	name     string
	metadata map[string]any // the content of each metadata file, by its path in the store
	err      error
}

// New begins a store with the given name in a folder.
func New(in Folder, name string) *Store {
	s := &Store{in: in, name: name, metadata: map[string]any{}}
	s.group("", map[string]any{})
	return s
}

// Group adds a group with attributes.
func (s *Store) Group(name string, attributes map[string]any) { s.group(name, attributes) }

func (s *Store) group(name string, attributes map[string]any) {
	s.mkdir(name)
	s.describe(path.Join(name, ".zgroup"), map[string]any{"zarr_format": 2})
	s.describe(path.Join(name, ".zattrs"), attributes)
}

// Close writes the metadata of the whole store, and returns the store's first error.
func (s *Store) Close() error {
	all := s.metadata
	s.metadata = map[string]any{}
	s.describe(".zmetadata", map[string]any{"zarr_consolidated_format": 1, "metadata": all})
	return s.err
}

// describe writes a file of metadata.
func (s *Store) describe(name string, content any) {
	s.metadata[name] = content
	s.write(name, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(content)
	})
}

func (s *Store) mkdir(name string) {
	if s.err == nil {
		s.err = s.in.Mkdir(path.Join(s.name, name))
	}
}

func (s *Store) write(name string, write func(io.Writer) error) {
	if s.err == nil {
		s.err = s.in.WriteFile(path.Join(s.name, name), write)
	}
}

// Array is an array that is being written, chunk by chunk.
type Array struct {
	store       *Store
	name        string
	shape, each []int // shape of the array and of a chunk, in elements
	bytes       int   // number of bytes of an element
}

// These are the types of elements, in NumPy's notation.
const (
	Float = "<f8"
	Int   = "<i8"
	Bool  = "|b1"
)

// Array adds an array to a group. kind is the type of its elements, dims are the names of its dimensions, shape is its size in
// each, and chunk the size of a chunk in each.
func (s *Store) Array(group, name, kind string, dims []string, shape, chunk []int) *Array {
	a := &Array{store: s, name: path.Join(group, Name(name)), shape: shape, bytes: 8}
	switch {
	case kind == Bool:
		a.bytes = 1
	case strings.HasPrefix(kind, "<U"):
		n, _ := strconv.Atoi(kind[2:]) // Texts has written it
		a.bytes = 4 * n
	}
	for _, n := range chunk {
		a.each = append(a.each, max(1, n))
	}
	s.mkdir(a.name)
	var fill any
	if kind == Float {
		fill = "NaN"
	}
	s.describe(path.Join(a.name, ".zarray"), map[string]any{"zarr_format": 2, "shape": shape, "chunks": a.each, "dtype": kind, "order": "C",
		"fill_value": fill, "filters": nil, "compressor": map[string]any{"id": "zlib", "level": 1}})
	s.describe(path.Join(a.name, ".zattrs"), map[string]any{"_ARRAY_DIMENSIONS": dims})
	return a
}

// Name returns a name that an array can have: without slashes and control characters, and without a dot at the beginning.
func Name(name string) string {
	name = strings.Map(func(c rune) rune {
		if c < ' ' || c == '/' || c == '\\' || c == utf8.RuneError {
			return '_'
		}
		return c
	}, name)
	if strings.HasPrefix(name, ".") || name == "" {
		return "_" + name
	}
	return name
}

// Put writes the chunk at the index `at`, counted in chunks. The function put appends the element at an index, counted in
// elements, to a buffer. In the last chunk of a dimension, elements beyond the array's end are zeros.
func (a *Array) Put(at []int, put func(to []byte, index []int) []byte) {
	var key []string
	for _, i := range at {
		key = append(key, strconv.Itoa(i))
	}
	a.store.write(path.Join(a.name, strings.Join(key, ".")), func(w io.Writer) error {
		var data []byte
		a.walk(nil, at, func(index []int, inside bool) {
			if !inside {
				data = append(data, make([]byte, a.bytes)...)
				return
			}
			data = put(data, index)
		})
		z, err := zlib.NewWriterLevel(w, 1)
		if err != nil {
			return err
		}
		if _, err := z.Write(data); err != nil {
			return err
		}
		return z.Close()
	})
}

// walk calls use for each element of a chunk, in its order.
func (a *Array) walk(index, at []int, use func(index []int, inside bool)) {
	k := len(index)
	if k < len(at) {
		for i := range a.each[k] {
			a.walk(append(index, at[k]*a.each[k]+i), at, use)
		}
		return
	}
	inside := true
	for j, i := range index {
		inside = inside && i < a.shape[j]
	}
	use(index, inside)
}

// mostChunk is the largest number of elements in a chunk that All writes.
const mostChunk = 1 << 20

// All adds an array with all its elements. A chunk extends over the last dimensions, as long as it has at most mostChunk
// elements.
func (s *Store) All(group, name, kind string, dims []string, shape []int, put func(to []byte, index []int) []byte) {
	chunk, left := make([]int, len(shape)), mostChunk
	for k := len(shape) - 1; k >= 0; k-- {
		chunk[k] = max(1, min(shape[k], left))
		left /= chunk[k]
	}
	a := s.Array(group, name, kind, dims, shape, chunk)
	var each func(at []int)
	each = func(at []int) {
		k := len(at)
		if k == len(shape) {
			a.Put(at, put)
			return
		}
		for i := 0; i*chunk[k] < shape[k]; i++ {
			each(append(at, i))
		}
	}
	each(nil)
}

// Numbers adds an array of one dimension.
func (s *Store) Numbers(group, name, dim string, x []float64) {
	s.All(group, name, Float, []string{dim}, []int{len(x)}, func(to []byte, index []int) []byte { return PutFloat(to, x[index[0]]) })
}

// Ints adds an array of n whole numbers, of one dimension. An array with the name of its dimension is the dimension's coordinate.
func (s *Store) Ints(group, name, dim string, n int, of func(i int) int) {
	s.All(group, name, Int, []string{dim}, []int{n}, func(to []byte, index []int) []byte { return PutInt(to, of(index[0])) })
}

// Texts adds an array of one dimension. Texts are of fixed length, in UTF-32.
func (s *Store) Texts(group, name, dim string, x []string) {
	most := 1
	for _, text := range x {
		most = max(most, utf8.RuneCountInString(text))
	}
	s.All(group, name, fmt.Sprintf("<U%d", most), []string{dim}, []int{len(x)}, func(to []byte, index []int) []byte {
		n := 0
		for _, c := range x[index[0]] {
			to = binary.LittleEndian.AppendUint32(to, uint32(c))
			n++
		}
		return append(to, make([]byte, 4*(most-n))...)
	})
}
