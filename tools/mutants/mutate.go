//go:build unix

package main

import (
	"fmt"
	"go/token"
	"path/filepath"
	"strings"

	"golang.org/x/tools/cover"
)

// mutant is one change of one file: the bytes from start to end become text.
type mutant struct {
	file       string
	source     []byte
	start, end int
	text       string
	at         token.Position // the position of start, for messages
	body       *body          // the function body around the change
}

// body is the body of the outermost function around a change.
type body struct {
	start, end int      // bytes from the opening brace to the closing brace
	results    bool     // the function returns values
	labels     []string // labels of statements in the body
}

// String returns the place and the change in one line.
func (m mutant) String() string {
	line := strings.Split(string(m.source), "\n")[m.at.Line-1]
	text := m.text
	if text == "" {
		text = "nothing"
	}
	return fmt.Sprintf("%s:%d:%d: %s for %s in: %s", filepath.Base(m.file), m.at.Line, m.at.Column, text,
		strings.Join(strings.Fields(string(m.source[m.start:m.end])), " "), strings.TrimSpace(line))
}

// swaps maps each operator to its replacement.
var swaps = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==",
	token.ADD: "-", token.SUB: "+", token.MUL: "/", token.QUO: "*", token.REM: "*", token.LAND: "||", token.LOR: "&&",
	token.AND: "|", token.OR: "&", token.SHL: ">>", token.SHR: "<<",
	token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+=", token.MUL_ASSIGN: "/=", token.QUO_ASSIGN: "*=",
	token.INC: "--", token.DEC: "++",
}

// extremes holds the calls that are replaced by each other.
var extremes = map[string]string{"min": "max", "max": "min", "Min": "Max", "Max": "Min"}

// reached returns the mutants of a package's files that lie in blocks which the tests run, according to a coverage profile.
func reached(profile string, p tested) ([]mutant, error) {
	profiles, err := cover.ParseProfiles(profile)
	if err != nil {
		return nil, err
	}
	blocks := map[string][]cover.ProfileBlock{}
	for _, p := range profiles {
		blocks[filepath.Base(p.FileName)] = p.Blocks
	}
	var all []mutant
	for _, file := range p.GoFiles {
		mutants, err := mutate(filepath.Join(p.Dir, file))
		if err != nil {
			return nil, err
		}
		for _, m := range mutants {
			if covered(blocks[file], m.at) {
				all = append(all, m)
			}
		}
	}
	return all, nil
}

// covered reports whether a test executes the code at a position.
func covered(blocks []cover.ProfileBlock, at token.Position) bool {
	for _, b := range blocks {
		after := at.Line > b.StartLine || at.Line == b.StartLine && at.Column >= b.StartCol
		before := at.Line < b.EndLine || at.Line == b.EndLine && at.Column < b.EndCol
		if b.Count > 0 && after && before {
			return true
		}
	}
	return false
}
