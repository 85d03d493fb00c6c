package recipe

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"likc/runtime/sys/settings"
)

// keyed is a setting of the recipe's file with its key, such as search.ungrouped.seeds.
type keyed struct {
	key string
	*settings.Setting
}

// settings lists the settings of the stages and banks in the file, by their keys.
func (r *Recipe) settings() (all []keyed) {
	var walk func(prefix string, v reflect.Value)
	walk = func(prefix string, v reflect.Value) {
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		for i := range v.NumField() {
			field, tag := v.Field(i), v.Type().Field(i).Tag
			key := strings.TrimPrefix(prefix+"."+tag.Get("toml"), ".")
			switch kind := field.Kind(); {
			case tag.Get("toml") == "" || kind == reflect.Pointer && field.IsNil():
			case kind == reflect.Pointer && field.Elem().Kind() == reflect.Struct:
				walk(key, field)
			case kind == reflect.Map:
				for _, name := range field.MapKeys() {
					walk(key+"."+name.String(), field.MapIndex(name))
				}
			default:
				all = append(all, keyed{key, settings.New(reflect.Indirect(field), tag)})
			}
		}
	}
	walk("", reflect.ValueOf(r))
	slices.SortStableFunc(all, func(a, b keyed) int { return cmp.Compare(a.key, b.key) }) // the iteration order of maps is random
	return all
}

// checkNumbers returns an error for the first number outside the bounds in its tag.
func (r *Recipe) checkNumbers() (string, error) {
	for _, s := range r.settings() {
		if err := s.Check(); err != nil {
			return s.key, err
		}
	}
	return "", nil
}

// checkArguments returns an error for the first argument that a pipeline may not give to a command.
func (r *Recipe) checkArguments() (string, error) {
	for _, s := range r.settings() {
		list, ok := s.Field.Interface().([]string)
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

// known lists the possible keys of the table in which a key is unknown.
func known(key []string) string {
	t := reflect.TypeFor[Recipe]()
	for _, table := range key[:len(key)-1] {
		if t.Kind() == reflect.Map { // banks and studies may have any names
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
