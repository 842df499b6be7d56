package conform

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// maxParts bounds the parts that are followed at a time. A stream with more has these two rules no longer.
const maxParts = 512

// parts follows which parts of texts records have begun and ended. The sequencer tells more: it ends a part where another begins.
func (c *Checker) parts() {
	for i := range c.loose {
		switch ev := &c.loose[i]; {
		case ev.Kind == hub.RunEnd:
			if len(c.open) > 0 && whole(ev.Status) {
				c.report(hub.RulePartClosed, "", "")
			}
		case ev.Chan != hub.AnswerText: // not in all versions of all dialects
		case ev.Kind == hub.TextStart:
			c.opened(partOf(ev))
		case ev.Kind == hub.TextEnd:
			delete(c.open, partOf(ev))
		case ev.Kind == hub.TextDelta:
			if c.open != nil && !c.open[partOf(ev)] {
				c.opened(partOf(ev)) // once is enough
				c.report(hub.RulePartStarted, "", "")
			}
		}
	}
}

func (c *Checker) opened(part string) {
	switch {
	case len(c.open) == maxParts:
		c.open = nil
	case c.open != nil:
		c.open[part] = true
	}
}

func partOf(ev *hub.Event) string {
	return string(ev.SubAgent) + "\x00" + string(ev.ID)
}
