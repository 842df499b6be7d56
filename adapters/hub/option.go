package hub

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// OptionType is what an option's value must be.
type OptionType string

// Option types.
const (
	OptionBool     OptionType = "bool"
	OptionInt      OptionType = "int"
	OptionDuration OptionType = "duration" // Go syntax: 250ms, 2s
	OptionEnum     OptionType = "enum"     // one of Values
	OptionText     OptionType = "text"
	OptionList     OptionType = "list"   // a YAML list, or text separated by commas
	OptionMap      OptionType = "map"    // a YAML map, or k=v separated by commas
	OptionObject   OptionType = "object" // a YAML map of any depth, or a JSON object
)

// OptionSpec declares one option of a dialect. It is at once its validation, its default and its documentation.
type OptionSpec struct {
	Name    string
	Type    OptionType
	Default string   // as it would be written on the command line
	Values  []string // of an enum
	Doc     string   // one sentence
	Decode  bool     // means something where the dialect is read
	Encode  bool     // means something where it is written
}

// Options are the checked values of a dialect's options; see [Dialect.ParseOptions] and [Dialect.Defaults].
type Options struct {
	// Nesting is the deepest JSON that a decoder accepts; 0 is the default of 512. It is no option of a dialect but a
	// limit of the proxy.
	Nesting int

	specs  []OptionSpec
	values map[string]any
}

// ParseOptions checks raw values, which come from YAML (typed) or from the command line (text), against the dialect's
// declarations. It returns every problem, not only the first.
func (d *Dialect) ParseOptions(raw map[string]any) (Options, []error) {
	o := d.Defaults()
	var problems []error
	names := make([]string, 0, len(raw))
	for n := range raw {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		v, err := d.parseOption(n, raw[n])
		if err != nil {
			problems = append(problems, err)
			continue
		}
		o.values[n] = v
	}
	return o, problems
}

// Defaults are the options with nothing set. They are parsed here once, and not for each stream.
func (d *Dialect) Defaults() Options {
	o := Options{specs: d.Options, values: make(map[string]any, len(d.Options))}
	for i := range d.Options {
		spec := &d.Options[i]
		v, err := spec.parse(spec.Default)
		if err != nil {
			panic("BUG: default of option " + spec.Name + ": " + err.Error())
		}
		o.values[spec.Name] = v
	}
	return o
}

func (d *Dialect) parseOption(n string, raw any) (any, error) {
	spec := findOption(d.Options, n)
	if spec == nil {
		return nil, fmt.Errorf("%s has no option %q; it has: %s", d.Name, n, optionNames(d.Options))
	}
	v, err := spec.parse(raw)
	if err != nil {
		return nil, fmt.Errorf("option %s of %s: %w", n, d.Name, err)
	}
	return v, nil
}

func findOption(specs []OptionSpec, n string) *OptionSpec {
	for i := range specs {
		if specs[i].Name == n {
			return &specs[i]
		}
	}
	return nil
}

func optionNames(specs []OptionSpec) string {
	if len(specs) == 0 {
		return "none"
	}
	names := make([]string, len(specs))
	for i := range specs {
		names[i] = specs[i].Name
	}
	return strings.Join(names, ", ")
}

func (s *OptionSpec) parse(raw any) (any, error) {
	switch s.Type {
	case OptionList:
		return parseList(raw)
	case OptionMap:
		return parseMap(raw)
	case OptionObject:
		return parseObject(raw)
	}
	text, ok := scalar(raw)
	if !ok {
		return nil, fmt.Errorf("want %s, not a list or a map", s.Type)
	}
	return s.parseScalar(text)
}

func (s *OptionSpec) parseScalar(text string) (any, error) {
	switch s.Type {
	case OptionBool:
		v, err := strconv.ParseBool(text)
		if err != nil {
			return nil, fmt.Errorf("want true or false, not %q", text)
		}
		return v, nil
	case OptionInt:
		v, err := strconv.Atoi(text)
		if err != nil || v < 0 {
			return nil, fmt.Errorf("want a whole number that is not negative, not %q", text)
		}
		return v, nil
	case OptionDuration:
		v, err := time.ParseDuration(text)
		if err != nil || v < 0 {
			return nil, fmt.Errorf("want a duration such as 250ms or 2s, not %q", text)
		}
		return v, nil
	case OptionEnum:
		if !slices.Contains(s.Values, text) {
			return nil, fmt.Errorf("want one of %s, not %q", strings.Join(s.Values, ", "), text)
		}
	}
	return text, nil
}

func scalar(raw any) (string, bool) {
	switch v := raw.(type) {
	case string:
		return v, true
	case bool, int, int64, uint64, float64:
		return fmt.Sprint(v), true
	}
	return "", false
}

func parseList(raw any) ([]string, error) {
	switch v := raw.(type) {
	case string:
		return splitList(v), nil
	case []any:
		out := make([]string, 0, len(v))
		for _, e := range v {
			text, ok := scalar(e)
			if !ok {
				return nil, fmt.Errorf("want a list of plain values")
			}
			out = append(out, text)
		}
		return out, nil
	}
	return nil, fmt.Errorf("want a list")
}

func splitList(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

func parseMap(raw any) (map[string]string, error) {
	out := map[string]string{}
	switch v := raw.(type) {
	case string:
		for _, part := range splitList(v) {
			key, val, ok := strings.Cut(part, "=")
			if !ok {
				return nil, fmt.Errorf("want key=value pairs separated by commas, not %q", part)
			}
			out[key] = val
		}
		return out, nil
	case map[string]any:
		for key, e := range v {
			text, ok := scalar(e)
			if !ok {
				return nil, fmt.Errorf("want plain values in the map, not under %q", key)
			}
			out[key] = text
		}
		return out, nil
	}
	return nil, fmt.Errorf("want a map")
}

// value returns what was set, or the default. Asking for an undeclared option is a fault of the dialect.
func (o Options) value(n string, t OptionType) any {
	spec := findOption(o.specs, n)
	if spec == nil || spec.Type != t {
		panic("BUG: option " + n + " is not declared as " + string(t))
	}
	return o.values[n]
}

// Bool, Int, Duration, List, Map and Object return the value of a declared option. Decoders and encoders read options once,
// when they are made.
func (o Options) Bool(n string) bool              { return o.value(n, OptionBool).(bool) }
func (o Options) Int(n string) int                { return o.value(n, OptionInt).(int) }
func (o Options) Duration(n string) time.Duration { return o.value(n, OptionDuration).(time.Duration) }
func (o Options) List(n string) []string          { return o.value(n, OptionList).([]string) }
func (o Options) Map(n string) map[string]string  { return o.value(n, OptionMap).(map[string]string) }
func (o Options) Object(n string) []byte          { return []byte(o.value(n, OptionObject).(string)) }

// BoolOr returns the value of an option declared as bool, or fallback where there are no options at all.
func (o Options) BoolOr(n string, fallback bool) bool {
	if o.specs == nil {
		return fallback
	}
	return o.Bool(n)
}

// EnumOr returns the value of an option declared as enum, or fallback where there are no options at all.
func (o Options) EnumOr(n, fallback string) string {
	if o.specs == nil {
		return fallback
	}
	return o.Enum(n)
}

// TextOr returns the value of an option declared as text, or fallback where that is empty or there are no options at all.
func (o Options) TextOr(n, fallback string) string {
	if o.specs == nil || o.Text(n) == "" {
		return fallback
	}
	return o.Text(n)
}

// Enum returns the value of an option declared as enum, Text that of one declared as text.
func (o Options) Enum(n string) string { return o.value(n, OptionEnum).(string) }
func (o Options) Text(n string) string { return o.value(n, OptionText).(string) }
