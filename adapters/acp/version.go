package acp

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// versions are recognized by what only the draft has: updates of the state, whole messages, items of content one by one.
var versions = []hub.Version{{Name: "2 (draft)", Shows: isDraft}, {Name: "1"}}

var draftUpdates = []string{"state_update", "agent_message", "agent_thought", "user_message", "tool_call_content_chunk"}

func isDraft(rec wire.Record) bool {
	if version, ok := rawjson.Int(rawjson.Get(rec.Data, "result", "protocolVersion")); ok {
		return version >= 2
	}
	kind := rawjson.Text(rec.Data, "params", "update", "sessionUpdate")
	return slices.Contains(draftUpdates, string(kind))
}
