package hub_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

var optionDialect = hub.Dialect{Name: "demo", Options: []hub.OptionSpec{
	{Name: "strict", Type: hub.OptionBool, Default: "false", Doc: "d"},
	{Name: "limit", Type: hub.OptionInt, Default: "10", Doc: "d"},
	{Name: "wait", Type: hub.OptionDuration, Default: "2s", Doc: "d"},
	{Name: "version", Type: hub.OptionEnum, Default: "v1", Values: []string{"v1", "v2"}, Doc: "d"},
	{Name: "title", Type: hub.OptionText, Doc: "d"},
	{Name: "hide", Type: hub.OptionList, Default: "a,b", Doc: "d"},
	{Name: "names", Type: hub.OptionMap, Default: "x=1", Doc: "d"},
}}

func show(o hub.Options) string {
	return fmt.Sprintf("%v %v %v %v %q %v %v", o.Bool("strict"), o.Int("limit"), o.Duration("wait"), o.Enum("version"), o.Text("title"), o.List("hide"), o.Map("names"))
}

func TestOptions(t *testing.T) {
	f := func(raw map[string]any, want string) {
		t.Helper()
		o, problems := optionDialect.ParseOptions(raw)
		if len(problems) > 0 {
			t.Fatalf("%v: %v", raw, problems)
		}
		if got := show(o); got != want {
			t.Errorf("%v: got %s, want %s", raw, got, want)
		}
	}
	defaults := "false 10 2s v1 \"\" [a b] map[x:1]"
	f(nil, defaults)
	if got := show(optionDialect.Defaults()); got != defaults {
		t.Errorf("defaults are %s", got)
	}
	f(map[string]any{"strict": "true", "limit": "0", "wait": "250ms", "version": "v2", "title": "T", "hide": " c , ,d", "names": "k=v, l=a=b"},
		"true 0 250ms v2 \"T\" [c d] map[k:v l:a=b]")
	f(map[string]any{"strict": true, "limit": 7, "title": 1.5, "hide": []any{"x", 2}, "names": map[string]any{"k": true}},
		"true 7 2s v1 \"1.5\" [x 2] map[k:true]")
	f(map[string]any{"wait": "0s"}, "false 10 0s v1 \"\" [a b] map[x:1]")
	f(map[string]any{"hide": "", "names": map[string]any{}}, "false 10 2s v1 \"\" [] map[]")
}

// TestFallbacks: where nothing is said, or no options are known at all, the caller has the word.
func TestFallbacks(t *testing.T) {
	var none hub.Options
	titled, _ := optionDialect.ParseOptions(map[string]any{"title": "T"})
	for want, got := range map[string]string{
		"a": none.TextOr("title", "a"), "b": optionDialect.Defaults().TextOr("title", "b"), "T": titled.TextOr("title", "c"),
		"d": none.EnumOr("version", "d"), "v1": optionDialect.Defaults().EnumOr("version", "e"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestCanAsk: clients can answer questions if their dialect can, and its options do not say otherwise.
func TestCanAsk(t *testing.T) {
	for name, want := range map[string]bool{"": true, "v1": true, "v2": false} {
		d := hub.Dialect{Options: optionDialect.Options, Caps: hub.CapAsks}
		if name != "" {
			d.Asks = func(o hub.Options) bool { return o.Enum("version") == name }
		}
		if got := d.CanAsk(d.Defaults()); got != want {
			t.Errorf("asks in version %q: %t", name, got)
		}
		if d.Caps = 0; d.CanAsk(d.Defaults()) {
			t.Errorf("asks in version %q: without a form", name)
		}
	}
}

func TestOptionProblems(t *testing.T) {
	f := func(name string, raw any, want string) {
		t.Helper()
		_, problems := optionDialect.ParseOptions(map[string]any{name: raw})
		if len(problems) != 1 || problems[0].Error() != want {
			t.Errorf("%s=%v: got %v, want %s", name, raw, problems, want)
		}
	}
	f("nope", 1, `demo has no option "nope"; it has: strict, limit, wait, version, title, hide, names`)
	f("strict", "perhaps", `option strict of demo: want true or false, not "perhaps"`)
	f("limit", -1, `option limit of demo: want a whole number that is not negative, not "-1"`)
	f("limit", []any{1}, `option limit of demo: want int, not a list or a map`)
	f("wait", "2", `option wait of demo: want a duration such as 250ms or 2s, not "2"`)
	f("version", "v3", `option version of demo: want one of v1, v2, not "v3"`)
	f("hide", 7, `option hide of demo: want a list`)
	f("hide", []any{[]any{}}, `option hide of demo: want a list of plain values`)
	f("names", "k", `option names of demo: want key=value pairs separated by commas, not "k"`)
	f("names", 7, `option names of demo: want a map`)
	f("names", map[string]any{"k": []any{}}, `option names of demo: want plain values in the map, not under "k"`)

	_, all := optionDialect.ParseOptions(map[string]any{"limit": "x", "nope": 1, "wait": "x"})
	if len(all) != 3 {
		t.Errorf("want every problem, not only the first: %v", all)
	}
}

// TestUndeclaredOption: asking for an option that was not declared, or as another type, or whose default is none, is a fault of the
// dialect.
func TestUndeclaredOption(t *testing.T) {
	f := func(d hub.Dialect, ask func(hub.Options)) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		ask(d.Defaults())
	}
	f(optionDialect, func(o hub.Options) { o.Bool("nope") })
	f(optionDialect, func(o hub.Options) { o.Int("strict") })
	bad := hub.Dialect{Name: "bad", Options: []hub.OptionSpec{{Name: "limit", Type: hub.OptionInt, Default: "ten"}}}
	f(bad, func(o hub.Options) { o.Int("limit") })
	if d := optionDialect.Defaults().Duration("wait"); d != 2*time.Second {
		t.Errorf("wait is %s", d)
	}
}
