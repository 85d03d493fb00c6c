package cli

import (
	"errors"
	"fmt"
	"slices"
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
		return "--drop-missing leaves out all such rows; if they are timeouts, --deadline uses them"
	case trials.WhichChoice:
		if model.Choices == 0 {
			return twoLabels(open.Labels)
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

// twoLabels returns advice on the texts in a column of choices, of which one is no choice of a model with two boundaries. labels are most
// frequent first.
func twoLabels(labels []string) string {
	if len(labels) < 2 || slices.ContainsFunc(labels, func(l string) bool { return len(l) > 30 || strings.ContainsAny(l, "=, '") }) {
		return "say what the column holds, as in --response left=-1,right=1; 1 is the upper boundary"
	}
	two := slices.Sorted(slices.Values(labels[:2]))
	if slices.Contains(rightAnswers, strings.ToLower(two[0])) {
		slices.Reverse(two)
	}
	example := fmt.Sprintf("--response %s=-1,%s=1", two[0], two[1])
	for _, other := range labels[2:] {
		example += "," + other + "=none"
	}
	text := "the column holds " + strings.Join(labels, ", ") + ": say what each means, as in " + example + "; 1 is the upper boundary"
	if len(labels) > 2 {
		text += ", none is no response"
	}
	return text
}

// rightAnswers are texts that belong to the upper boundary, although they come before their opposite in the alphabet.
var rightAnswers = []string{"correct", "hit", "right"}
