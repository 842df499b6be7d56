package proxy

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// otherCode stands in the log for a code of an agent that could be anything.
const otherCode = "[unknown]"

// longestCode is how much of a code the log has, in bytes.
const longestCode = 64

// codeShape is that of codes which the log may always have: words, and short numbers behind them. A key or an id has digits among its letters.
var codeShape = regexp.MustCompile(`^-?(?:[A-Za-z]{1,32}[0-9]{0,5}|[0-9]{1,5})(?:[_.-][A-Za-z]{1,32}[0-9]{0,3})*$`)

// noteCode notes the code by which the agent says why it failed. The text beside it is in the log only if the configuration says so, and
// so is a code that may be such a text.
func (x *stream) noteCode(code string) {
	code = strings.ToValidUTF8(plainText(x.call.route.masked(jsonBody(code))), "\uFFFD")
	if len(code) > longestCode || !codeShape.MatchString(code) {
		if !x.call.route.global.Log.UpstreamErrors && code != "" {
			code = otherCode
		}
		code = strings.ToValidUTF8(code[:min(len(code), longestCode)], "")
	}
	x.agentCode = code
}

// noteExposed notes the code of a run that failed where clients get it, too.
func (x *stream) noteExposed(ev *hub.Event) {
	if x.conceal.Note == nil && ev.Status == hub.StatusFailed && !ev.Flags.Has(hub.Synthetic) {
		x.noteCode(plainText(ev.Rare().ErrCode))
	}
}

// noteEnd notes what an agent says of a run that failed, where clients do not.
func (x *stream) noteEnd(ev *hub.Event) {
	x.noteCode(plainText(ev.Rare().ErrCode))
	if x.call.route.global.Log.UpstreamErrors {
		why := x.call.route.masked(hub.Why(ev))
		x.agentError = strings.ToValidUTF8(string(why[:min(len(why), maxAgentError)]), "\uFFFD")
	}
}

// refusalCodes are the members of the body of a refusal that hold a code, the most telling one first. A number is mostly the status again.
var refusalCodes = []string{"code", "type", "status"}

// codeOfRefusal is the code in the body of an answer that is no success, "" for none: model APIs and most frameworks have an object with it, or
// one around that.
func codeOfRefusal(body string) string {
	var list []json.RawMessage
	if json.Unmarshal([]byte(body), &list) == nil && len(list) > 0 {
		body = string(list[0])
	}
	var outer map[string]json.RawMessage
	if json.Unmarshal([]byte(body), &outer) != nil {
		return ""
	}
	for _, name := range []string{"error", "detail"} {
		var inner map[string]json.RawMessage
		if json.Unmarshal(outer[name], &inner) == nil {
			if code := codeIn(inner); code != "" {
				return code
			}
		}
	}
	return codeIn(outer)
}

// codeIn is the code in an object: text, or else a number.
func codeIn(object map[string]json.RawMessage) string {
	for _, name := range refusalCodes {
		var text string
		if json.Unmarshal(object[name], &text) == nil && text != "" {
			return text
		}
	}
	var number json.Number
	_ = json.Unmarshal(object["code"], &number)
	return number.String()
}
