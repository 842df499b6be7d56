package copilot

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// askType says how a question is read.
type askType struct {
	what  hub.AskKind
	title string // the member with the question
}

var askTypes = map[string]askType{
	"user_input.requested":               {hub.AskInput, "question"},
	"elicitation.requested":              {hub.AskInput, "message"},
	"mcp.oauth_required":                 {hub.AskAuth, "serverName"},
	"exit_plan_mode.requested":           {hub.AskQuestion, "summary"},
	"auto_mode_switch.requested":         {hub.AskQuestion, "errorCode"},
	"session_limits_exhausted.requested": {hub.AskQuestion, ""},
}

// Kinds of the results of permission requests, which are the options of every one.
const (
	kindApproved    = "approved"
	kindForSession  = "approved-for-session"
	kindDeniedUser  = "denied-interactively-by-user"
	kindDenied      = "denied"
	kindCancelled   = "cancelled"
	propOfferAlways = "canOfferSessionApproval"
)

// ask appends a question whose whole payload is its value, and which is written again as it came.
func (d *decoder) ask(dst []hub.Event, what hub.AskKind, tool []byte) ([]hub.Event, *hub.Event, error) {
	id, err := d.need(d.at.ev.Data.RequestID, "requestId")
	if err != nil {
		return dst, nil, err
	}
	if len(d.asks) < maxKnown {
		d.asks[string(id)] = string(tool)
	}
	dst, ev := d.add(dst, hub.Event{Kind: hub.Ask, ID: id, AskKind: what, Value: d.properties()})
	if d.calls[string(tool)] != nil {
		ev.Ref = tool // else the call is not shown, or not yet: the question must not wait for it
	}
	meta := d.beginMeta()
	d.endMeta(ev, appendText(meta, `"`+metaType+`":"`, d.at.typ), len(meta))
	d.passing(ev)
	return dst, ev, nil
}

// permissionTitles are the members that say what is asked for, the best first. Each kind of request has some of them.
var permissionTitles = [...]string{
	"intention", "hookMessage", "fullCommandText", "toolTitle", "toolName", "url", "path", "fileName", "fact", "kind",
}

// permission reads a request to allow something.
func (d *decoder) permission(dst []hub.Event) ([]hub.Event, error) {
	if rawjson.IsTrue(d.prop("resolvedByHook")) {
		return d.plain(dst) // no question
	}
	req := d.prop("permissionRequest")
	dst, ev, err := d.ask(dst, hub.AskPermission, rawjson.Text(req, "toolCallId"))
	if err != nil {
		return dst, err
	}
	for _, name := range permissionTitles {
		if ev.Title = rawjson.Text(req, name); len(ev.Title) > 0 {
			break
		}
	}
	m := d.scratch.MoreOf(ev)
	m.Options = append(m.Options, option(kindApproved, "Allow", "allow_once"))
	if rawjson.IsTrue(rawjson.Get(req, propOfferAlways)) {
		m.Options = append(m.Options, option(kindForSession, "Allow for this session", "allow_always"))
	}
	m.Options = append(m.Options, option(kindDeniedUser, "Deny", "reject_once"))
	return dst, nil
}

// option makes an option of constants.
func option(id, name, kind string) hub.AskOption {
	return hub.AskOption{ID: []byte(id), Name: []byte(name), Kind: []byte(kind)}
}

// question reads the other questions.
func (d *decoder) question(dst []hub.Event) ([]hub.Event, error) {
	t := askTypes[string(d.at.typ)]
	dst, ev, err := d.ask(dst, t.what, rawjson.Body(d.at.ev.Data.ToolCallID))
	if err != nil {
		return dst, err
	}
	if t.title != "" {
		ev.Title = rawjson.Body(d.prop(t.title))
	}
	m := d.scratch.MoreOf(ev)
	if schema := d.prop("requestedSchema"); rawjson.Kind(schema) == '{' {
		m.Schema = schema
	}
	for _, name := range [...]string{"choices", "actions"} {
		for choice := range rawjson.Each(d.prop(name)) {
			if body := rawjson.Body(choice); len(body) > 0 {
				m.Options = append(m.Options, hub.AskOption{ID: body, Name: body})
				ev.AskKind = hub.AskQuestion
			}
		}
	}
	if string(d.at.typ) == "auto_mode_switch.requested" {
		m.Options = append(m.Options, option("yes", "Yes", "allow_once"), option("yes_always", "Always", "allow_always"),
			option("no", "No", "reject_once"))
	}
	return dst, nil
}

// answer reads what came back. An answer to what was not asked here is data.
func (d *decoder) answer(dst []hub.Event) ([]hub.Event, error) {
	id, err := d.need(d.at.ev.Data.RequestID, "requestId")
	if err != nil {
		return dst, err
	}
	choice, value := d.answered()
	tool, open := d.asks[string(id)]
	if hasPrefix(choice, kindDenied) && string(d.at.typ) == "permission.completed" {
		d.denied(rawjson.First(rawjson.Body(d.at.ev.Data.ToolCallID), []byte(tool)))
	}
	if !open {
		return d.plain(dst)
	}
	delete(d.asks, string(id))
	dst, ev := d.add(dst, hub.Event{Kind: hub.Answer, ID: id, Name: choice, Value: value, Status: hub.StatusChosen})
	if len(choice) == 0 && value == nil || isCancel(choice) {
		ev.Status = hub.StatusCancelled
	}
	meta := d.beginMeta()
	n := len(meta)
	meta = appendText(meta, `"`+metaType+`":"`, d.at.typ)
	d.endMeta(ev, appendMembers(meta, d.properties(), "requestId"), n)
	d.passing(ev)
	return dst, nil
}

// answered reads the choice in an answer, and its content.
func (d *decoder) answered() (choice []byte, value rawjson.Value) {
	switch string(d.at.typ) {
	case "permission.completed":
		value = d.at.ev.Data.Result
		return rawjson.Text(value, "kind"), value
	case "user_input.completed":
		value = d.prop("answer")
		if rawjson.IsTrue(d.prop("wasFreeform")) {
			return nil, value
		}
		return rawjson.Body(value), value
	case "elicitation.completed":
		return rawjson.Body(d.prop("action")), d.at.ev.Data.Content
	case "mcp.oauth_completed":
		return rawjson.Body(d.prop("outcome")), nil
	case "exit_plan_mode.completed":
		return rawjson.First(rawjson.Body(d.prop("selectedAction")), d.approval()), d.prop("feedback")
	case "session_limits_exhausted.completed":
		value = d.prop("response")
		return rawjson.Text(value, "action"), value
	}
	return rawjson.Body(d.prop("response")), nil
}

// approval is the choice in an answer that only says yes or no.
func (d *decoder) approval() []byte {
	if rawjson.IsTrue(d.prop("approved")) {
		return []byte(kindApproved)
	}
	return []byte(kindDenied)
}

// denied remembers that the call of the request was refused, so that its end is not taken for a failure.
func (d *decoder) denied(tool []byte) {
	if c := d.calls[string(tool)]; c != nil {
		c.denied = true
	}
}

// hasPrefix is bytes.HasPrefix without a conversion.
func hasPrefix(body []byte, prefix string) bool {
	return len(body) >= len(prefix) && string(body[:len(prefix)]) == prefix
}

// isCancel reports whether a choice is to answer nothing.
func isCancel(choice []byte) bool {
	return string(choice) == kindCancelled || string(choice) == "cancel"
}
