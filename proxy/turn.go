package proxy

import (
	"slices"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// turn is what the log and the metrics say of a request whose conversation was read.
type turn struct {
	news     string // what is new in it; "" if nothing was read
	messages int
}

func (t *turn) fields() []zap.Field {
	if t.news == "" {
		return nil
	}
	return []zap.Field{zap.String("new", t.news), zap.Int("messages", t.messages)}
}

// turnOf finds out what is new in a conversation.
func turnOf(req *hub.Request) turn {
	n := len(req.Messages)
	if n == 0 {
		return turn{}
	}
	t := turn{news: "other", messages: n}
	last := &req.Messages[n-1]
	for i := n - 1; i > 0 && last.Role == hub.RoleSystem; i-- {
		last = &req.Messages[i-1]
	}
	switch {
	case req.Trigger == hub.TriggerRegenerate:
		t.news = "regenerate"
	case len(req.Answers) > 0 || slices.ContainsFunc(last.Parts, isAnswer):
		t.news = "answers"
	case last.Role == hub.RoleUser:
		t.news = "message"
	case slices.ContainsFunc(last.Parts, hasResult):
		t.news = "results"
	}
	return t
}

// isAnswer reports whether the client has answered a question that still waits for it.
func isAnswer(p hub.Part) bool { return p.Approval != nil && p.Approval.Decided && p.Result == nil }

func hasResult(p hub.Part) bool { return p.Kind == hub.PartCall && p.Result != nil }

// otherModel is the label of models that the configuration does not name: clients could make any number of them.
const otherModel = "other"

// modelLabel is the model of a request as a label.
func (r *route) modelLabel(asked *hub.Request) string {
	if asked == nil || r.cfg.Requests.Model == "" && len(r.cfg.Agent.Models) == 0 {
		return otherModel
	}
	name := plainText(asked.Model)
	if name != "" && (name == r.cfg.Requests.Model || slices.Contains(r.cfg.Agent.Models, name)) {
		return name
	}
	return otherModel
}
