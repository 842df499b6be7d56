package openairesponses

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// lost are the losses for events that have no place in a response.
var lost = map[hub.Kind]string{
	hub.TextStart: "messages.reasoning", hub.ToolStart: "messages.call", hub.Ask: "messages.approval", hub.File: "messages.file",
	hub.Source: "messages.source", hub.Data: "messages.data",
}

// appendAnswer writes a response: that which the terminal event of a stream repeats. So it has the same items and ids, with calls
// that the agent has run as those of a server, which clients do not run. Of a run that has not ended it is what the first event says. One
// that was cancelled has failed for those who read its stream, which has no event for that; who asks for it later gets the status.
func appendAnswer(dst []byte, o hub.Options, req *hub.Request, run *hub.Run, l *hub.Losses) []byte {
	e, out := newEncoder(o).(*encoder), wire.NewOut(wire.NDJSON)
	e.Answer(req)
	write := func(ev hub.Event) {
		end := len(out.Buf)
		became := e.Encode(out, &ev)
		if name, ok := lost[ev.Kind]; became == hub.Dropped && ok && speaks(&ev) {
			l.Add(name)
		}
		l.AddIf("messages.file.name", ev.Kind == hub.File && became == hub.Folded)
		l.AddIf("messages.source", ev.Kind == hub.Source && became == hub.Folded)
		if ev.Kind != hub.RunEnd {
			out.Buf = out.Buf[:end]
		}
	}
	start := hub.Event{Kind: hub.RunStart, ID: run.ID, Ref: run.Thread, More: &hub.More{Time: run.Time, Model: run.Model}}
	if run.Queued {
		e.name(&start)
		return e.appendResponse(dst, "queued", nil)
	}
	if !run.Ended {
		e.Encode(out, &start)
		first, _, _ := bytes.Cut(out.Buf, []byte("\n"))
		return append(dst, rawjson.Get(first, "response")...)
	}
	write(start)
	for _, ev := range sourcesFirst(conversation.Unfold(nil, append(alreadyRun(run.Messages), askedAgain(req, run)...))) {
		write(ev)
	}
	write(hub.Event{Kind: hub.Usage, Scope: hub.RunScope, More: &hub.More{Usage: run.Usage}})
	if req.Later && run.Status == hub.StatusCancelled {
		e.flushSources(out)
		return e.appendResponse(dst, "cancelled", &terminal{})
	}
	write(run.End())
	lines := bytes.Split(bytes.TrimSpace(out.Buf), []byte("\n"))
	return append(dst, rawjson.Get(lines[len(lines)-1], "response")...)
}

// askedAgain are the calls of earlier runs that the run waits for a decision about, as the request tells of them: clients decide by the id of the
// question.
func askedAgain(req *hub.Request, run *hub.Run) (ms []hub.Message) {
	for i := range run.Asks {
		ask := &run.Asks[i]
		if ask.AskKind != hub.AskPermission || len(ask.Ref) == 0 || slices.ContainsFunc(run.Messages, func(m hub.Message) bool { return has(m.Parts, ask.Ref) }) {
			continue
		}
		call := hub.Part{Kind: hub.PartCall, ID: ask.Ref, Name: []byte("unknown"), Value: []byte("{}"), Approval: &hub.Approval{ID: ask.ID}}
		if past := req.History.Find(ask.Ref); past != nil {
			call.Name, call.Value = rawjson.First(past.Name, call.Name), rawjson.First(past.Args, call.Value)
		}
		ms = append(ms, hub.Message{Role: hub.RoleAgent, Parts: []hub.Part{call}})
	}
	return ms
}

// has reports whether there is the call of an id.
func has(parts []hub.Part, call []byte) bool {
	return slices.ContainsFunc(parts, func(p hub.Part) bool { return p.Kind == hub.PartCall && bytes.Equal(p.ID, call) })
}

// alreadyRun says of calls of the client's that have a result by now that they are not its own any more: it would run them again.
func alreadyRun(ms []hub.Message) []hub.Message {
	ms = slices.Clone(ms)
	for i := range ms {
		ms[i].Parts = slices.Clone(ms[i].Parts)
		for j := range ms[i].Parts {
			if p := &ms[i].Parts[j]; p.Result != nil {
				p.ClientRuns = false
			}
		}
	}
	return ms
}

// sourcesFirst moves sources before the end of the text in front of them, which cites them.
func sourcesFirst(evs []hub.Event) []hub.Event {
	for i := 1; i < len(evs); i++ {
		if evs[i].Kind == hub.Source && evs[i-1].Kind == hub.TextEnd && evs[i-1].Chan == hub.AnswerText {
			evs[i-1], evs[i] = evs[i], evs[i-1]
		}
	}
	return evs
}
