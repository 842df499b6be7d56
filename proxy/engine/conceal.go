package engine

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// Concealer puts texts of Sabir's own in the place of what an agent says of its faults, for routes that do not expose it:
// such texts are written for operators, and name hosts, files and keys. What an agent says to its user stays: answers,
// results of tools, and why it refuses.
type Concealer struct {
	RequestID string
	Note      func(end *hub.Event) // is called with the end of a run that the agent says has failed, as it says it; nil for nothing
}

// Event changes a normalized event so that nothing of a fault is left but that there was one, and its code if that is a known
// one. It reports whether there was something to change. What the event points to stays as it is.
func (c Concealer) Event(ev *hub.Event) bool {
	switch {
	case ev.Kind == hub.RunEnd:
		return c.runEnd(ev)
	case ev.Kind == hub.AgentEnd && len(hub.Why(ev)) > 0:
		ev.More = c.fault(ev.More, hub.CodeAgent)
		if hub.Failed(ev) {
			ev.Text, ev.Value = nil, nil // often the same words
		}
		return true
	case ev.Kind == hub.Notice && (ev.Level == hub.LevelWarning || ev.Level == hub.LevelError) && len(ev.Text) > 0:
		ev.Text, ev.Value, ev.Title, ev.More = c.text(problemText), nil, nil, nil
		ev.Name = knownCode(ev.Name)
		return true
	}
	return false
}

// problemText stands for a warning or an error that does not end the run.
const problemText = "The agent reported a problem."

func (c Concealer) runEnd(ev *hub.Event) bool {
	switch ev.Status {
	case hub.StatusRefused, hub.StatusFiltered:
		return false
	case hub.StatusFailed, hub.StatusTruncated:
		if ours(ev) {
			return false
		}
		if c.Note != nil {
			c.Note(ev)
		}
		ev.More, ev.Value, ev.Text, ev.Title = c.fault(ev.More, hub.CodeAgent), nil, nil, nil
	default:
		odd := ev.Status != hub.StatusDone && len(ev.Name) > 0 && !plainReason.Match(ev.Name)
		if len(hub.Why(ev)) == 0 && !odd {
			return false
		}
		ev.More = withoutFault(ev.More)
	}
	if !plainReason.Match(ev.Name) {
		ev.Name = nil
	}
	return true
}

// end is the end of a run of which only the status may be known.
func (c Concealer) end(s hub.Status) *hub.Event {
	ev := &hub.Event{Kind: hub.RunEnd, Status: s}
	if s == hub.StatusFailed {
		ev.More = c.fault(nil, hub.CodeAgent)
	}
	return ev
}

// withoutFault is what an event says beside a fault.
func withoutFault(said *hub.More) *hub.More {
	if said == nil {
		return nil
	}
	more := *said
	more.Err, more.ErrCode, more.Meta = nil, knownCode(more.ErrCode), nil
	return &more
}

// ours reports whether the end of a run says what Sabir itself says, or nothing.
func ours(ev *hub.Event) bool {
	if ev.More == nil {
		return len(ev.Name) == 0 && ev.Value == nil
	}
	f := hub.Fail(hub.Code(ev.More.ErrCode), nil)
	return len(f.Text()) > 0 && string(ev.More.Err) == f.Text() && ev.Flags.Has(hub.Synthetic)
}

// fault is what is left of what an event says beside its own members.
func (c Concealer) fault(said *hub.More, code hub.Code) *hub.More {
	more := &hub.More{ErrCode: []byte(code), Err: c.text(hub.Fail(code, nil).Text())}
	if said != nil {
		more.Time, more.Model = said.Time, said.Model
		if known := knownCode(said.ErrCode); known != nil {
			more.ErrCode = known
		}
	}
	return more
}

// text is a text for the client, the body of a JSON string, by which operators find what it stands for.
func (c Concealer) text(s string) []byte {
	quoted, _ := json.Marshal(s + " Request ID: " + c.RequestID) // never fails
	return quoted[1 : len(quoted)-1]
}

// plainReason matches native reasons for an end: single words.
var plainReason = regexp.MustCompile(`^[A-Za-z_-]{1,32}$`)

// number matches HTTP statuses and codes of JSON-RPC.
var number = regexp.MustCompile(`^-?[0-9]{1,5}$`)

// knownCode returns a code of an agent, the body of a JSON string, if it is one that model APIs and protocols have in
// common: those are what clients decide by. Anything else may be a text like any other; nil stands for that.
func knownCode(code []byte) []byte {
	lower := bytes.ToLower(code)
	if number.Match(code) || knownCodes[string(lower)] {
		return code
	}
	return nil
}

// knownCodes are those of OpenAI and Anthropic, of gRPC, which Gemini uses, and Sabir's own.
var knownCodes = func() map[string]bool {
	m := map[string]bool{}
	for code := range strings.FieldsSeq(`
		api_error authentication_error billing_error invalid_request_error not_found_error overloaded_error permission_error
		rate_limit_error request_too_large timeout_error
		content_filter content_policy_violation context_length_exceeded insufficient_quota invalid_api_key invalid_prompt
		max_tokens model_not_found rate_limit_exceeded server_error server_overloaded service_unavailable tokens unsupported_model
		aborted already_exists cancelled canceled data_loss deadline_exceeded failed_precondition internal invalid_argument
		not_found out_of_range permission_denied resource_exhausted unauthenticated unavailable unimplemented unknown
		error failed rate_limit timeout overloaded unauthorized forbidden auth_error authentication quota quota_exceeded
		internal_error internal_server_error bad_request max_turns max_iterations`) {
		m[code] = true
	}
	for _, code := range hub.Codes() {
		m[string(code)] = true
	}
	return m
}()
