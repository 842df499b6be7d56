package native

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/eventjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// encoder has no state: every event is a record of its own.
type encoder struct{}

func (encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	out.Begin("")
	out.Buf = Append(out.Buf, ev)
	out.End()
	return hub.Native
}

func (encoder) Finish(*wire.Out) {}

func (encoder) Reset() {}

// Append appends ev as one JSON object, without a newline. Values are spliced as they are.
func Append(dst []byte, ev *hub.Event) []byte { return eventjson.AppendObject(dst, ev, eventjson.All) }
