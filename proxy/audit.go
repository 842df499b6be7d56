package proxy

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"
	"unicode/utf8"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/auditlog"
	"github.com/sabir-proxy/sabir/proxy/printable"
)

// newAudit opens the audit of a configuration; nil for none.
func newAudit(cfg *config.Audit, log *zap.Logger, m *metrics) (*auditlog.Log, error) {
	if cfg == nil {
		return nil, nil
	}
	l, err := auditlog.Open(auditlog.Config{
		Path: cfg.Path, Chain: cfg.Chain, Queue: cfg.Queue,
		Count: func(result string, lines int) { m.auditLines.WithLabelValues(result).Add(float64(lines)) },
		Report: func(err error) {
			log.Error("the audit cannot be written; lines are lost until it can, and the next one says how many", zap.Error(err))
		},
	})
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	fromZero(m.auditLines, "ok", "failed", "dropped")
	return l, nil
}

// auditLine is what is kept of a run.
type auditLine struct {
	Time       time.Time     `json:"time"`
	Principal  string        `json:"principal,omitempty"`
	Peer       string        `json:"peer"`
	Route      string        `json:"route"`
	Upstream   string        `json:"upstream"`
	From       string        `json:"from"`
	To         string        `json:"to"`
	RequestID  string        `json:"request_id"`
	Thread     string        `json:"thread,omitempty"`
	Run        string        `json:"run,omitempty"`
	Model      string        `json:"model,omitempty"`
	Tools      []string      `json:"tools,omitempty"`
	MoreTools  int           `json:"more_tools,omitempty"`
	Asks       []string      `json:"asks,omitempty"`
	Answers    []auditAnswer `json:"answers,omitempty"`
	Copied     bool          `json:"copied,omitempty"` // what it called and asked is not known
	Redactions int64         `json:"redactions,omitempty"`
	TokensIn   *int64        `json:"tokens_in,omitempty"`
	TokensOut  *int64        `json:"tokens_out,omitempty"`
	Ending     string        `json:"ending"`
	Millis     int64         `json:"duration_ms"`
}

// auditAnswer is how a question was answered, by the request or while the run went on.
type auditAnswer struct {
	Ask    string `json:"ask,omitempty"`
	Call   string `json:"call,omitempty"`
	Answer string `json:"answer"`
}

// longestShown bounds a name in the audit and in traces, in bytes. Clients and agents choose them: lines and spans wait in memory, and a line
// that is longer than what is read of the end of the file would break the chain.
const longestShown = 100

// shownName is the text of a string body, cut where it is long.
func shownName(body []byte) string {
	name := plainText(body)
	if len(name) <= longestShown {
		return name
	}
	end := longestShown
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return fmt.Sprintf("%s… (%d bytes)", name[:end], len(name))
}

// maxAudited bounds the calls, questions and answers in a line, each.
const maxAudited = 256

// begin notes what the request says.
func (a *auditLine) begin(asked *hub.Request) {
	if asked == nil {
		return
	}
	a.Thread, a.Run, a.Model = shownName(asked.Thread), shownName(asked.Run), shownName(asked.Model)
	a.decided(asked.Answers)
}

// decided notes answers of the client.
func (a *auditLine) decided(answers []hub.Decision) {
	for i := range answers[:min(len(answers), maxAudited-len(a.Answers))] {
		d := &answers[i]
		a.Answers = append(a.Answers, auditAnswer{Ask: shownName(d.Ask), Call: shownName(d.Call), Answer: decisionWord(d)})
	}
}

// noteAnswers notes how questions were answered while the run went on, whether by the client or in its place. The agent does not say it.
func (x *stream) noteAnswers(answers []hub.Decision) {
	for i := range answers {
		x.answered = append(x.answered, string(answers[i].Ask))
		if x.span != nil {
			x.span.answered(answers[i].Ask, decisionWord(&answers[i]))
		}
	}
	if x.audit != nil {
		x.audit.decided(answers)
	}
}

// isNoted reports whether an event says of a question that it has an answer which is noted already.
func (x *stream) isNoted(ev *hub.Event) bool {
	return ev.Kind == hub.Answer && slices.Contains(x.answered, string(ev.ID))
}

// decisionWord is how a client has decided.
func decisionWord(d *hub.Decision) string {
	switch {
	case d.Cancelled:
		return "cancelled"
	case d.Decided && d.Approved:
		return "approved"
	case d.Decided:
		return "denied"
	}
	return "answered"
}

// see notes the rare events that the line shows.
func (a *auditLine) see(ev *hub.Event) {
	switch ev.Kind {
	case hub.RunStart:
		if a.Thread == "" {
			a.Thread = shownName(ev.Ref)
		}
		if a.Run == "" {
			a.Run = shownName(ev.ID)
		}
	case hub.ToolStart:
		if len(a.Tools) < maxAudited {
			a.Tools = append(a.Tools, shownName(ev.Name))
		} else {
			a.MoreTools++
		}
	case hub.Ask:
		if len(a.Asks) < maxAudited {
			a.Asks = append(a.Asks, shownName(ev.ID))
		}
	case hub.Answer:
		if len(a.Answers) < maxAudited {
			a.Answers = append(a.Answers, auditAnswer{Ask: shownName(ev.ID), Answer: answerWord(ev)})
		}
	}
}

// answerWord is how a question was answered while the run went on: the option, or what became of it.
func answerWord(ev *hub.Event) string {
	if len(ev.Name) > 0 {
		return shownName(ev.Name)
	}
	return ev.Status.String()
}

// beginAudit begins the line of a run.
func (x *stream) beginAudit() {
	if x.server.audit != nil {
		x.audit = new(auditLine)
		x.audit.begin(x.call.asked)
	}
}

// endAudit writes the line of a run.
func (x *stream) endAudit(ending string, took time.Duration) {
	a, c := x.audit, x.call
	if a == nil {
		return
	}
	a.Time, a.Principal, a.Peer, a.RequestID = x.begun.UTC(), c.principal(), c.peer, c.id
	a.Route, a.Upstream, a.From, a.To = c.route.cfg.Path, c.route.up.Cfg.Name, c.route.source.Name, c.target.dialect.Name
	a.Ending, a.Millis, a.Redactions, a.Copied = ending, took.Milliseconds(), x.stats.Redactions(), x.stats.Copied > 0
	tokens := x.stats.Usage.Sum()
	if tokens.In >= 0 {
		a.TokensIn = &tokens.In
	}
	if tokens.Out >= 0 {
		a.TokensOut = &tokens.Out
	}
	line, _ := json.Marshal(a) // it has nothing that JSON has no form for
	x.server.audit.Write(printable.Escape(line))
}

// AuditVerified is what the chain of an audit proves.
type AuditVerified = auditlog.Verified

// VerifyAudit reads a chained audit. The error names the first line that was changed, removed or moved.
func VerifyAudit(r io.Reader) (AuditVerified, error) { return auditlog.Verify(r) }

// ChainAudit chains lines as an audit does.
func ChainAudit(lines []string) []string { return auditlog.Chain(lines) }
