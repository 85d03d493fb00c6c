package data

import (
	"fmt"
	"io"
	"strings"

	"github.com/DataDog/datadog-agent/pkg/template/text"

	"likc/cmd/likc/internal/cli"
	"likc/compiler/expr"
	"likc/runtime/model/ssm"
	"likc/templates"
)

// language is a language that programs for --exec can begin in.
type language string

// Choices lists the languages.
func (language) Choices() []string { return []string{"python", "r", "julia"} }

// writeTemplate writes the beginning of a program that draws trials of a MODEL.
func writeTemplate(w io.Writer, lang language, arg string) error {
	m, err := cli.ReadProcess(arg)
	if err != nil {
		return err
	}
	about := struct {
		Name, File, Theta, Names, Codes, Onset string
		Params                                 []string
	}{Name: m.Name, File: arg, Codes: codes(m)}
	var theta []string
	for j, p := range m.Params {
		about.Params = append(about.Params, p.Name)
		theta = append(theta, p.Name+"="+expr.Literal(m.Example[j]))
	}
	about.Names, about.Theta, about.Onset = strings.Join(about.Params, ", "), strings.Join(theta, ","), m.Onset
	text, err := template.New(string(lang)).Parse(templates.Text("exec/" + string(lang) + ".txt"))
	if err != nil {
		return err
	}
	return text.Execute(w, about)
}

// codes lists a process's choices.
func codes(m *ssm.Model) string {
	var texts []string
	for _, c := range m.Choices {
		texts = append(texts, fmt.Sprint(c))
	}
	return strings.Join(texts, ", ")
}
