package bank

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// saved writes a small bank and returns its folder.
func saved(t testing.TB, role string, subjects, trials int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bank")
	if err := Write(dir, simulated(t, settings(t, role, "exact", subjects, trials))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestWriteOpen: Verify reads the same bits that Write has written.
func TestWriteOpen(t *testing.T) {
	for _, s := range []Settings{
		settings(t, "search-rows", "exact", 70, 20), settings(t, "holdout-90", "euler", 6, 50), settings(t, "gate-100", "exact", 150, 1000),
	} {
		want := simulated(t, s)
		dir := filepath.Join(t.TempDir(), "a [odd] name*", "bank")
		if err := Write(dir, want); err != nil {
			t.Fatal(err)
		}
		got, err := Verify(dir)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		entries, _ := os.ReadDir(dir)
		if len(entries) != 4 {
			t.Errorf("files %v", entries)
		}
	}
}

// TestDamageIsNamed: each kind of damage to a bank is an error of one line for each damaged file.
func TestDamageIsNamed(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, dir string)
		want   string // DIR stands for the folder
	}{
		{"changed byte", func(t *testing.T, dir string) { flip(t, dir, TrialsFile, 100) }, "DIR/trials.parquet: differs from MANIFEST.sha256"},
		{"cut short", func(t *testing.T, dir string) { cut(t, dir, SubjectsFile) }, "DIR/subjects.parquet: differs from MANIFEST.sha256"},
		{"settings", func(t *testing.T, dir string) { flip(t, dir, SettingsFile, 20) }, "DIR/bank.json: differs from MANIFEST.sha256"},
		{"two files", func(t *testing.T, dir string) { flip(t, dir, TrialsFile, 9); flip(t, dir, SettingsFile, 9) },
			"DIR/bank.json: differs from MANIFEST.sha256\nDIR/trials.parquet: differs from MANIFEST.sha256"},
		{"missing", func(t *testing.T, dir string) { remove(t, dir, TrialsFile) }, "DIR/trials.parquet: missing, though MANIFEST.sha256 lists it"},
		{"no manifest", func(t *testing.T, dir string) { remove(t, dir, ManifestFile) }, "DIR: incomplete: MANIFEST.sha256 is not there; make the bank again"},
		{"manifest cut", func(t *testing.T, dir string) { cut(t, dir, ManifestFile) }, "DIR/MANIFEST.sha256: line 2: cut short: it does not end"},
		{"foreign file", func(t *testing.T, dir string) { put(t, dir, "notes.txt", "x") }, "DIR/notes.txt: does not belong to the bank"},
		{"no bank", func(t *testing.T, dir string) { put(t, dir, "notes.txt", "x"); remove(t, dir, ManifestFile) },
			"DIR: not a bank: want a folder with MANIFEST.sha256"},
		{"no folder", func(t *testing.T, dir string) { os.RemoveAll(dir) }, "DIR: no such file or directory"},
		{"a file", func(t *testing.T, dir string) { os.RemoveAll(dir); put(t, filepath.Dir(dir), filepath.Base(dir), "x") },
			"DIR: not a bank: want a folder with MANIFEST.sha256"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := saved(t, "test-60", 4, 30)
			c.damage(t, dir)
			_, err := Verify(dir)
			if want := strings.ReplaceAll(c.want, "DIR", dir); err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
			if _, err := Open(dir); (err == nil) != (c.name == "foreign file") || err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("Open: %v", err)
			}
		})
	}
}

// TestWrongContents: files that agree with the manifest but not with each other, or that are not Parquet, are errors that name
// the file.
func TestWrongContents(t *testing.T) {
	other := saved(t, "test-60", 5, 30)
	for _, c := range []struct {
		name, file string
		data       []byte
		want       string
	}{
		{"no Parquet", TrialsFile, []byte("rt,choice\n0.5,1\n"), "DIR/trials.parquet: not a Parquet file"},
		{"empty", SubjectsFile, nil, "DIR/subjects.parquet: empty"},
		{"another table", SubjectsFile, load(t, other, TrialsFile), `DIR/subjects.parquet: no column for v`},
		{"subjects of another bank", SubjectsFile, load(t, other, SubjectsFile), "DIR/subjects.parquet: 5 subjects, but bank.json says 4"},
		{"trials of another bank", TrialsFile, load(t, other, TrialsFile), "DIR/trials.parquet: subject 4 is not in subjects.parquet"},
		{"settings of another bank", SettingsFile, load(t, other, SettingsFile), "DIR/subjects.parquet: 4 subjects, but bank.json says 5"},
		{"no JSON", SettingsFile, []byte("seed = 1"), "DIR/bank.json: not the settings of a bank: "},
		{"other JSON", SettingsFile, []byte("{}"), "DIR/bank.json: format 0: this likc reads format 1"},
		{"a new role", SettingsFile, bytes.Replace(load(t, other, SettingsFile), []byte("test-60"), []byte("extra"), 1), `DIR/bank.json: role "extra": unknown`},
		{"counts", SettingsFile, bytes.Replace(load(t, saved(t, "test-60", 4, 30), SettingsFile), []byte(`"kept": 120`), []byte(`"kept": 121`), 1), "DIR/bank.json: counts "},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := saved(t, "test-60", 4, 30)
			put(t, dir, c.file, string(c.data))
			sign(t, dir)
			_, err := Open(dir)
			if want := strings.ReplaceAll(c.want, "DIR", dir); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got  %v\nwant %s…", err, want)
			}
		})
	}
}

// TestDamagedParquet: a Parquet file with a changed byte, or cut short, is either refused or read; it never causes a panic.
func TestDamagedParquet(t *testing.T) {
	dir := saved(t, "test-60", 4, 30)
	r := rand.New(rand.NewPCG(1, 1))
	refused := 0
	for _, file := range []string{TrialsFile, SubjectsFile} {
		original := load(t, dir, file)
		for range 400 {
			data := bytes.Clone(original)
			if r.IntN(4) == 0 {
				data = data[:r.IntN(len(data))]
			} else {
				data[r.IntN(len(data))] ^= byte(1 + r.IntN(255))
			}
			files := map[string][]byte{SettingsFile: load(t, dir, SettingsFile), TrialsFile: load(t, dir, TrialsFile), SubjectsFile: load(t, dir, SubjectsFile)}
			files[file] = data
			if _, err := decode(dir, files); err != nil {
				refused++
				if !strings.Contains(err.Error(), file) && !strings.Contains(err.Error(), SettingsFile) {
					t.Errorf("names no file: %v", err)
				}
			}
		}
	}
	if refused < 400 {
		t.Errorf("refused %d of 800", refused)
	}
}

// TestWriteKeepsForeignFiles: Write changes no folder with other files than a bank's.
func TestWriteKeepsForeignFiles(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "thesis.tex", "x")
	b := simulated(t, settings(t, "test-60", "exact", 2, 5))
	want := dir + ": holds thesis.tex, which is not a bank's: name a new folder"
	if err := Write(dir, b); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left %v", entries)
	}
	file := filepath.Join(dir, "thesis.tex")
	if err := Write(file, b); err == nil || err.Error() != file+": not a directory" {
		t.Errorf("on a file: %v", err)
	}
}

// TestWriteFails: if a folder with the name of a bank's file is in the way, Write fails and keeps the earlier files.
func TestWriteFails(t *testing.T) {
	dir := saved(t, "test-60", 4, 30)
	manifest := load(t, dir, ManifestFile)
	remove(t, dir, TrialsFile)
	if err := os.Mkdir(filepath.Join(dir, TrialsFile), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, TrialsFile), "x", "x")
	err := Write(dir, simulated(t, settings(t, "test-60", "exact", 2, 5)))
	if err == nil || err.Error() != dir+": holds "+TrialsFile+", which is not a bank's: name a new folder" {
		t.Errorf("got %v", err)
	}
	if !bytes.Equal(load(t, dir, ManifestFile), manifest) {
		t.Error("the manifest changed")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 4 {
		t.Errorf("left %v", entries)
	}
}

func load(t testing.TB, dir, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func put(t testing.TB, dir, file, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func flip(t testing.TB, dir, file string, at int) {
	data := load(t, dir, file)
	data[at] ^= 1
	put(t, dir, file, string(data))
}

func cut(t testing.TB, dir, file string) {
	data := load(t, dir, file)
	put(t, dir, file, string(data[:len(data)/2]))
}

func remove(t testing.TB, dir, file string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, file)); err != nil {
		t.Fatal(err)
	}
}

// sign writes a manifest of the files in a folder.
func sign(t testing.TB, dir string) {
	files := map[string][]byte{}
	for _, file := range members.Required {
		files[file] = load(t, dir, file)
	}
	put(t, dir, ManifestFile, string(members.Format(files)))
}

// TestOneResponse: a bank of a model without a choice can be written and read. A row with another choice is refused.
func TestOneResponse(t *testing.T) {
	s, err := NewSettings("test-60", "exgaussian", "", 3)
	if err != nil {
		t.Fatal(err)
	}
	s.Subjects = 3
	s.SetTrials(40)
	want := simulated(t, s)
	dir := filepath.Join(t.TempDir(), "bank")
	if err := Write(dir, want); err != nil {
		t.Fatal(err)
	}
	got, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if sum := Describe(got); sum.Choice != nil || sum.RTUpper != nil || sum.RT == nil {
		t.Errorf("%+v", sum)
	}
	want.Subjects[1].Choice[4] = -1
	if err := Write(dir, want); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), `row 45, column "choice": -1, but exgaussian has one response, 1`) {
		t.Error(err)
	}
}
