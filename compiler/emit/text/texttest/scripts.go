package texttest

import (
	"fmt"
	"strings"

	"likc/compiler/emit"
	"likc/compiler/expr"
)

// SingleTrial returns trial i of a case as a case.
func SingleTrial(c emit.Case, i int) emit.Case {
	one := emit.Case{Theta: c.Theta}
	for _, x := range c.Columns {
		one.Columns = append(one.Columns, x[i:i+1])
	}
	if c.Choice != nil {
		one.Choice = c.Choice[i : i+1]
	}
	return one
}

// arguments writes a case's columns, choice and parameters.
func arguments(c emit.Case, open, end string, number func(float64) string) string {
	var args []string
	for _, x := range append(append([][]float64{}, c.Columns...), c.Choice) {
		if x == nil {
			continue
		}
		var list []string
		for _, v := range x {
			list = append(list, number(v))
		}
		args = append(args, open+strings.Join(list, ", ")+end)
	}
	for _, v := range c.Theta {
		args = append(args, number(v))
	}
	return strings.Join(args, ", ")
}

func pythonScript(m *expr.Model, file string, cases []emit.Case) string {
	s := "import " + m.Name + ", warnings\nwarnings.simplefilter('error')\n"
	for _, c := range cases {
		s += "for x in " + m.Name + ".logpdf(" + arguments(c, "[", "]", expr.Literal) + "): print(float(x))\n"
	}
	return s
}

func rScript(m *expr.Model, file string, cases []emit.Case) string {
	s := "options(warn = 2); source('" + file + "')\n"
	for _, c := range cases {
		s += "cat(sprintf('%.17g\\n', " + m.Name + "_logpdf(" + arguments(c, "c(", ")", expr.Literal) + ")), sep = '')\n"
	}
	return s
}

func rSlopes(m *expr.Model, file string, cases []emit.Case) string {
	s := "options(warn = 2); source('" + file + "')\n"
	for _, c := range cases {
		s += "y <- " + m.Name + "_logpdf_grad(" + arguments(c, "c(", ")", expr.Literal) + "); cat(sprintf('%.17g\n', t(cbind(y, attr(y, 'gradient')))), sep = '')\n"
	}
	return s
}

func juliaScript(m *expr.Model, file string, cases []emit.Case) string {
	float := func(x float64) string { return "float(" + expr.Literal(x) + ")" }
	s := "include(\"" + file + "\")\n"
	for _, c := range cases {
		s += "foreach(println, " + m.Name + "_logpdf.(" + arguments(c, "[", "]", float) + "))\n"
	}
	return s
}

// trialByTrial writes a line for each trial of the cases, with its arguments.
func trialByTrial(line string, cases []emit.Case, number func(float64) string) (s string) {
	for _, c := range cases {
		for i := range c.Columns[0] {
			s += fmt.Sprintf(line, arguments(SingleTrial(c, i), "", "", number))
		}
	}
	return s
}

func javaScript(m *expr.Model, file string, cases []emit.Case) string {
	s := "const " + m.Name + " = await import('./" + file + "');\n"
	return s + trialByTrial("console.log("+m.Name+".logpdf(%s));\n", cases, expr.Literal)
}

func javaScriptSlopes(m *expr.Model, file string, cases []emit.Case) string {
	s := "const " + m.Name + " = await import('./" + file + "');\n"
	return s + trialByTrial("for (const x of "+m.Name+".logpdf_grad(%s).flat()) console.log(x);\n", cases, expr.Literal)
}

func rustSlopes(m *expr.Model, file string, cases []emit.Case) string {
	float := func(x float64) string { return expr.Literal(x) + "_f64" }
	s := "#[path = \"" + file + "\"] mod " + m.Name + ";\nfor (x, slopes) in [\n"
	return s + trialByTrial(m.Name+"::logpdf_grad(%s),\n", cases, float) + "] { println!(\"{x}\"); for d in slopes { println!(\"{d}\") } }\n"
}

func rustScript(m *expr.Model, file string, cases []emit.Case) string {
	float := func(x float64) string { return expr.Literal(x) + "_f64" }
	s := "#[path = \"" + file + "\"] mod " + m.Name + ";\nfor x in [\n"
	return s + trialByTrial(m.Name+"::logpdf(%s),\n", cases, float) + "] { println!(\"{x}\") }\n"
}
