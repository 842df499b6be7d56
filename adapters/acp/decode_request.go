package acp

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonrpc"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// request decodes the agent's requests to the client, and notifications that are no update.
func (d *decoder) request(dst []hub.Event, method string) ([]hub.Event, error) {
	p := &d.msg.Params
	if rawjson.IsNull(p.SessionID) && len(d.root) == 0 {
		return dst, nil // of the connection, not of a run
	}
	dst = d.session(dst, p.SessionID)
	switch method {
	case "session/request_permission":
		return d.permission(dst, p)
	case "elicitation/create":
		return d.elicitation(dst), nil
	case takenBack:
		dst, ev := d.add(dst, hub.Event{Kind: hub.Answer})
		ev.ID, ev.Status = jsonrpc.IDBody(&d.scratch, rawjson.Get(d.rec.Data, "params", "requestId")), hub.StatusCancelled
		return dst, nil
	}
	return d.raw(dst), nil
}

// permission decodes what the call that it is about says of itself, and the question.
func (d *decoder) permission(dst []hub.Event, p *params) ([]hub.Event, error) {
	u, title := &p.ToolCall, rawjson.Value(nil)
	if u.ToolCallID == nil { // version 2
		subject := rawjson.Get(d.rec.Data, "params", "subject")
		if err := d.json.Decode(rawjson.OrNull(rawjson.Get(subject, "toolCall")), u); err != nil {
			return dst, hub.NewError(hub.ReasonType, "params.subject.toolCall", -1, "want an object")
		}
		if u.ToolCallID == nil {
			u.ToolCallID = rawjson.Get(subject, "toolCallId") // of a command
		}
		title = rawjson.Get(d.rec.Data, "params", "title")
	}
	ref := rawjson.Body(u.ToolCallID)
	if len(ref) > 0 {
		dst = d.askedCall(dst, u)
		_, ref = d.findCall(ref)
	}
	dst, ev := d.add(dst, hub.Event{Kind: hub.Ask, ID: jsonrpc.IDBody(&d.scratch, d.msg.ID), Ref: ref, AskKind: hub.AskPermission})
	ev.Title = rawjson.First(rawjson.Body(title), rawjson.Body(u.Title))
	readOptions(d.scratch.MoreOf(ev), p.Options)
	return dst, nil
}

// askedCall decodes the call that a permission is asked for: it may change the call, but not end it.
func (d *decoder) askedCall(dst []hub.Event, u *update) []hub.Event {
	asked := *u
	if acpwire.Ended(toolStatus(asked.Status)) {
		asked.Status = nil
	}
	c, _ := d.call(rawjson.Body(asked.ToolCallID))
	if c.started && c.ready && asked.Status == nil && asked.Title == nil {
		return dst
	}
	if !c.started && asked.Title == nil && asked.ToolKind == nil && asked.RawInput == nil && asked.Name == nil {
		return dst // nothing but its id: the sequencer makes it up
	}
	dst, _ = d.tool(dst, &asked, true) // it has an id, so nothing can be wrong
	return dst
}

// readOptions reads the choices of a permission. Unknown kinds pass; encoders decide what to write for them.
func readOptions(m *hub.More, options rawjson.Value) {
	for v := range rawjson.Each(options) {
		m.Options = append(m.Options, readOption(v))
	}
}

func readOption(v rawjson.Value) (o hub.AskOption) {
	for key, val := range rawjson.EachField(v) {
		body := rawjson.Body(val)
		switch string(key) {
		case "optionId":
			o.ID = body
		case "name":
			o.Name = body
		case "kind":
			o.Kind = body
		}
	}
	return o
}

// elicitation decodes a question: a form, or a page that the user is to visit.
func (d *decoder) elicitation(dst []hub.Event) []hub.Event {
	p := rawjson.Get(d.rec.Data, "params")
	dst, ev := d.add(dst, hub.Event{Kind: hub.Ask, ID: jsonrpc.IDBody(&d.scratch, d.msg.ID), AskKind: hub.AskInput, Value: p})
	ev.Title = rawjson.Text(p, "message")
	if rawjson.Get(p, "url") != nil {
		ev.AskKind = hub.AskAuth
	}
	if schema := rawjson.Get(p, "requestedSchema"); rawjson.Kind(schema) == '{' {
		d.scratch.MoreOf(ev).Schema = schema
		readChoices(ev, schema)
	}
	if ref := rawjson.Text(p, "toolCallId"); len(ref) > 0 {
		_, ev.Ref = d.findCall(ref)
	}
	return dst
}

// readChoices recognises a form that is one choice of several: its options are those of the question.
func readChoices(ev *hub.Event, schema rawjson.Value) {
	properties := rawjson.Fields(rawjson.Get(schema, "properties"))
	_, only, ok := properties.Next()
	if _, _, more := properties.Next(); !ok || more {
		return
	}
	for v := range rawjson.Each(rawjson.Get(only, "oneOf")) {
		ev.AskKind = hub.AskQuestion
		ev.More.Options = append(ev.More.Options, hub.AskOption{ID: rawjson.Text(v, "const"), Name: rawjson.Text(v, "title")})
	}
}
