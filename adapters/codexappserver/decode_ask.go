package codexappserver

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/codexwire"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonrpc"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// asks are the requests that the client has to answer.
var asks = map[string]func(*decoder, []hub.Event) []hub.Event{
	"item/commandExecution/requestApproval": (*decoder).approval,
	"item/fileChange/requestApproval":       (*decoder).approval,
	"item/permissions/requestApproval":      (*decoder).approval,
	"item/tool/requestUserInput":            (*decoder).userInput,
	"mcpServer/elicitation/request":         (*decoder).elicitation,
	"item/tool/call":                        (*decoder).clientCall,
}

func (d *decoder) ask(dst []hub.Event, what hub.AskKind) ([]hub.Event, *hub.Event) {
	dst, ev := d.add(dst, hub.Event{Kind: hub.Ask})
	ev.ID, ev.AskKind, ev.Value, ev.More = jsonrpc.IDBody(&d.scratch, d.msg.ID), what, d.param(), d.scratch.More()
	if id, ok := d.known(rawjson.Body(d.msg.Params.ItemID)); ok {
		ev.Ref = id
	}
	return dst, ev
}

// approval decodes the question whether a call may run. Only some commands say which answers there are.
func (d *decoder) approval(dst []hub.Event) []hub.Event {
	dst, ev := d.ask(dst, hub.AskPermission)
	ev.Title = codexwire.OrElse(rawjson.Body(d.param("reason")), rawjson.Body(d.param("command")))
	list := d.param("availableDecisions")
	if rawjson.Kind(list) != '[' && d.param("permissions") == nil {
		list = rawjson.Value(`["accept","acceptForSession","decline","cancel"]`)
	}
	for v := range rawjson.Each(list) {
		ev.More.Options = append(ev.More.Options, decision(v))
	}
	if len(ev.Ref) > 0 && len(d.approvals) < maxApprovals {
		d.approvals = append(d.approvals, openApproval{id: bytes.Clone(ev.ID), call: bytes.Clone(ev.Ref)})
	}
	return dst
}

// openApproval is the question whether a call may run, until the call shows how it was answered.
type openApproval struct {
	id, call []byte
	resolved bool
}

// maxApprovals bounds those that are remembered. The answers to others are not known.
const maxApprovals = 256

// decided says how the approval of a call was answered, which only the end of its item shows: one that was not declined has run.
func (d *decoder) decided(dst []hub.Event, call []byte, status hub.Status) []hub.Event {
	for i := range d.approvals {
		a := &d.approvals[i]
		if !bytes.Equal(a.call, call) {
			continue
		}
		if a.resolved {
			var ev *hub.Event
			dst, ev = d.add(dst, hub.Event{Kind: hub.Answer, ID: d.scratch.Copy(a.id), Status: hub.StatusChosen, Name: []byte("accept")})
			if status == hub.StatusDenied {
				ev.Name = []byte("decline")
			}
		}
		d.approvals = slices.Delete(d.approvals, i, i+1)
		return dst
	}
	return dst
}

// decisions are the answers to an approval.
var decisions = []hub.AskOption{
	{ID: []byte("accept"), Name: []byte("Allow"), Kind: []byte("allow_once")},
	{ID: []byte("acceptForSession"), Name: []byte("Allow for this session"), Kind: []byte("allow_always")},
	{ID: []byte("acceptWithExecpolicyAmendment"), Name: []byte("Allow this and similar commands"), Kind: []byte("allow_always")},
	{ID: []byte("applyNetworkPolicyAmendment"), Name: []byte("Apply to this host from now on"), Kind: []byte("allow_always")},
	{ID: []byte("decline"), Name: []byte("Decline"), Kind: []byte("reject_once")},
	{ID: []byte("cancel"), Name: []byte("Decline and stop"), Kind: []byte("reject_once")},
}

// decision is an answer: a word, or an object whose only member is one. What stands in the object is in the value of the ask.
func decision(v rawjson.Value) hub.AskOption {
	word, ok := rawjson.Str(v)
	if !ok {
		it := rawjson.Fields(v)
		word, _, _ = it.Next()
	}
	for _, o := range decisions {
		if bytes.Equal(o.ID, word) {
			return o
		}
	}
	return hub.AskOption{ID: word, Name: word}
}

// userInput decodes questions of the agent. One with answers to choose from is a choice.
func (d *decoder) userInput(dst []hub.Event) []hub.Event {
	dst, ev := d.ask(dst, hub.AskInput)
	it := rawjson.Elems(d.param("questions"))
	first, _ := it.Next()
	ev.Title = codexwire.OrElse(rawjson.Body(rawjson.Get(first, "question")), rawjson.Body(rawjson.Get(first, "header")))
	for next, more := it.Next(); more; next, more = it.Next() {
		ev.Title = d.scratch.Since(append(append(append(d.scratch.Begin(), ev.Title...), `\n`...), rawjson.Body(rawjson.Get(next, "question"))...))
		first = nil
	}
	for option := range rawjson.Each(rawjson.Get(first, "options")) {
		label := rawjson.Body(rawjson.Get(option, "label"))
		ev.AskKind, ev.More.Options = hub.AskQuestion, append(ev.More.Options, hub.AskOption{ID: label, Name: label})
	}
	return dst
}

// elicitation decodes the question of an MCP server: a form, or a page to visit.
func (d *decoder) elicitation(dst []hub.Event) []hub.Event {
	dst, ev := d.ask(dst, hub.AskInput)
	ev.Title = codexwire.OrElse(rawjson.Body(d.param("message")), rawjson.Body(d.param("title")))
	if d.param("url") != nil {
		ev.AskKind = hub.AskAuth
	}
	if schema := d.param("requestedSchema"); rawjson.Kind(schema) == '{' {
		ev.More.Schema = schema
	}
	return dst
}

// resolved decodes that a request needs no answer any more: the client has given one, or the turn was interrupted. It does not
// say which. The end of the call shows how an approval was answered.
func (d *decoder) resolved(dst []hub.Event) []hub.Event {
	id := jsonrpc.IDBody(&d.scratch, d.param("requestId"))
	for i := range d.approvals {
		if a := &d.approvals[i]; bytes.Equal(a.id, id) {
			a.resolved = true
			return dst
		}
	}
	return d.put(dst, hub.Event{Kind: hub.Answer, ID: id, Status: hub.StatusUnresolved})
}
