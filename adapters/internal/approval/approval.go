// Package approval is for dialects that know one question, whether a call may run, and two answers, yes and no, without words
// for them.
package approval

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Ids of the two answers.
const (
	Approve = "approve"
	Deny    = "deny"
)

// AppendOptions appends the two answers.
func AppendOptions(dst []hub.AskOption) []hub.AskOption {
	return append(dst,
		hub.AskOption{ID: []byte(Approve), Name: []byte("Approve"), Kind: []byte("allow_once")},
		hub.AskOption{ID: []byte(Deny), Name: []byte("Deny"), Kind: []byte("reject_once")})
}

// Option is the id of an answer.
func Option(approved bool) []byte {
	if approved {
		return []byte(Approve)
	}
	return []byte(Deny)
}

// Allowing lists the options of an Ask that say yes.
func Allowing(ev *hub.Event) (ids [][]byte) {
	for _, o := range ev.Rare().Options {
		if bytes.HasPrefix(o.Kind, []byte("allow")) {
			ids = append(ids, bytes.Clone(o.ID))
		}
	}
	return ids
}

// Approves reports whether an Answer says yes, to an Ask with these options; with none of them, any choice but a no does.
func Approves(allow [][]byte, ev *hub.Event) bool {
	if ev.Status != hub.StatusChosen {
		return false
	}
	if slices.ContainsFunc(allow, func(id []byte) bool { return bytes.Equal(id, ev.Name) }) {
		return true
	}
	yes, emitted := rawjson.Bool(ev.Value)
	return len(allow) == 0 && (yes || !emitted)
}
