package a2a

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// appendAnswer writes the task that came of a message: its state, and what was said as artifacts, one a message. It has the ids and the
// envelope that a stream would have.
func appendAnswer(dst []byte, o hub.Options, req *hub.Request, run *hub.Run, l *hub.Losses) []byte {
	e := newEncoder(o).(*encoder)
	e.Answer(req)
	e.nameTask(run.ID, run.Thread)
	e.counts = run.Usage
	dst = e.appendTask(e.appendEnvelope(dst))
	st := stateOf(run.Status)
	dst = append(append(append(dst, `","status":{"state":"`...), e.shape.state(st)...), '"')
	end := hub.Event{Kind: hub.RunEnd, Status: run.Status, More: &hub.More{Err: run.Err, ErrCode: run.ErrCode}}
	said := conversation.Spoken(run, l)
	message := e.appendCalls(nil, said)
	if st != stateInput {
		l.AddIf("messages.call", message != nil)
		message = e.why(&end)
	}
	if message != nil {
		dst = e.appendMessage(append(dst, `,"message":`...), message)
	}
	dst = e.appendArtifacts(append(dst, `},"artifacts":[`...), said, l)
	return e.appendClose(e.appendEndMetadata(append(dst, ']'), &end, st))
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

// appendArtifacts appends what the agent said.
func (e *encoder) appendArtifacts(dst []byte, said []*hub.Part, l *hub.Losses) []byte {
	first := true
	for _, p := range said {
		part := e.artifactPart(p, l)
		if part == nil {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(append(append(dst, `{"artifactId":"`...), e.name(p.ID)...), `","name":"`...)
		dst = append(append(dst, rawjson.Or(p.Name, "answer")...), `","parts":[`...)
		dst = append(append(dst, part...), "]}"...)
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
		l.Add("messages.file")
	case hub.PartData:
		if e.shape != shapeProto && p.Value != nil && !rawjson.IsNull(p.Value) {
			return append(e.appendData([]byte(dataHeads[e.shape]), p.Value), '}')
		}
		l.Add("messages.data")
	case hub.PartReasoning:
		l.Add("messages.reasoning")
	case hub.PartSource:
		l.Add("messages.source")
	case hub.PartRaw:
		l.Add("messages.other")
	}
	return nil
}
