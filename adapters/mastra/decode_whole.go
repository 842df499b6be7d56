package mastra

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/finish"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// isWhole tells an answer in one piece from records of other servers that name a reason, too.
func isWhole(body []byte) bool {
	o := rawjson.ReadObject(body)
	return o.Text("finishReason") != nil && o.Text("text") != nil && rawjson.Kind(o.Get("toolCalls")) == '['
}

// whole reads an answer in one piece, as /generate gives it: its text, its calls, results, sources and files,
// which are chunks, what it has used, and its end.
func (d *decoder) whole(dst []hub.Event, body []byte) ([]hub.Event, error) {
	o, from := rawjson.ReadObject(body), len(dst)
	dst = append(dst, hub.Event{Kind: hub.RunStart, ID: o.Text("runId")})
	if text := o.Text("text"); len(text) > 0 {
		dst = append(dst, hub.Event{Kind: hub.TextDelta, ID: []byte("text"), Text: text})
	}
	var first error
	for _, list := range [...]string{"toolCalls", "toolResults", "sources", "files"} {
		for chunk := range rawjson.Each(o.Get(list)) {
			var err error
			if dst, err = d.chunk(dst, chunk); err != nil && first == nil {
				first = err
			}
		}
	}
	reason := o.Text("finishReason")
	for i := range dst[from:] { // what has no result then is left to the client
		ev := &dst[from+i]
		if c := d.calls[string(ev.ID)]; ev.Kind == hub.ToolStart && string(reason) == finish.Tools && c != nil && !c.answered {
			ev.Status, ev.Flags = hub.StatusNone, ev.Flags|hub.ClientRuns
		}
	}
	more := &hub.More{Model: rawjson.Text(o.Get("response"), "modelId"), Usage: hub.NoCounts}
	if counts.Read(&more.Usage, rawjson.First(o.Get("totalUsage"), o.Get("usage"))) {
		dst = append(dst, hub.Event{Kind: hub.Usage, Scope: hub.RunScope, More: more})
	}
	d.end = ending{seen: true, status: statusOf(reason), name: bytes.Clone(reason)}
	d.wholeReason(&o)
	return d.emitEnd(dst), first
}

// wholeReason reads why the run was stopped, or has failed. Before version 1 a tripwire was true, beside its reason.
func (d *decoder) wholeReason(o *rawjson.Object) {
	tripwire := o.Get(nameTripwire)
	why := rawjson.First(rawjson.Text(tripwire, "reason"), o.Text("tripwireReason"))
	switch {
	case rawjson.Kind(tripwire) == '{' || rawjson.IsTrue(tripwire):
		d.end.status, d.end.err = hub.StatusFiltered, bytes.Clone(why)
	case d.end.status == hub.StatusFailed:
		err, code := reasonOf(o.Get("error"))
		d.end.err, d.end.code = bytes.Clone(err), bytes.Clone(code)
	}
}
