package cli

import (
	"errors"
	"fmt"
	"strings"

	"likc/runtime/model/catalog"
	"likc/runtime/model/trials"
)

// advise adds advice to an error about a question that a data file leaves open, such as which column has the choices. The advice names the
// flags that answer the question. Other errors stay as they are.
func advise(err error, model *catalog.Model) error {
	var open *trials.Unclear
	if !errors.As(err, &open) {
		return err
	}
	return fmt.Errorf("%w (%s)", err, answer(open, model))
}

// answer returns advice on an open question about a model's data. It names the flags that decide the question.
func answer(open *trials.Unclear, model *catalog.Model) string {
	switch open.Question {
	case trials.WhichSubjects:
		return "name one with --subject NAME"
	case trials.OnePerson:
		return fmt.Sprintf("fit all together with (1 | %[1]s) in a --formula, each with --subject %[1]s, one with --only ID, or all as one person with --pool", open.Column)
	case trials.WhatOfMissing:
		return "remove the row if the value is missing, or leave out all such rows with --drop-missing"
	case trials.WhichChoice:
		if model.Choices == 0 && open.Label != "" && len(open.Label) < 30 && !strings.ContainsAny(open.Label, "=, '") {
			return fmt.Sprintf("say what each label means, as in --response %s=1,OTHER=-1; 1 is the upper boundary", open.Label)
		}
		if model.Choices == 0 {
			return "say what the column holds, as in --response left=-1,right=1"
		}
		if silent, ok := model.Missing[model.Choice]; ok && model.Choices == 2 {
			return fmt.Sprintf("if these are responses, say so, as in --response left=%[1]v,right=%[1]v", 1-silent)
		}
		return "if other values stand for the choices, name them all, as in --response 1=0,2=1"
	case trials.WhichUnit:
		return "give --unit ms, or --unit s if they are seconds"
	}
	switch open.Symbol {
	case model.Choice:
		return "name one with --choice NAME"
	case trials.ResponseTime(model.Trials):
		return "name one with --rt NAME"
	}
	return fmt.Sprintf("name one with --column %s=NAME", open.Symbol)
}
