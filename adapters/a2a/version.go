package a2a

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// versions are recognized by the shape of an event: that of 0.3 names its kind, or says whether it is final.
var versions = []hub.Version{{Name: version03, Shows: isOld}, {Name: version1, Shows: isEvent}}

func isOld(rec wire.Record) bool {
	body := bodyOf(rec)
	if kinds[string(rawjson.Text(body, "kind"))] != unknown {
		return true
	}
	for _, wrapped := range [...]string{"statusUpdate", "status_update"} {
		if rawjson.Get(body, wrapped, "final") != nil {
			return true
		}
	}
	return rawjson.Get(body, "msg") != nil || rawjson.Get(body, "message", "content") != nil
}

func isEvent(rec wire.Record) bool {
	what, _ := readEvent(bodyOf(rec))
	return what != unknown
}

// bodyOf is the event of a record, with or without the envelope of JSON-RPC.
func bodyOf(rec wire.Record) rawjson.Value {
	if body := rawjson.Get(rec.Data, "result"); body != nil {
		return body
	}
	return rec.Data
}
