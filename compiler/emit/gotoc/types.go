package gotoc

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
	"unicode"
)

// keywords are words of C that name something else in Go, and functions of C that are called under these names.
var keywords = " auto char const do double enum exp extern float inline int lgamma log long pow register restrict short signed sizeof sqrt static typedef union unsigned void volatile while "

// name returns a name of Go as C writes it.
func name(s string) string {
	if s = snake(s); strings.Contains(keywords, " "+s+" ") {
		s += "_"
	}
	return s
}

// snake returns a name in lower case with underscores.
func snake(s string) string {
	var b strings.Builder
	for i, r := range s {
		if unicode.IsUpper(r) && i > 0 && !unicode.IsUpper(rune(s[i-1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// ctype returns the name of a type in C, and defines the type if it has not been defined yet. An array is a structure, so that it can be assigned
// and returned. A slice is a structure of a pointer, a length and a capacity.
func (t *translator) ctype(of types.Type) string {
	switch u := of.(type) {
	case *types.Named:
		if s, ok := u.Underlying().(*types.Struct); ok {
			return t.define(name(u.Obj().Name()), func() string { return t.fields(s) })
		}
		return t.ctype(u.Underlying())
	case *types.Pointer:
		if n, ok := u.Elem().(*types.Named); ok {
			t.later = append(t.later, n)
			return "struct " + name(n.Obj().Name()) + " *"
		}
		return t.ctype(u.Elem()) + " *"
	case *types.Slice:
		t.element(u.Elem())
		return t.define(mangled(u), func() string { return fmt.Sprintf("\t%s;\n\tint n, cap;\n", t.declare(u.Elem(), "*p")) })
	case *types.Array:
		return t.define(mangled(u), func() string { return fmt.Sprintf("\t%s;\n", t.declare(u.Elem(), fmt.Sprintf("a[%d]", u.Len()))) })
	case *types.Tuple:
		return t.define(mangled(u), func() (fields string) {
			for i := range u.Len() {
				fields += fmt.Sprintf("\t%s;\n", t.declare(u.At(i).Type(), fmt.Sprint("r", i)))
			}
			return fields
		})
	case *types.Signature:
		return t.function(u)
	case *types.Struct: // without fields
		return "int"
	case *types.Basic:
		switch {
		case u.Info()&types.IsFloat != 0:
			return "double"
		case u.Info()&(types.IsInteger|types.IsBoolean) != 0:
			return "int"
		case u.Kind() == types.String:
			return "const char *"
		}
	}
	panic(fmt.Sprintf("no type of C for %v", of))
}

// element makes sure that the elements of a slice are defined, some time.
func (t *translator) element(of types.Type) {
	if n, ok := of.(*types.Named); ok {
		t.later = append(t.later, n)
	}
}

// mangled returns a name for a type, made of names.
func mangled(of types.Type) string {
	switch u := of.(type) {
	case *types.Named:
		if _, ok := u.Underlying().(*types.Struct); ok {
			return name(u.Obj().Name())
		}
		return mangled(u.Underlying())
	case *types.Pointer:
		return mangled(u.Elem()) + "_pointer"
	case *types.Slice:
		return mangled(u.Elem()) + "_slice"
	case *types.Array:
		return fmt.Sprint(mangled(u.Elem()), "_", u.Len())
	case *types.Tuple:
		var parts []string
		for i := range u.Len() {
			parts = append(parts, mangled(u.At(i).Type()))
		}
		return strings.Join(parts, "_and_")
	case *types.Basic:
		switch {
		case u.Info()&types.IsFloat != 0:
			return "double"
		case u.Kind() == types.String:
			return "text"
		}
	}
	return "int"
}

// define defines a structure, once, and returns the name of its type. Types that its fields need are defined before.
func (t *translator) define(tag string, fields func() string) string {
	if !t.known[tag] {
		t.known[tag] = true
		text := fields()
		fmt.Fprintf(&t.types, "struct %s {\n%s};\n\n", tag, text)
	}
	return "struct " + tag
}

// fields returns the fields of a structure. Those of other packages' types are left out: they are for memory that programs in Go share.
func (t *translator) fields(s *types.Struct) (text string) {
	for i := range s.NumFields() {
		f := s.Field(i)
		if n, ok := f.Type().(*types.Named); ok && n.Obj().Pkg() != t.pkg {
			continue
		}
		text += "\t" + t.declare(f.Type(), name(f.Name())) + ";"
		if about := t.about[f]; about != "" {
			text += " /* " + about + " */"
		}
		text += "\n"
	}
	return text
}

// declare returns the declaration of a variable.
func (t *translator) declare(of types.Type, variable string) string {
	text := t.ctype(of)
	if strings.HasSuffix(text, "*") {
		return text + variable
	}
	return text + " " + variable
}

// function returns the name of a type of functions.
func (t *translator) function(s *types.Signature) string {
	tag := "function_of"
	for i := range s.Params().Len() {
		tag += "_" + mangled(s.Params().At(i).Type())
	}
	if s.Results().Len() > 0 {
		tag += "_to_" + mangled(s.Results())
	}
	if !t.known[tag] {
		t.known[tag] = true
		fmt.Fprintf(&t.types, "typedef %s(%s);\n\n", t.spaced(t.result(s), "(*"+tag+")"), strings.Join(t.params(s), ", "))
	}
	return tag
}

func (t *translator) spaced(typ, rest string) string {
	if strings.HasSuffix(typ, "*") {
		return typ + rest
	}
	return typ + " " + rest
}

// result returns the type of what a function returns: a structure if it returns several values.
func (t *translator) result(s *types.Signature) string {
	switch s.Results().Len() {
	case 0:
		return "void"
	case 1:
		return t.ctype(s.Results().At(0).Type())
	}
	return t.ctype(s.Results())
}

func (t *translator) params(s *types.Signature) (list []string) {
	for i := range s.Params().Len() {
		p := s.Params().At(i)
		n := name(p.Name())
		if n == "_" || n == "" {
			n = fmt.Sprint("unused", i)
		}
		list = append(list, t.declare(p.Type(), n))
	}
	return list
}

// comments notes what the comments of structures' fields say.
func (t *translator) comments(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.StructType); ok {
			for _, f := range s.Fields.List {
				for _, id := range f.Names {
					t.about[t.info.Defs[id]] = strings.TrimSpace(f.Comment.Text())
				}
			}
		}
		return true
	})
}
