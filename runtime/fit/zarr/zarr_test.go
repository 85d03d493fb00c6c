package zarr_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"likc/runtime/fit/zarr"
)

// memory is a folder that is kept in memory.
type memory map[string]string

func (m memory) Mkdir(name string) error { m[name] = ""; return nil }

func (m memory) WriteFile(name string, write func(io.Writer) error) error {
	var b bytes.Buffer
	err := write(&b)
	m[name] = b.String()
	return err
}

// inflated returns the decompressed content of a chunk.
func (m memory) inflated(t *testing.T, name string) []byte {
	t.Helper()
	z, err := zlib.NewReader(strings.NewReader(m[name]))
	if err != nil {
		t.Fatal(name, err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(name, err)
	}
	return data
}

func TestStore(t *testing.T) {
	m := memory{}
	s := zarr.New(m, "out.zarr")
	s.Group("g", map[string]any{"by": "likc"})
	s.Texts("g", "level", "level", []string{"a", "längste", ""})
	a := s.Array("g", "x/y", zarr.Float, []string{"i", "j"}, []int{2, 3}, []int{2, 2})
	for j := range 2 {
		a.Put([]int{0, j}, func(to []byte, i []int) []byte { return zarr.PutFloat(to, float64(10*i[0]+i[1])) })
	}
	s.All("g", "yes", zarr.Bool, []string{"i"}, []int{3}, func(to []byte, i []int) []byte { return zarr.PutBool(to, i[0] == 1) })
	s.Ints("g", "n", "i", 2, func(i int) int { return 5 - 7*i })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var floats []float64
	for chunk := range slices.Chunk(m.inflated(t, "out.zarr/g/x_y/0.1"), 8) {
		floats = append(floats, math.Float64frombits(binary.LittleEndian.Uint64(chunk)))
	}
	if want := []float64{2, 0, 12, 0}; len(floats) != 4 || floats[0] != want[0] || floats[2] != want[2] {
		t.Errorf("the last chunk holds %v, want %v", floats, want)
	}
	if got := m.inflated(t, "out.zarr/g/yes/0"); !bytes.Equal(got, []byte{0, 1, 0}) {
		t.Errorf("truths are %v", got)
	}
	if got := int64(binary.LittleEndian.Uint64(m.inflated(t, "out.zarr/g/n/0")[8:])); got != -2 {
		t.Errorf("the second whole number is %d, want -2", got)
	}
	texts := m.inflated(t, "out.zarr/g/level/0")
	if len(texts) != 3*7*4 || binary.LittleEndian.Uint32(texts[7*4+4:]) != 'ä' {
		t.Errorf("texts of 7 letters are %v", texts)
	}
	var all struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	if err := json.Unmarshal([]byte(m["out.zarr/.zmetadata"]), &all); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".zgroup", ".zattrs", "g/.zgroup", "g/.zattrs", "g/x_y/.zarray", "g/x_y/.zattrs", "g/level/.zarray"} {
		var a, b any
		json.Unmarshal(all.Metadata[name], &a)
		if err := json.Unmarshal([]byte(m["out.zarr/"+name]), &b); err != nil || a == nil {
			t.Errorf("%s: %v in the metadata of all, %v in its file, %v", name, a, b, err)
		}
	}
}

// full is a folder in which a given number of files can be written.
type full struct{ left int }

var errFull = errors.New("no space left")

func (f *full) Mkdir(string) error { return nil }

func (f *full) WriteFile(string, func(io.Writer) error) error {
	if f.left--; f.left < 0 {
		return errFull
	}
	return nil
}

// TestNoRoom: the first error is the store's error, whichever call causes it.
func TestNoRoom(t *testing.T) {
	for room := range 9 {
		s := zarr.New(&full{room}, "out.zarr")
		s.Group("g", nil)
		s.Numbers("g", "x", "i", []float64{1})
		if err := s.Close(); (room < 8) != errors.Is(err, errFull) {
			t.Errorf("room for %d files: %v", room, err)
		}
	}
}

func TestName(t *testing.T) {
	for name, want := range map[string]string{"v_1|id": "v_1|id", "a/b\\c\n": "a_b_c_", ".hidden": "_.hidden", "": "_"} {
		if got := zarr.Name(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}
