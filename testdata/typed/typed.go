// Package typed checks templates against the types of their data, in all branches, whether a test executes them or not. Only tests import it.
package typed

import (
	"fmt"
	"reflect"
	"text/template"
	"text/template/parse"
)

// Check lists what is wrong in a text with templates that is executed with data of type data: fields that the data do not have, and arguments that functions do
// not take. Methods are no fields: the templates of likc call none, because a program whose templates may call methods by name is linked with all methods of all
// packages. funcs are the functions that the templates know beside Go's own.
func Check(text string, data reflect.Type, funcs map[string]any) (problems []string) {
	t, err := template.New("").Funcs(funcs).Parse(text)
	if err != nil {
		return []string{err.Error()}
	}
	c := &checker{trees: t, funcs: funcs, entered: map[string]bool{}}
	c.enter("", data)
	return c.problems
}

type checker struct {
	trees    *template.Template
	funcs    map[string]any
	entered  map[string]bool // templates that were entered, by name and type of data
	problems []string
}

// variables are the types of variables, the innermost last.
type variables []variable

type variable struct {
	name string
	of   reflect.Type
}

func (c *checker) enter(name string, data reflect.Type) {
	key := fmt.Sprint(name, " ", data)
	if t := c.trees.Lookup(name); t != nil && t.Tree != nil && !c.entered[key] {
		c.entered[key] = true
		c.walk(t.Root, data, &variables{{"$", data}})
	}
}

// walk checks a node in which the dot has type dot. Variables that the node declares are added to vars.
func (c *checker) walk(node parse.Node, dot reflect.Type, vars *variables) {
	switch n := node.(type) {
	case *parse.ListNode:
		if n == nil {
			return
		}
		for _, inner := range n.Nodes {
			c.walk(inner, dot, vars)
		}
	case *parse.ActionNode:
		c.declare(n.Pipe, c.pipe(n.Pipe, dot, vars), vars)
	case *parse.IfNode:
		c.branch(&n.BranchNode, dot, vars, func(reflect.Type, *variables) reflect.Type { return dot })
	case *parse.WithNode:
		c.branch(&n.BranchNode, dot, vars, func(of reflect.Type, _ *variables) reflect.Type { return of })
	case *parse.RangeNode:
		c.branch(&n.BranchNode, dot, vars, func(of reflect.Type, inner *variables) reflect.Type { return elements(n.Pipe, of, inner) })
	case *parse.TemplateNode:
		c.enter(n.Name, c.pipe(n.Pipe, dot, vars))
	}
}

// branch checks a node with a list for data and another one for none. inside returns the type of the dot in the first.
func (c *checker) branch(n *parse.BranchNode, dot reflect.Type, vars *variables, inside func(of reflect.Type, inner *variables) reflect.Type) {
	of := c.pipe(n.Pipe, dot, vars)
	inner := append(variables(nil), *vars...)
	c.declare(n.Pipe, of, &inner)
	c.walk(n.List, inside(of, &inner), &inner)
	outer := append(variables(nil), *vars...)
	c.walk(n.ElseList, dot, &outer)
}

// declare adds the variables of a pipeline of the given type.
func (c *checker) declare(p *parse.PipeNode, of reflect.Type, vars *variables) {
	for _, v := range p.Decl {
		*vars = append(*vars, variable{v.Ident[0], of})
	}
}

// elements gives the variables of a range their types, and returns the type of an element.
func elements(p *parse.PipeNode, of reflect.Type, inner *variables) reflect.Type {
	key, element := reflect.TypeFor[int](), of
	switch of = pointed(of); {
	case of == nil:
		return nil
	case of.Kind() == reflect.Map:
		key, element = of.Key(), of.Elem()
	case of.Kind() == reflect.Slice || of.Kind() == reflect.Array:
		element = of.Elem()
	}
	last := (*inner)[len(*inner)-len(p.Decl):]
	switch len(last) {
	case 1:
		last[0].of = element
	case 2:
		last[0].of, last[1].of = key, element
	}
	return element
}

// pipe returns the type of a pipeline's value, nil if it is not known.
func (c *checker) pipe(p *parse.PipeNode, dot reflect.Type, vars *variables) (of reflect.Type) {
	if p == nil {
		return nil
	}
	for _, command := range p.Cmds {
		var args []reflect.Type
		for _, arg := range command.Args {
			args = append(args, c.value(arg, dot, vars))
		}
		if name, is := command.Args[0].(*parse.IdentifierNode); is {
			of = c.result(name.Ident, args[1:])
		} else {
			of = args[0]
		}
	}
	return of
}

// result returns the type of a function's value.
func (c *checker) result(name string, args []reflect.Type) reflect.Type {
	if f := c.funcs[name]; f != nil {
		c.fits(name, reflect.TypeOf(f), args)
		return reflect.TypeOf(f).Out(0)
	}
	switch name {
	case "index":
		of := args[0]
		for range args[1:] {
			if of = pointed(of); of == nil {
				return nil
			}
			of = of.Elem()
		}
		return of
	case "and", "or":
		return args[len(args)-1]
	}
	return nil
}

// fits notes arguments that a function does not take. Templates take addresses and follow pointers where a function needs it.
func (c *checker) fits(name string, f reflect.Type, args []reflect.Type) {
	for i, arg := range args {
		if i >= f.NumIn() {
			break // the others are for a variadic function
		}
		if in := f.In(i); arg != nil && !arg.AssignableTo(in) && pointed(arg) != pointed(in) {
			c.problems = append(c.problems, fmt.Sprintf("%s takes %v as its argument %d, not %v", name, in, i+1, arg))
		}
	}
}

// value returns the type of an argument.
func (c *checker) value(node parse.Node, dot reflect.Type, vars *variables) reflect.Type {
	switch n := node.(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return c.fields(node, dot, n.Ident)
	case *parse.VariableNode:
		for i := len(*vars) - 1; i >= 0; i-- {
			if (*vars)[i].name == n.Ident[0] {
				return c.fields(node, (*vars)[i].of, n.Ident[1:])
			}
		}
	case *parse.ChainNode:
		return c.fields(node, c.value(n.Node, dot, vars), n.Field)
	case *parse.PipeNode:
		return c.pipe(n, dot, vars)
	case *parse.IdentifierNode:
		if c.funcs[n.Ident] != nil {
			return c.result(n.Ident, nil)
		}
	}
	return nil
}

// fields returns the type of a field of a field … of a type.
func (c *checker) fields(at parse.Node, of reflect.Type, names []string) reflect.Type {
	for _, name := range names {
		outer := of
		switch of = pointed(of); {
		case of == nil:
		case of.Kind() == reflect.Map:
			of = of.Elem()
			continue
		case of.Kind() == reflect.Struct:
			if f, has := of.FieldByName(name); has {
				of = f.Type
				continue
			}
		}
		c.problems = append(c.problems, fmt.Sprintf("%s: %v has no field %s", at, outer, name))
		return nil
	}
	return of
}

// pointed returns the type that a pointer points to.
func pointed(of reflect.Type) reflect.Type {
	if of != nil && of.Kind() == reflect.Pointer {
		return of.Elem()
	}
	return of
}
