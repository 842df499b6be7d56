package hub_test

import (
	"math"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestObjectOptions: an option that is an object is a map of any depth, or JSON, and is JSON where it is read.
func TestObjectOptions(t *testing.T) {
	d := hub.Dialect{Name: "demo", Options: []hub.OptionSpec{{Name: "create", Type: hub.OptionObject, Doc: "d"}}}
	f := func(raw any, want, problem string) {
		t.Helper()
		o, problems := d.ParseOptions(map[string]any{"create": raw})
		switch {
		case problem != "":
			if len(problems) != 1 || !strings.Contains(problems[0].Error(), "option create of demo: want a map, or a JSON object") || !strings.Contains(problems[0].Error(), problem) {
				t.Errorf("%v: the problems are %v, want %q", raw, problems, problem)
			}
		case len(problems) > 0 || string(o.Object("create")) != want:
			t.Errorf("%v: got %s and %v, want %s", raw, o.Object("create"), problems, want)
		}
	}
	f("", "", "")
	f(`{"a": [1]}`, `{"a": [1]}`, "")
	f(map[string]any{"b": []any{nil, true, "x\n\"y\"", -3, 1.5, map[string]any{}}, "a": uint64(7)}, `{"a":7,"b":[null,true,"x\n\"y\"",-3,1.5,{}]}`, "")
	f(`[1]`, "", "object")
	f(`{"a":`, "", ":")
	f(3, "", "object")
	f(map[string]any{"a": math.NaN()}, "", "NaN is no number in JSON")
	f(map[string]any{"a": []any{map[any]any{1: 2}}}, "", "has no form in JSON")
}
