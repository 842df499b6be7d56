package proxy

import (
	"github.com/sabir-proxy/sabir/adapters/redact"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// newRedaction makes ready what must not leave on a route; nil for nothing.
func newRedaction(cfg *config.Redact) (*redact.Rules, error) {
	if cfg.IsZero() {
		return nil, nil
	}
	var own []redact.Pattern
	for i := range cfg.Patterns {
		p := &cfg.Patterns[i]
		own = append(own, redact.Pattern{Name: p.Name, Expr: p.Regexp, Max: p.Max, Tools: p.Tools, Block: cfg.Blocks(p)})
	}
	return redact.New(cfg.Builtin, cfg.Action == "block", own)
}

// countRedactions brings the metrics up to date. Matches are rare.
func (r *route) countRedactions(s *engine.Stats) {
	for name, n := range s.Redacted {
		r.metrics.all.redactions.WithLabelValues(r.name, name, r.redactAction(name)).Add(float64(n))
		delete(s.Redacted, name)
	}
}

// masked is a text of the upstream's, the body of a JSON string, as it may leave.
func (r *route) masked(text []byte) []byte {
	if r.redact == nil {
		return text
	}
	s := engine.Stats{}
	masked := redact.Body(r.redact, text, s.CountRedaction)
	r.countRedactions(&s)
	return masked
}

// redactAction is what becomes of the matches of a pattern.
func (r *route) redactAction(name string) string {
	for i := range r.cfg.Redact.Patterns {
		if p := &r.cfg.Redact.Patterns[i]; p.Name == name && r.cfg.Redact.Blocks(p) {
			return "block"
		} else if p.Name == name {
			return "mask"
		}
	}
	return r.cfg.Redact.Action
}
