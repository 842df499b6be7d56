package conversation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// TestSchemaBytes: how much is read of a schema does not grow with how often it refers to one place, or to how many.
func TestSchemaBytes(t *testing.T) {
	const n = 2000
	var refs, defs strings.Builder
	for i := range n {
		fmt.Fprintf(&refs, `{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/large"},`, i)
		fmt.Fprintf(&defs, `"d%d":{"properties":{"p%d":{}}},`, i, i)
	}
	doc := rawjson.Value(`{"allOf":[` + refs.String() + `{}],"$defs":{` + defs.String() + `"large":{"description":"` + strings.Repeat("x", 1<<18) + `"}}}`)
	s := newSchemaRoot(doc)
	s.merge(doc, 0)
	if most := (mostTimes + 4) * len(doc); s.bytes > most {
		t.Errorf("of %d bytes %d are read, want at most %d", len(doc), s.bytes, most)
	}
	if last := s.resolve(rawjson.Value(`"#/$defs/d1999/properties/p1999"`)); string(last) != "{}" {
		t.Errorf("the last reference is to %q", last)
	}
}

// TestSchemaReferences: names in references are those of members, however these are written, and the last of equal ones counts.
func TestSchemaReferences(t *testing.T) {
	s := newSchemaRoot(rawjson.Value(`{"$defs":{"a":1,"\u0062":2,"a":3},"x":4}`))
	for ref, want := range map[string]string{"#/$defs/a": "3", "#/$defs/b": "2", "#/x": "4", "#/x/y": "", "#/z/a": "", "x": "", "#": ""} {
		if got := s.resolve(rawjson.Value(`"` + ref + `"`)); string(got) != want {
			t.Errorf("%s is %q, want %q", ref, got, want)
		}
	}
}
