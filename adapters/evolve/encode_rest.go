package evolve

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

func (e *encoder) planEvent(out *wire.Out, ev *hub.Event, l *subAgent) hub.Disposition {
	items := ev.Rare().Items
	disposition := hub.Native
	entries := append(e.next[:0], '[')
	for i := range items {
		it := &items[i]
		status := planStatus(it.Status)
		if status != string(it.Status) {
			disposition = hub.Folded
		}
		entries = appendEntry(entries, it.Content, status, it.Priority)
	}
	e.writePlan(out, append(entries, ']'), l)
	return disposition
}

// appendEntry appends an entry of a plan, with the comma before it.
func appendEntry(dst, content []byte, status string, priority []byte) []byte {
	dst = appendIn(acpwire.Comma(dst), `{"content":"`, content, `","status":"`)
	return appendIn(append(dst, status...), `","priority":"`, rawjson.Or(priority, "medium"), `"}`)
}

// planStatus is one of the three that the dialect knows. What was given up is done with.
func planStatus(s []byte) string {
	switch string(s) {
	case "in_progress":
		return "in_progress"
	case "completed", "cancelled":
		return "completed"
	}
	return "pending"
}

// writePlan writes a plan unless it is the one that was written last: a todo tool and its plan say the same.
func (e *encoder) writePlan(out *wire.Out, entries []byte, l *subAgent) {
	e.next = entries
	if l == nil {
		if bytes.Equal(entries, e.plan) {
			return
		}
		e.plan = append(e.plan[:0], entries...)
	}
	e.end(out, member.AppendRaw(e.begin(out, l, "plan"), `,"entries":`, entries), 0)
}

// file writes an image as a chunk. The dialect has no other files: ACP has, elsewhere a file is a link in the text.
func (e *encoder) file(out *wire.Out, ev *hub.Event, l *subAgent) hub.Disposition {
	f, acp := &ev.Rare().File, e.opt.envelope == envelopeACP
	inline, remote := len(f.Base64) > 0, len(f.URL) > 0
	var block func([]byte, *hub.Event) []byte
	disposition := hub.FoldedIf(len(ev.Title)+len(ev.Text)+len(f.Name) > 0)
	switch {
	case !inline && !remote:
		return hub.Dropped
	case bytes.HasPrefix(f.Media, []byte("image/")), len(f.Media) == 0 && len(f.Name) == 0 && remote:
		block = appendImage
	case acp && inline && bytes.HasPrefix(f.Media, []byte("audio/")):
		block = appendAudio
	case acp && remote:
		block, disposition = appendResource, hub.Native
	case remote:
		block, disposition = appendLink, hub.Folded
	default:
		return hub.Dropped
	}
	e.end(out, block(append(e.beginChunk(out, ev, l), `,"content":`...), ev), ev.Flags)
	return disposition
}

func appendImage(dst []byte, ev *hub.Event) []byte {
	f := &ev.More.File
	dst = append(append(dst, `{"type":"image","data":"`...), f.Base64...)
	dst = appendIn(dst, `","mimeType":"`, f.Media, `"`)
	return append(member.AppendText(dst, `,"uri":"`, f.URL), '}')
}

func appendAudio(dst []byte, ev *hub.Event) []byte {
	f := &ev.More.File
	dst = append(append(dst, `{"type":"audio","data":"`...), f.Base64...)
	return appendIn(dst, `","mimeType":"`, f.Media, `"}`)
}

func appendResource(dst []byte, ev *hub.Event) []byte {
	f := &ev.More.File
	dst = append(append(dst, `{"type":"resource_link","uri":"`...), f.URL...)
	dst = appendIn(dst, `","name":"`, rawjson.First(f.Name, f.URL), `"`)
	dst = member.AppendText(dst, `,"title":"`, ev.Title)
	dst = member.AppendText(dst, `,"description":"`, ev.Text)
	return append(member.AppendText(dst, `,"mimeType":"`, f.Media), '}')
}

// appendLink appends a text block with a link in Markdown.
func appendLink(dst []byte, ev *hub.Event) []byte {
	f := &ev.More.File
	dst = append(append(dst, `{"type":"text","text":"[`...), rawjson.First(ev.Title, f.Name, f.URL)...)
	return appendIn(dst, `](`, f.URL, `)"}`)
}

// notice writes errors and warnings; what the agent is doing has no place here, but in ACP.
func (e *encoder) notice(out *wire.Out, ev *hub.Event, l *subAgent) hub.Disposition {
	severity := severities[ev.Level]
	switch {
	case severity == "" || severity == "info" && e.opt.envelope != envelopeACP:
		return hub.Dropped
	case e.opt.envelope != envelopeACP:
		label := errorLabel
		if ev.Level != hub.LevelError {
			label = warningLabel
		}
		e.writeError(out, l, ev.Text, label, false)
		return hub.FoldedIf(ev.Level != hub.LevelError || e.opt.errorText)
	}
	title, description := ev.Title, ev.Text
	if len(title) == 0 {
		title, description = ev.Text, nil
	}
	out.Buf = appendIn(e.begin(out, l, "notice"), `,"severity":"`, severity, `","title":"`)
	out.Buf = append(append(out.Buf, title...), '"')
	e.end(out, member.AppendText(out.Buf, `,"description":"`, description), ev.Flags)
	return hub.Native
}

// severities are the words for the levels that this wire has.
var severities = map[hub.Level]string{hub.LevelInfo: "info", hub.LevelWarning: "warning", hub.LevelError: "error"}

// usage writes what was spent: as newer versions of the SDK say it, and for a session as ACP says it.
func (e *encoder) usage(out *wire.Out, ev *hub.Event, l *subAgent) hub.Disposition {
	if ev.More == nil {
		return hub.Dropped
	}
	c := &ev.More.Usage
	switch {
	case c.ContextSize >= 0 && c.ContextUsed >= 0 && (ev.Scope == hub.SessionScope || e.opt.envelope == envelopeACP):
		e.end(out, appendContext(e.begin(out, l, "usage_update"), c), ev.Flags)
		return hub.Native
	case e.opt.envelope == envelopeACP || ev.Scope == hub.SessionScope:
		return hub.Dropped
	}
	scope := "call"
	if ev.Scope == hub.RunScope {
		scope = "run"
	}
	buf := appendIn(e.begin(out, l, "usage"), `,"scope":"`, scope, `","usage":{`)
	e.end(out, append(appendCounts(buf, c), '}'), ev.Flags)
	return hub.Native
}

func appendContext(dst []byte, c *hub.Counts) []byte {
	dst = member.AppendInt(dst, `,"used":`, c.ContextUsed)
	dst = member.AppendInt(dst, `,"size":`, c.ContextSize)
	if len(c.Cost) == 0 {
		return dst
	}
	dst = append(append(dst, `,"cost":{"amount":`...), c.Cost...)
	return append(member.AppendText(dst, `,"currency":"`, c.Currency), '}')
}

// appendCounts appends the members of a TokenUsage. What it has no member for goes under extra, with the names that
// the agents use.
func appendCounts(dst []byte, c *hub.Counts) []byte {
	open := len(dst)
	dst = member.AppendCount(dst, `,"promptTokens":`, c.In)
	dst = member.AppendCount(dst, `,"completionTokens":`, c.Out)
	dst = member.AppendCount(dst, `,"cachedTokens":`, c.Cached)
	if len(c.Cost) > 0 && (len(c.Currency) == 0 || string(c.Currency) == "USD") {
		dst = member.AppendRaw(dst, `,"costUsd":`, c.Cost)
	}
	dst = cutComma(dst, open)
	if c.Total < 0 && c.CacheWrite < 0 && c.ReasoningTokens < 0 {
		return dst
	}
	if len(dst) > open {
		dst = append(dst, ',')
	}
	dst = append(dst, `"extra":{`...)
	open = len(dst)
	dst = member.AppendCount(dst, `,"total_tokens":`, c.Total)
	dst = member.AppendCount(dst, `,"cache_creation_input_tokens":`, c.CacheWrite)
	dst = member.AppendCount(dst, `,"reasoning_output_tokens":`, c.ReasoningTokens)
	return append(cutComma(dst, open), '}')
}
