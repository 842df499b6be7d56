// Package history reads what the history in a client's request tells.
package history

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// MessageIDs are the members id of the messages of a list; nil where there is no list.
func MessageIDs(messages rawjson.Value) *hub.IDSet {
	if rawjson.Kind(messages) != '[' {
		return nil
	}
	set := new(hub.IDSet)
	for m := range rawjson.Each(messages) {
		if id := rawjson.Text(m, "id"); len(id) > 0 {
			set.Add(id)
		}
	}
	return set
}
