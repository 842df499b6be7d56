package replay

import (
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
)

// question is what tells requests apart: what the user has said, in the conversation and last, and the answers to calls and questions.
type question struct{ all, last string }

func (q question) known() bool { return q.last != "" }

// questionIn is that of a request that the proxy has written.
func questionIn(body []byte) question { return questionOf(&native.Dialect, body) }

// questionOf is that of a request of a client; nothing, if it cannot be read.
func questionOf(d *hub.Dialect, body []byte) (q question) {
	asked := &hub.Request{Header: func(string) string { return "" }}
	if d.Requests == nil || d.Requests.DecodeRequest(asked, body) != nil {
		return q
	}
	var said []string
	for i := range asked.Messages {
		m := &asked.Messages[i]
		for k := range m.Parts {
			if text := partSaid(m.Role, &m.Parts[k]); text != "" {
				said = append(said, text)
			}
		}
	}
	for i := range asked.Answers {
		a := &asked.Answers[i]
		said = append(said, "answer "+string(a.Payload)+map[bool]string{true: "yes", false: "no"}[a.Approved])
	}
	if len(said) == 0 {
		return q
	}
	return question{all: strings.Join(said, "\x00"), last: said[len(said)-1]}
}

// partSaid is what a part of a message says that the agent did not.
func partSaid(role hub.Role, p *hub.Part) string {
	switch {
	case role == hub.RoleUser && p.Kind == hub.PartText:
		return string(p.Text)
	case p.Result != nil:
		return "result " + string(p.Result.Text) + string(p.Result.Value)
	}
	return ""
}
