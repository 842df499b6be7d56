package mastra

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/finish"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// appendWhole writes what came of a run in one piece: its text, its calls and results as chunks, and its messages, with which a client that
// runs a call goes on. A question that waits is the end of it.
func appendWhole(dst []byte, _ hub.Options, req *hub.Request, run *hub.Run, l *hub.Losses) []byte {
	w := writer{Writer: jsonwriter.New(dst), ids: conversation.CallIDs(run.Messages), losses: l, open: true}
	said := agentParts(run)
	w.Open('{')
	w.Text("text", words(said))
	if thought := conversation.Joined(said, hub.PartReasoning, nil); len(thought) > 0 {
		w.Text("reasoningText", thought)
	}
	w.run = rawjson.First(req.Run, req.Unique, run.ID)
	w.Text("runId", w.run)
	w.calls(said)
	w.ending(run, said)
	used := summed(run.Usage)
	for _, name := range [...]string{"usage", "totalUsage"} {
		w.OpenAt(name, '{')
		w.Append(func(b []byte) []byte { return counts.Append(b, &used) })
		w.Close('}')
	}
	w.OpenAt("response", '{')
	w.TextIf("modelId", run.Model)
	w.OpenAt("messages", '[')
	for i := range run.Messages {
		if m := &run.Messages[i]; m.Role == hub.RoleAgent || m.Role == hub.RoleResults {
			w.message(m)
		}
	}
	w.Close(']')
	w.Close('}')
	w.found(said)
	for _, none := range [...]string{"steps", "warnings"} {
		w.OpenAt(none, '[')
		w.Close(']')
	}
	w.Close('}')
	return w.Buf
}

// agentParts are what the agent says in a run.
func agentParts(run *hub.Run) (parts []*hub.Part) {
	for i := range run.Messages {
		m := &run.Messages[i]
		for j := range m.Parts {
			if m.Role == hub.RoleAgent || m.Role == hub.RoleResults {
				parts = append(parts, &m.Parts[j])
			}
		}
	}
	return parts
}

// words are what is said to the user; a refusal is a text like any other.
func words(said []*hub.Part) (all []byte) {
	for _, p := range said {
		if p.Kind == hub.PartText || p.Kind == hub.PartRefusal {
			all = append(all, p.Text...)
		}
	}
	return all
}

// calls writes the calls and the results of a run.
func (w *writer) calls(said []*hub.Part) {
	w.OpenAt("toolCalls", '[')
	for _, p := range said {
		switch {
		case p.Kind != hub.PartCall || len(p.Name) == 0:
		case !w.shows(p):
			w.losses.Add("messages.call")
		default:
			w.chunk("tool-call", p)
			w.Value("args", conversation.ObjectArgs(p, w.losses))
			w.Close('}')
			w.Close('}')
		}
	}
	w.Close(']')
	w.OpenAt("toolResults", '[')
	for _, p := range said {
		if p.Kind != hub.PartCall || p.Result == nil {
			continue
		}
		ev := p.Result.Event()
		w.chunk("tool-result", p)
		if ev.Value != nil && len(ev.Text) == 0 {
			w.Value("result", ev.Value)
		} else {
			w.Text("result", toolresult.Text(&ev))
		}
		w.Bool("isError", ev.Status != hub.StatusOK)
		w.Close('}')
		w.Close('}')
	}
	w.Close(']')
}

// found writes the sources and the files of a run, as chunks like those of a stream.
func (w *writer) found(said []*hub.Part) {
	w.OpenAt("sources", '[')
	for i, p := range said {
		if p.Kind == hub.PartSource && p.File != nil {
			w.source(p, i)
		}
	}
	w.Close(']')
	w.OpenAt("files", '[')
	for _, p := range said {
		if p.Kind == hub.PartFile && p.File != nil {
			w.file(p)
		}
	}
	w.Close(']')
}

// source writes a citation: an address, or a document. Which words it is of has no place.
func (w *writer) source(p *hub.Part, n int) {
	f, typ := p.File, "document"
	if len(f.URL) > 0 {
		typ = "url"
	}
	w.losses.AddIf("messages.source", len(p.Text) > 0 || p.Value != nil || len(f.URL) == 0 && len(f.FileID) > 0)
	w.begin("source")
	w.Text("id", rawjson.First(p.ID, strconv.AppendInt([]byte("source-"), int64(n), 10)))
	w.Const("sourceType", typ)
	w.Text("title", rawjson.First(p.Title, f.Name))
	w.TextIf("url", f.URL)
	w.TextIf("mimeType", f.Media)
	w.TextIf("filename", f.Name)
	w.Close('}')
	w.Close('}')
}

// file writes a file, whose data are base64, or an address. One that only a provider can find has no place.
func (w *writer) file(p *hub.Part) {
	f := p.File
	data := rawjson.First(f.Base64, f.URL)
	if len(data) == 0 {
		w.losses.Add("messages.file")
		return
	}
	w.begin("file")
	w.Text("data", data)
	w.Text("mimeType", rawjson.Or(f.Media, "application/octet-stream"))
	w.TextIf("filename", rawjson.First(f.Name, p.Title))
	w.losses.AddIf("messages.file.name", len(p.Title)+len(p.Text) > 0)
	w.Close('}')
	w.Close('}')
}

// begin begins a chunk, up to the members of its payload.
func (w *writer) begin(typ string) {
	w.Open('{')
	w.Const("type", typ)
	w.Text("runId", w.run)
	w.Const("from", "AGENT")
	w.OpenAt("payload", '{')
}

// chunk begins a chunk about a call, up to its own members.
func (w *writer) chunk(typ string, p *hub.Part) {
	w.begin(typ)
	w.Text(memberCall, p.ID)
	w.Text("toolName", rawjson.Or(p.Name, "tool"))
}

// ending writes why the run ended, and what it waits for.
func (w *writer) ending(run *hub.Run, said []*hub.Part) {
	if len(run.Asks) == 0 {
		reason, _ := reasonFor(run.Status)
		for _, p := range said {
			if p.Kind == hub.PartCall && p.Result == nil && w.shows(p) && run.Status == hub.StatusDone {
				reason = finish.Tools // the client runs it for that
			}
		}
		if why := tripped(run); len(why) > 0 {
			reason = nameTripwire
			w.OpenAt(nameTripwire, '{')
			w.Text("reason", why)
			w.Close('}')
		}
		w.Const("finishReason", reason)
		return
	}
	w.losses.AddIf("asks", len(run.Asks) > 1)
	ask := &run.Asks[0]
	about := &hub.Part{Name: ask.Title}
	for _, p := range said {
		if p.Kind == hub.PartCall && len(ask.Ref) > 0 && string(p.ID) == string(ask.Ref) {
			about = p
		}
	}
	w.Const("finishReason", "suspended")
	w.OpenAt("suspendPayload", '{')
	w.Text(memberCall, rawjson.First(ask.Ref, ask.ID))
	w.Text("toolName", rawjson.Or(about.Name, "question"))
	w.Value("args", conversation.ObjectArgs(about, w.losses))
	if ask.AskKind != hub.AskPermission {
		w.ValueIf("suspendPayload", ask.Value)
	}
	w.Close('}')
}

// tripped is why a run was refused or stopped, nil where no reason is known.
func tripped(run *hub.Run) []byte {
	if run.Status != hub.StatusFiltered && run.Status != hub.StatusRefused {
		return nil
	}
	end := run.End()
	return hub.Why(&end)
}
