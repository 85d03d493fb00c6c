package recipe

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// setting is one key of the file that was read, with its value.
type setting struct {
	key   string // as search.ungrouped.seeds
	value reflect.Value
	most  string // the tag that bounds a number
}

// settings lists the numbers and lists of words of the stages and banks that are in the file, by their keys.
func (r *Recipe) settings() []setting {
	var all []setting
	var walk func(prefix string, v reflect.Value)
	walk = func(prefix string, v reflect.Value) {
		for i := range v.NumField() {
			field, tag := v.Field(i), v.Type().Field(i).Tag
			key := strings.TrimPrefix(prefix+"."+tag.Get("toml"), ".")
			switch {
			case tag.Get("toml") == "":
			case field.Kind() == reflect.Pointer && field.Type().Elem().Kind() == reflect.Struct:
				if !field.IsNil() {
					walk(key, field.Elem())
				}
			case field.Kind() == reflect.Pointer:
				if !field.IsNil() {
					all = append(all, setting{key, field.Elem(), tag.Get("most")})
				}
			case field.Kind() == reflect.Map:
				for _, name := range field.MapKeys() {
					walk(key+"."+name.String(), field.MapIndex(name))
				}
			default:
				all = append(all, setting{key, field, tag.Get("most")})
			}
		}
	}
	walk("", reflect.ValueOf(r).Elem())
	slices.SortStableFunc(all, func(a, b setting) int { return cmp.Compare(a.key, b.key) }) // maps have no order
	return all
}

// checkNumbers reports the first number that is negative or above the bound in its tag.
func (r *Recipe) checkNumbers() (string, error) {
	for _, s := range r.settings() {
		if !s.value.CanInt() {
			continue
		}
		most, err := strconv.ParseInt(s.most, 10, 64)
		if err != nil {
			panic(fmt.Sprintf("recipe: %s has no bound: %v", s.key, err))
		}
		if n := s.value.Int(); n < 0 || n > most {
			return s.key, fmt.Errorf("%d: want at most %d, and not below 0", n, most)
		}
	}
	return "", nil
}

// checkArguments reports the first argument of a command that is not one of a pipeline's to give.
func (r *Recipe) checkArguments() (string, error) {
	for _, s := range r.settings() {
		list, ok := s.value.Interface().([]string)
		if !ok {
			continue
		}
		check := checkModel
		if strings.HasSuffix(s.key, ".args") {
			check = checkArgument
		}
		if i := slices.IndexFunc(list, func(text string) bool { return check(text) != nil }); i >= 0 {
			return s.key, check(list[i])
		}
	}
	return "", nil
}

// known says which keys there are in the table of one that is not there.
func known(key []string) string {
	t := reflect.TypeFor[Recipe]()
	for _, table := range key[:len(key)-1] {
		if t.Kind() == reflect.Map { // of banks or studies, whose names are free
			t = t.Elem()
			continue
		}
		i := slices.IndexFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Tag.Get("toml") == table })
		if i < 0 {
			return ""
		}
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
	}
	if t.Kind() != reflect.Struct {
		return ""
	}
	var keys []string
	for f := range t.Fields() {
		if name := f.Tag.Get("toml"); name != "" {
			keys = append(keys, name)
		}
	}
	slices.Sort(keys)
	where := "there are "
	if len(key) > 1 {
		where = strings.Join(key[:len(key)-1], ".") + " has "
	}
	return "; " + where + strings.Join(keys, ", ")
}
