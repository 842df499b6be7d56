package responsestream

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestBounds opens more than anyone does and closes nothing: what the decoder remembers stays bounded.
func TestBounds(t *testing.T) {
	d := New(Config{})
	var evs []hub.Event
	long := strings.Repeat("x", 2*maxID)
	for i := range 3 * maxItems {
		for _, record := range []string{
			`{"type":"response.output_item.added","output_index":%d,"item":{"type":"function_call","id":"%s%[1]d","call_id":"%[2]s","name":"%[2]s"}}`,
			`{"type":"response.output_text.delta","item_id":"m","content_index":%d,"delta":"%s"}`,
		} {
			var err error
			if evs, err = d.Decode(evs[:0], wire.Record{Data: fmt.Appendf(nil, record, i, long)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, it := range d.items {
		if len(it.parts) > maxParts || len(it.id) > maxID || len(it.call.name) > maxID {
			t.Fatalf("an item has %d parts, an id of %d and a name of %d bytes", len(it.parts), len(it.id), len(it.call.name))
		}
	}
	if n := len(d.items); n == 0 || n > maxItems {
		t.Errorf("the decoder remembers %d items, want 1 to %d", n, maxItems)
	}
}
