package a2a

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// appendAnswer writes the task that came of a message: its state, and what was said as artifacts, one a message. It has the ids and the
// envelope that a stream would have.
func appendAnswer(dst []byte, o hub.Options, req *hub.Request, run *hub.Run, l *hub.Losses) []byte {
	e := newEncoder(o).(*encoder)
	e.Answer(req)
	e.nameTask(run.ID, run.Thread)
	dst = append(e.appendTask(e.appendEnvelope(dst)), `","status":{"state":"`...)
	return e.appendClose(e.appendOutcome(dst, run, stateOf(run.Status), l))
}

// appendOutcome appends the state of a task with the message that goes with it, and what has come of it.
func (e *encoder) appendOutcome(dst []byte, run *hub.Run, st state, l *hub.Losses) []byte {
	end := hub.Event{Kind: hub.RunEnd, Status: run.Status, More: &hub.More{Err: run.Err, ErrCode: run.ErrCode}}
	message := e.appendCalls(nil, conversation.Spoken(run, l))
	if st == stateInput {
		st, message = e.waiting(run, message)
	} else {
		l.AddIf("messages.call", message != nil)
		message = e.why(&end)
	}
	dst = append(append(dst, e.shape.state(st)...), '"')
	if message != nil {
		dst = e.appendMessage(append(dst, `,"message":`...), message)
	}
	dst = append(e.appendArtifacts(append(dst, `},"artifacts":[`...), run, l), ']')
	return appendEndMetadata(dst, &end, st, run.Usage)
}

// waiting is the state of a task that waits for its client, and the parts of the message that says for what.
func (e *encoder) waiting(run *hub.Run, parts []byte) (state, []byte) {
	st := stateInput
	for i := range run.Asks {
		if e.ask(&run.Asks[i]); i == 0 && run.Asks[i].AskKind == hub.AskAuth {
			st = stateAuth
		}
	}
	return st, e.appendQuestions(parts)
}

// appendCalls appends the calls that a task waits for.
func (e *encoder) appendCalls(parts []byte, said []*hub.Part) []byte {
	for _, p := range said {
		if p.Kind == hub.PartCall {
			parts = e.appendCall(parts, &hub.Event{ID: p.ID, Name: p.Name, Value: p.Value, Text: p.Text})
		}
	}
	return parts
}

// why are the parts of the message that says why a task went no further. Of one that is complete it would be taken for the answer.
func (e *encoder) why(end *hub.Event) []byte {
	if len(end.More.Err) == 0 || end.Status == hub.StatusDone {
		return nil
	}
	return e.appendTextPart(nil, end.More.Err)
}

// appendArtifacts appends what the agent said, under the names that a stream gives it.
func (e *encoder) appendArtifacts(dst []byte, run *hub.Run, l *hub.Losses) []byte {
	from := len(dst)
	for i := range run.Messages {
		if m := &run.Messages[i]; m.Role == hub.RoleAgent {
			dst = e.appendMade(dst, from, run, m, l)
		}
	}
	return dst
}

// appendMade appends the artifacts of a message; the list begins at from. One without an id of its own has that of the run.
func (e *encoder) appendMade(dst []byte, from int, run *hub.Run, m *hub.Message, l *hub.Losses) []byte {
	said := m.ID
	if bytes.Equal(said, run.ID) {
		said = nil
	}
	for j := range m.Parts {
		p := &m.Parts[j]
		part := e.artifactPart(p, l)
		if part == nil {
			continue
		}
		id := p.ID
		if p.Kind == hub.PartText || p.Kind == hub.PartRefusal {
			id = said
		}
		if len(dst) > from {
			dst = append(dst, ',')
		}
		name, description := rawjson.Or(p.Name, "answer"), []byte(nil)
		if p.Kind == hub.PartFile {
			name, description = rawjson.First(p.Title, p.File.Name, p.Name), p.Text
		}
		dst = append(append(append(dst, `{"artifactId":"`...), e.name(id)...), '"')
		dst = member.AppendText(member.AppendText(dst, `,"name":"`, name), `,"description":"`, description)
		dst = append(append(append(dst, `,"parts":[`...), part...), "]}"...)
	}
	return dst
}

// artifactPart is a part of what the agent said, nil where it has no form.
func (e *encoder) artifactPart(p *hub.Part, l *hub.Losses) []byte {
	switch p.Kind {
	case hub.PartText, hub.PartRefusal:
		return e.appendTextPart(nil, p.Text)
	case hub.PartFile:
		if p.File != nil && len(p.File.URL)+len(p.File.Base64) > 0 {
			return e.shape.appendFile(nil, p.File)
		}
	case hub.PartCall: // said with the status
		return nil
	case hub.PartData:
		if e.shape != shapeProto && p.Value != nil && !rawjson.IsNull(p.Value) {
			return append(e.appendData([]byte(dataHeads[e.shape]), p.Value), '}')
		}
	}
	conversation.LostPart(p, l)
	return nil
}
