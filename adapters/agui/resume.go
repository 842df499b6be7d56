package agui

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// decodeAnswers reads what the user answered to interrupts. Before these had ids, CopilotKit sent the answer to the one that
// there was among the properties of the application.
func decodeAnswers(resume, props rawjson.Value) (all []hub.Decision) {
	for entry := range rawjson.Each(resume) {
		d := conversation.Decision(rawjson.Get(entry, "payload"))
		d.Ask = rawjson.Text(entry, "interruptId")
		if string(rawjson.Text(entry, "status")) == "cancelled" {
			d.Cancelled, d.Decided, d.Approved = true, false, false
		}
		all = append(all, d)
	}
	if old := legacyAnswer(props); old != nil && len(all) == 0 {
		all = append(all, conversation.Decision(old))
	}
	return all
}

func legacyAnswer(props rawjson.Value) rawjson.Value {
	return rawjson.NotNull(rawjson.Get(props, "command", "resume"))
}

// takeEchoes takes results from calls of this turn that only say an answer again. CopilotKit's React hook adds them for the calls that
// are asked about; an agent would believe that the tool has run. They tell which call an answer is about. It returns the messages
// without those that held nothing but such results.
func takeEchoes(ms []hub.Message, answers []hub.Decision) []hub.Message {
	e := echoes{answers: answers}
	for i := len(ms) - 1; i >= 0 && len(answers) > 0 && ms[i].Role != hub.RoleUser; i-- {
		m := &ms[i]
		for j := range m.Parts {
			if p := &m.Parts[j]; p.Result != nil && !p.ClientRuns {
				e.take(p)
			}
		}
		if m.Role == hub.RoleResults {
			m.Parts = slices.DeleteFunc(m.Parts, func(p hub.Part) bool { return p.Result == nil })
		}
	}
	return slices.DeleteFunc(ms, func(m hub.Message) bool { return m.Role == hub.RoleResults && len(m.Parts) == 0 })
}

// echoes are answers by the result that says them again. A request may have thousands of both.
type echoes struct {
	answers []hub.Decision
	places  map[string][]int // of those that no call is known of, by their echo; made when there is a result
}

// take takes the result from a call if it only says an answer again.
func (e *echoes) take(p *hub.Part) {
	if e.places == nil {
		e.index()
	}
	said := string(rawjson.AppendUnescaped(nil, p.Result.Text))
	places := e.places[said]
	if len(places) == 0 {
		return
	}
	e.answers[places[0]].Call, p.Result = p.ID, nil
	if p.ID != nil {
		e.places[said] = places[1:]
	}
}

func (e *echoes) index() {
	e.places = map[string][]int{}
	for i := range e.answers {
		if d := &e.answers[i]; len(d.Ask) > 0 && d.Call == nil {
			said := string(echo(d))
			e.places[said] = append(e.places[said], i)
		}
	}
}

// echo is an answer as the hook says it again.
func echo(d *hub.Decision) []byte {
	switch {
	case d.Cancelled:
		return []byte(`{"status":"cancelled"}`)
	case d.Payload == nil:
		return []byte(`{"status":"resolved"}`)
	}
	return rawjson.AppendCompact(nil, d.Payload)
}

// resumes reports whether a call has an answer that the agent must receive.
func resumes(p *hub.Part) bool { return conversation.Awaited(p) && len(p.Approval.ID) > 0 }

// appendAnswers writes the answers: those of the request, and those that stand with the calls that wait for them. An agent finds
// its question by its id alone.
func appendAnswers(w *jsonwriter.Writer, req *hub.Request, l *hub.Losses) {
	answers := waiting(req.Messages)
	for i := range req.Answers {
		if d := &req.Answers[i]; len(d.Ask) > 0 {
			answers = append(answers, *d)
		} else if legacyAnswer(req.Extra.Of(Dialect.Name)) == nil {
			l.Add("answers")
		}
	}
	if len(answers) == 0 {
		return
	}
	w.OpenAt("resume", '[')
	for i := range answers {
		appendAnswer(w, &answers[i])
	}
	w.Close(']')
}

// waiting are the answers that stand with calls.
func waiting(ms []hub.Message) (all []hub.Decision) {
	for i := range ms {
		for j := range ms[i].Parts {
			if p := &ms[i].Parts[j]; resumes(p) {
				a := p.Approval
				all = append(all, hub.Decision{Ask: a.ID, Decided: true, Approved: a.Approved, Reason: a.Reason})
			}
		}
	}
	return all
}

func appendAnswer(w *jsonwriter.Writer, d *hub.Decision) {
	w.Open('{')
	w.Text("interruptId", d.Ask)
	if d.Cancelled {
		w.Const("status", "cancelled")
	} else {
		w.Const("status", "resolved")
	}
	if d.Decided && rawjson.Kind(d.Payload) != '{' { // agents refuse a bare true
		w.OpenAt("payload", '{')
		w.Bool("approved", d.Approved)
		w.TextIf("reason", d.Reason)
		w.Close('}')
	} else {
		w.ValueIf("payload", d.Payload)
	}
	w.Close('}')
}
