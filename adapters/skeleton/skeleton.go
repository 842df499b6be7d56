// Package skeleton is a whole dialect in few lines, to be copied: see CONTRIBUTING.md. It is not registered.
//
// # Wire
//
// One JSON object a line.
//
//	{"type":"start","run":"r1"}
//	{"type":"text","text":"Let me look."}
//	{"type":"call","id":"c1","name":"list","args":{"dir":"."}}
//	{"type":"result","id":"c1","status":"ok","text":"a.go"}
//	{"type":"end","status":"done"}
//
// # Mapping
//
//	start   run.start: ID = run
//	text    text.delta
//	call    tool.start and tool.ready: arguments = args
//	result  tool.end: Status = status, Text = text or Value = value, Err = error
//	end     run.end: Status = status, Err = error
//	others  raw
//
// # Lost
//
// When it is written: everything else.
//
// # Source
//
// Made up. A real dialect names the software, its version and the file that defines the format.
package skeleton

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Dialect is the example.
var Dialect = hub.Dialect{
	Name: dialectName, Title: "Example", Doc: "A dialect to copy.",
	Framing: wire.NDJSON, Framings: []wire.Framing{wire.NDJSON},
	Caps:          hub.CapExecutedTools,
	TemplateKinds: []hub.Kind{hub.TextDelta}, // records that differ in their text alone are decoded by template
	NewDecoder:    newDecoder, NewEncoder: newEncoder, Observe: observe,
}

const dialectName = "skeleton"

// observe looks for the end of a stream that is copied. It sees every record, so it searches before it parses.
func observe(rec wire.Record) hub.Observation {
	if bytes.Contains(rec.Data, []byte(`"end"`)) && string(rawjson.Text(rec.Data, "type")) == "end" {
		return hub.ObservedEnd
	}
	return hub.ObservedNothing
}
