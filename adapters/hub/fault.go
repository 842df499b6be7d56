package hub

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Failed reports whether a tool or an agent has come to a bad end: one that says so, or an unknown one, with a reason.
func Failed(ev *Event) bool {
	switch ev.Status {
	case StatusError, StatusDenied, StatusAborted:
		return true
	case StatusUnknown:
		return len(Why(ev)) > 0
	}
	return false
}

// Why is why a tool, an agent or a run ended as it did, a string body; nil if unknown.
func Why(ev *Event) []byte { return ev.Rare().Err }

// AppendFault appends what a failed tool has to say, the body of a string: why it failed, and behind that its result, unless
// one of them says the other. It is for dialects that have one place for both; nothing is appended if there is neither.
func AppendFault(dst []byte, ev *Event) []byte {
	reason, result := Why(ev), ev.Text
	if body, ok := rawjson.Str(ev.Value); ok && len(result) == 0 {
		result = body
	} else if len(result) == 0 && ev.Value != nil {
		result = rawjson.AppendEscaped(nil, ev.Value)
	}
	switch {
	case bytes.Contains(result, reason):
		return append(dst, result...)
	case bytes.Contains(reason, result):
		return append(dst, reason...)
	}
	return append(append(append(dst, reason...), `\n\n`...), result...)
}
