package compiler

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"likc/compiler/emit"
)

// caseSeed is the seed of the trials and parameters of the cases in emitted tests.
const caseSeed = 1

// Files prints the unit in one language. cfg names the package; Files sets the fields that describe the model.
func (u *Unit) Files(e emit.Emitter, cfg emit.Config) ([]emit.File, error) {
	cfg.Model, cfg.Simplified = u.Model, u.SimplifiedText()
	if u.looped != nil {
		cfg.Looped, cfg.Simplified = u.looped, ""
	}
	sum := sha256.Sum256([]byte(cfg.Text))
	cfg.Hash = hex.EncodeToString(sum[:8])
	if u.binding != nil {
		cfg.Binding, cfg.Model, cfg.Simplified = u.binding, u.binding.Model, ""
		cfg.Cases = emit.MakeLongCases(u.written, caseSeed)
	} else {
		cfg.Cases = emit.MakeCases(u.Model, caseSeed)
	}
	files, err := e.Emit(u.Program, cfg)
	if err != nil {
		return nil, fmt.Errorf("emit %s: %w", u.Model.Name, err)
	}
	return files, nil
}
