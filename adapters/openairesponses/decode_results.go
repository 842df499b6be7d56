package openairesponses

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// output reads what came of a call: a text, or parts. It has no mark for errors.
func (r *inputReader) output(v *inputItem) hub.CallResult {
	res := conversation.ReadResult(v.Get("output"), &r.scratch, func(v rawjson.Value) hub.Part {
		o := rawjson.ReadObject(v)
		return decodePart(v, &o)
	})
	res.ID = v.Text("id")
	return res
}

// question is the approval of a call that the history has asked for.
type question struct {
	*hub.Approval
	call []byte
}

// mcpCall reads a call that a server has run. It is the result of a call before, if it names the question about that.
func (r *inputReader) mcpCall(v *inputItem) {
	args, res := v.Text("arguments"), r.mcpResult(v)
	if asked := v.Text("approval_request_id"); r.asked[string(asked)] != nil && res != nil {
		if p := r.Call(r.asked[string(asked)].call); p != nil {
			p.Result, r.speaking = res, false
			return
		}
	}
	r.agent(v, hub.Part{Kind: hub.PartCall, Name: v.Text("name"), Text: args, Value: conversation.Args(args), Result: res})
}

// mcpResult is what came of a call that a server has run; nil: nothing yet.
func (r *inputReader) mcpResult(v *inputItem) *hub.CallResult {
	fault, failed := rawjson.NotNull(v.Get("error")), string(v.Text("status")) == "failed"
	text, ok := rawjson.Str(v.Get("output"))
	switch {
	case fault != nil || failed:
		return &hub.CallResult{Status: hub.StatusError, ID: v.Text("id"), Text: text, Err: r.faultText(fault)}
	case ok:
		return &hub.CallResult{Status: hub.StatusOK, ID: v.Text("id"), Text: text}
	}
	return nil
}

// faultText is what an error says: a text, a message, or parts of text.
func (r *inputReader) faultText(v rawjson.Value) []byte {
	texts, _ := toolresult.JoinTexts(rawjson.Get(v, "content"), &r.scratch)
	return rawjson.First(rawjson.Body(v), rawjson.Text(v, "message"), rawjson.Text(v, "content"), texts)
}

// approvalRequest reads the question whether a call may run: the call itself, unless the item before was it.
func (r *inputReader) approvalRequest(v *inputItem) {
	args, id := v.Text("arguments"), v.Text("id")
	ask, call := &hub.Approval{ID: bytes.TrimPrefix(id, []byte(prefixApproval))}, id
	if p := r.openCall(v.Text("name"), args); p != nil {
		p.Approval, p.Meta, call = ask, hub.Meta{Dialect: name, Raw: v.raw}, p.ID
	} else {
		r.agent(v, hub.Part{Kind: hub.PartCall, Name: v.Text("name"), Text: args, Value: conversation.Args(args), Approval: ask})
	}
	if r.asked == nil {
		r.asked = map[string]*question{}
	}
	r.asked[string(id)] = &question{ask, call}
}

// mostAsking bounds how far the call is looked for that a question is about.
const mostAsking = 64

// openCall returns a call that the agent has just made, with that tool and those arguments, and with neither a result nor a
// question.
func (r *inputReader) openCall(tool, args []byte) *hub.Part {
	if !r.speaking {
		return nil
	}
	parts := r.Messages[len(r.Messages)-1].Parts
	for i := max(len(parts)-mostAsking, 0); i < len(parts); i++ {
		p := &parts[i]
		if p.Kind == hub.PartCall && p.Result == nil && p.Approval == nil && bytes.Equal(p.Name, tool) && bytes.Equal(p.Text, args) {
			return p
		}
	}
	return nil
}

// approvalResponse reads the answer to a question. Agents of other dialects know it without the prefix that it got here, so it
// is kept as it came, too.
func (r *inputReader) approvalResponse(v *inputItem) {
	r.speaking = false
	id := v.Text("approval_request_id")
	approved, decided := rawjson.Bool(v.Get("approve"))
	if ask := r.asked[string(id)]; ask != nil {
		ask.Decided, ask.Approved, ask.Reason = decided, approved, v.Text("reason")
		return
	}
	r.answers = append(r.answers, hub.Decision{
		Ask: bytes.TrimPrefix(id, []byte(prefixApproval)), Decided: decided, Approved: approved, Reason: v.Text("reason"), Payload: v.raw,
	})
}
