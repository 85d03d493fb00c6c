// Package settings describes the settings of a program by the tags of a struct. A field with the tag flag is a setting. Its
// tags are the only place that has its name, default, bounds and help.
//
//	type fit struct {
//		Draws   int    `flag:"draws" default:"1000" in:"[1,10000000]" help:"draws a chain"`
//		Output  string `flag:"output,o" value:"DIR" help:"DIR for draws, summaries and figures"`
//		Sampler `but:"chains.default=2 | save-warmup.hidden=true"`
//	}
//
// Tags of a setting:
//
//	flag      the name, and after a comma the letter that is short for it
//	value     the word of the help text that is a placeholder for the value, such as DIR
//	default   the value of a field that is zero
//	in        bounds of a number or a time: [0,1] with both ends, (0,1) without; of a list, bounds of each element
//	want      how an error describes the allowed values; {in} becomes the bounds, as in: a share from {in}
//	one       the allowed texts, with commas between them
//	most      the largest number of elements of a list
//	list      comma: commas separate elements. Without it, each use of the flag gives one element
//	called    how errors call the setting, if not by its name
//	required  the error of a setting that is not given
//	not       names of settings that exclude it, with spaces between them
//	only      names of settings, with spaces between them: one of them must be given too
//	wants     a flag that must be given too, and its purpose: -o DIR, where figures are written
//	writes    the kind of file that the program writes at the path that the value gives
//	hidden    true: help does not list the setting
//	help      a phrase; {choices} and {known} become what the methods Choices and Known list
//
// The type of a field may have methods: Choices() []string lists all allowed texts, Known() []string lists some of them, and Check()
// error returns what is wrong with the value.
//
// An embedded struct is a group of settings. The tag title of the embedded field is the title under which help lists them. The tag but of
// the embedded field changes the tags of these settings. It holds changes NAME.TAG=TEXT, with " | " between two. The NAME * changes all
// settings of the group, and the tag drop leaves a setting out.
package settings

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Setting is one field of a struct of settings.
type Setting struct {
	Name, Letter string
	Field        reflect.Value     // the field itself: setting it changes the struct
	tag          reflect.StructTag // the tags in the source
	changed      map[string]string // texts of the tags that embedding structs changed, by tag
	given        bool              // whether Set was called before: then it appends to a list, instead of replacing the default
}

// New returns the setting of a field with its tags.
func New(field reflect.Value, tag reflect.StructTag) *Setting {
	s := &Setting{Field: field, tag: tag, changed: map[string]string{}}
	s.Name, s.Letter, _ = strings.Cut(tag.Get("flag"), ",")
	return s
}

// Of returns the settings of the struct to which s points, in the order of its fields. The argument but holds changes, written as in the
// tag of that name.
func Of(s any, but ...string) []*Setting {
	return change(fields(reflect.ValueOf(s).Elem()), strings.Join(but, " | "))
}

func fields(v reflect.Value) (all []*Setting) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		switch {
		case field.Tag.Get("flag") != "":
			all = append(all, New(v.Field(i), field.Tag))
		case field.Anonymous && field.Type.Kind() == reflect.Struct:
			group := change(fields(v.Field(i)), field.Tag.Get("but"))
			for _, s := range group {
				s.title(field.Tag.Get("title"))
			}
			all = append(all, group...)
		}
	}
	return all
}

// title sets a setting's title to that of its group, unless an inner group has given it one.
func (s *Setting) title(of string) {
	if s.Tag("title") == "" && of != "" {
		s.changed["title"] = of
	}
}

// change applies changes to the tags of a group's settings, and returns the settings without dropped ones. It panics if a change names
// no setting.
func change(all []*Setting, changes string) []*Setting {
	for text := range strings.SplitSeq(changes, " | ") {
		key, value, _ := strings.Cut(text, "=")
		name, tag, _ := strings.Cut(key, ".")
		found := changes == ""
		for _, s := range all {
			if s.Name == name || name == "*" {
				s.changed[tag], found = value, true
			}
		}
		if !found {
			panic(fmt.Sprintf("settings: change %q: no such setting in the group", text))
		}
	}
	all = slices.DeleteFunc(all, func(s *Setting) bool { return s.Tag("drop") != "" })
	for _, s := range all {
		s.Name, s.Letter, _ = strings.Cut(s.Tag("flag"), ",")
	}
	return all
}

// SetDefaults gives each field that is zero the default of its tags.
func SetDefaults(s any) {
	for _, one := range Of(s) {
		if one.Tag("default") == "" || !one.Field.IsZero() {
			continue
		}
		if err := one.Set(one.Tag("default")); err != nil {
			panic(fmt.Sprintf("settings: default of %s: %v", one.Name, err))
		}
	}
}

// Default returns a struct of settings with the defaults of its tags.
func Default[T any]() T {
	var s T
	SetDefaults(&s)
	return s
}

// Tag returns a tag of the setting.
func (s *Setting) Tag(name string) string {
	if text, ok := s.changed[name]; ok {
		return text
	}
	return s.tag.Get(name)
}

// Help returns the help, with the placeholder of a value in backquotes.
func (s *Setting) Help() string {
	help := strings.ReplaceAll(s.Tag("help"), "{choices}", strings.Join(s.choices(), ", "))
	if of, ok := s.Field.Interface().(interface{ Known() []string }); ok {
		help = strings.ReplaceAll(help, "{known}", strings.Join(of.Known(), ", "))
	}
	if value := s.Tag("value"); value != "" {
		return strings.Replace(help, value, "`"+value+"`", 1)
	}
	return help
}

// choices lists the allowed texts; nil if any text is allowed.
func (s *Setting) choices() []string {
	if of, ok := s.Field.Interface().(interface{ Choices() []string }); ok {
		return of.Choices()
	}
	if one := s.Tag("one"); one != "" {
		return strings.Split(one, ",")
	}
	return nil
}

// Checks reports whether the type of the field has the method Check.
func (s *Setting) Checks() bool {
	_, ok := s.Field.Interface().(interface{ Check() error })
	return ok
}

// IsList reports whether the value of a setting is a list of elements.
func (s *Setting) IsList() bool { return s.Field.Kind() == reflect.Slice }

// Set reads a value from text. For a list, the first call replaces the default, and later calls append.
func (s *Setting) Set(text string) error {
	if !s.IsList() {
		return read(s.Field, text)
	}
	texts := []string{text}
	if s.Tag("list") == "comma" {
		texts = slices.DeleteFunc(strings.Split(text, ","), func(element string) bool { return element == "" })
	}
	after := reflect.Zero(s.Field.Type())
	if s.given {
		after = s.Field
	}
	return s.append(after, texts)
}

// SetAll replaces the elements of a list by those that texts give.
func (s *Setting) SetAll(texts []string) error { return s.append(reflect.Zero(s.Field.Type()), texts) }

func (s *Setting) append(to reflect.Value, texts []string) error {
	for _, text := range texts {
		element := reflect.New(s.Field.Type().Elem()).Elem()
		if err := read(element, text); err != nil {
			return err
		}
		to = reflect.Append(to, element)
	}
	s.Field.Set(to)
	s.given = true
	return nil
}

var duration = reflect.TypeFor[time.Duration]()

// read sets v, which is not a list, to the value that text gives.
func read(v reflect.Value, text string) (err error) {
	if v.Kind() != reflect.String {
		text = strings.TrimSpace(text)
	}
	bits := 64
	if v.Kind() == reflect.Int {
		bits = strconv.IntSize
	}
	switch {
	case v.Type() == duration:
		var d time.Duration
		d, err = time.ParseDuration(text)
		v.SetInt(int64(d))
	case v.CanInt():
		var n int64
		n, err = strconv.ParseInt(text, 0, bits)
		v.SetInt(n)
	case v.CanUint():
		var n uint64
		n, err = strconv.ParseUint(text, 0, 64)
		v.SetUint(n)
	case v.CanFloat():
		var x float64
		x, err = strconv.ParseFloat(text, 64)
		v.SetFloat(x)
	case v.Kind() == reflect.Bool:
		var is bool
		is, err = strconv.ParseBool(text)
		v.SetBool(is)
	default:
		v.SetString(text)
	}
	return err
}

// write returns a value as text, in the form that read accepts.
func write(v reflect.Value) string {
	if v.CanFloat() {
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// Texts returns the elements of a list, or the one value.
func (s *Setting) Texts() (all []string) {
	if !s.IsList() {
		return []string{write(s.Field)}
	}
	for i := range s.Field.Len() {
		all = append(all, write(s.Field.Index(i)))
	}
	return all
}

// Check returns an error for the first setting with a value outside its bounds, which begins with the setting's name. A default may lie
// outside the bounds, and then means that no value is given.
func Check(s any) error {
	for _, one := range Of(s) {
		if strings.Join(one.Texts(), ",") == one.Tag("default") || one.Field.IsZero() && one.Tag("default") == "" {
			continue
		}
		if err := one.Check(); err != nil {
			return fmt.Errorf("%s %w", one.Name, err)
		}
	}
	return nil
}

// Wanted returns a phrase that describes the allowed values, such as "a number between 0 and 1". It comes from the tags want, in and one.
func (s *Setting) Wanted() string {
	bounds := s.Tag("in")
	if bounds == "" {
		return cmp.Or(s.Tag("want"), "one of "+strings.Join(s.choices(), ", "))
	}
	want, to := "{in}", " to "
	if bounds[0] == '(' {
		want, to = "a number between {in}", " and "
	}
	return strings.Replace(cmp.Or(s.Tag("want"), want), "{in}", strings.Replace(bounds[1:len(bounds)-1], ",", to, 1), 1)
}

// Check returns an error for an invalid value. The error begins with the value.
func (s *Setting) Check() error {
	if most := s.Tag("most"); most != "" {
		if n, err := strconv.Atoi(most); err != nil || s.Field.Len() > n {
			return fmt.Errorf("%d values: want at most %s", s.Field.Len(), most)
		}
	}
	elements := []reflect.Value{s.Field}
	if s.IsList() {
		elements = nil
		for i := range s.Field.Len() {
			elements = append(elements, s.Field.Index(i))
		}
	}
	for _, v := range elements {
		if err := s.checkOne(v); err != nil {
			return err
		}
	}
	return nil
}

func (s *Setting) checkOne(v reflect.Value) error {
	if bounds := s.Tag("in"); bounds != "" && !within(v, bounds) {
		return fmt.Errorf("%v: want %s", v, s.Wanted())
	}
	if one := s.choices(); one != nil && !slices.Contains(one, fmt.Sprint(v)) {
		return fmt.Errorf("%v: want %s", v, s.Wanted())
	}
	if of, ok := v.Interface().(interface{ Check() error }); ok {
		return of.Check()
	}
	return nil
}

// within reports whether a number or a time lies within bounds. NaN never does.
func within(v reflect.Value, bounds string) bool {
	x := number(v)
	low, high := reflect.New(v.Type()).Elem(), reflect.New(v.Type()).Elem()
	from, to, _ := strings.Cut(bounds[1:len(bounds)-1], ",")
	if err := cmp.Or(read(low, from), read(high, to)); err != nil {
		panic(fmt.Sprintf("settings: bounds %s: %v", bounds, err))
	}
	if bounds[0] == '(' {
		return x > number(low) && x < number(high)
	}
	return x >= number(low) && x <= number(high)
}

func number(v reflect.Value) float64 {
	switch {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	}
	return v.Float()
}

// Given returns the settings that are not zero as the arguments of a command, in the order of their fields.
func Given(s any) (args []string) {
	for _, one := range Of(s) {
		if one.Field.IsZero() {
			continue
		}
		for _, text := range one.Texts() {
			args = append(args, "--"+one.Name, text)
		}
	}
	return args
}
