package hub_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestMetaText: a note comes back as it was, byte for byte, whatever stands in it.
func TestMetaText(t *testing.T) {
	for _, want := range []hub.Meta{
		{}, {Dialect: "d"}, {Raw: []byte("{}")}, {Dialect: "d", Raw: []byte(`{ "a" : "<\u2028 ` + "\u2028" + `>" }`)}, {Dialect: "d", Raw: []byte("{\"a\":\"\xff\"}")},
	} {
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got hub.Meta
		if err := json.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %q, %v", want, got, err)
		}
	}
	for _, bad := range []string{`"d"`, `"d ={}"`, `1`} {
		if err := json.Unmarshal([]byte(bad), new(hub.Meta)); err == nil {
			t.Errorf("%s is a note", bad)
		}
	}
}
