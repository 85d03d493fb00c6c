package train

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"likc/runtime/model/neural"
	"likc/runtime/sys/store"
)

// Checkpoint is the state of a training run after an epoch.
type Checkpoint struct {
	Format  int    // checkpointFormat; 0 in files written before this field existed
	Plan    []byte // the plan of the run, as its starter wrote it
	Stage   int    // the stage under way
	Epoch   int    // finished epochs of that stage
	History []neural.Stage

	Weights, Best []float32   // weights of the stage under way: now, and after the epoch with the lowest validation loss
	Adam          []byte      // the optimiser's state, see backprop.Adam
	Finished      [][]float32 // final weights of each finished stage

	file    string        // where the checkpoint is written; "": nowhere
	every   time.Duration // the least time between two writings
	written time.Time     // the last writing
}

// checkpointFormat is the version of the file's format.
const checkpointFormat = 1

// NewCheckpoint returns the checkpoint of a run that has not begun. It is written to file every five seconds, or never if file is
// "".
func NewCheckpoint(file string, plan []byte) *Checkpoint {
	c := &Checkpoint{Plan: plan}
	c.Keep(file, 5*time.Second)
	return c
}

// Keep sets the file that a run's checkpoint is written to, and the least time between two writings. An interrupted run writes it
// too.
func (c *Checkpoint) Keep(file string, every time.Duration) {
	c.file, c.every, c.written = file, every, time.Now()
}

// ReadCheckpoint reads a checkpoint that an interrupted run wrote.
func ReadCheckpoint(file string) (*Checkpoint, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no checkpoint to go on from", file)
	}
	if err != nil {
		return nil, err
	}
	if len(data) < sha256.Size || sha256.Sum256(data[sha256.Size:]) != [sha256.Size]byte(data[:sha256.Size]) {
		return nil, fmt.Errorf("%s: damaged: its SHA-256 sum differs; train anew", file)
	}
	c := &Checkpoint{}
	if err := gob.NewDecoder(bytes.NewReader(data[sha256.Size:])).Decode(c); err != nil {
		return nil, fmt.Errorf("%s: not a checkpoint of this version: %w", file, err)
	}
	if c.Format != 0 && c.Format != checkpointFormat {
		return nil, fmt.Errorf("%s: format %d: this likc reads format %d", file, c.Format, checkpointFormat)
	}
	return c, nil
}

// finish records the final weights of the stage under way and moves on to the next stage.
func (c *Checkpoint) finish(weights []float32) {
	c.Finished = append(c.Finished, append([]float32(nil), weights...))
	c.Stage++
	c.Epoch, c.Weights, c.Best, c.Adam = 0, nil, nil, nil
}

func (c *Checkpoint) writeIfDue() error {
	if c.file == "" || time.Since(c.written) < c.every {
		return nil
	}
	return c.write()
}

// write writes the checkpoint to its file, if it has one.
func (c *Checkpoint) write() error {
	if c.file == "" {
		return nil
	}
	c.written, c.Format = time.Now(), checkpointFormat
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(c); err != nil {
		return err
	}
	sum := sha256.Sum256(body.Bytes())
	return store.WriteFile(c.file, func(w io.Writer) error {
		_, err := w.Write(append(sum[:], body.Bytes()...))
		return err
	})
}
