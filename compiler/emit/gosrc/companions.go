package gosrc

import "likc/compiler/emit"

// companions prints the files beside lik.go.
func (u *unit) companions(cfg emit.Config) ([]emit.File, error) {
	return []emit.File{{Name: "model.lik", Data: []byte(cfg.Text)}}, nil
}
