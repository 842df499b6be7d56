package conform

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// faultRules are the rules that a record breaks which cannot be read, wholly or in part.
var faultRules = map[hub.Reason]hub.Rule{
	hub.ReasonSyntax: hub.RuleJSON, hub.ReasonUTF8: hub.RuleJSON,
	hub.ReasonDepth: hub.RuleSize, hub.ReasonTooLarge: hub.RuleSize,
	hub.ReasonFraming: hub.RuleFraming, hub.ReasonCut: hub.RuleWhole,
	hub.ReasonType: hub.RuleType, hub.ReasonMissing: hub.RuleMember, hub.ReasonUnknown: hub.RuleKnown,
}

// repairRules are the rules that a stream breaks which has to be repaired. What is missing breaks none: a text that is said again, or
// is longer when it is, and what was held back or cut by a bound of Sabir's own.
var repairRules = map[sequencer.Repair]hub.Rule{
	sequencer.TextDiverged:     hub.RuleSame,
	sequencer.Held:             hub.RuleOrder,
	sequencer.StartMade:        hub.RuleStarted,
	sequencer.StartRepeated:    hub.RuleUniqueID,
	sequencer.ReadyMade:        hub.RuleReady,
	sequencer.LateArgs:         hub.RuleNotEnded,
	sequencer.LateUpdate:       hub.RuleNotEnded,
	sequencer.LateOutput:       hub.RuleNotEnded,
	sequencer.LateAsk:          hub.RuleNotEnded,
	sequencer.ArgsDiffer:       hub.RuleSame,
	sequencer.EndRepeated:      hub.RuleNotEnded,
	sequencer.SubAgentMade:     hub.RuleStarted,
	sequencer.SubAgentReopened: hub.RuleUniqueID,
	sequencer.SecondEnd:        hub.RuleOneEnd,
	sequencer.SecondStart:      hub.RuleOneStart,
	sequencer.AfterEnd:         hub.RuleNothingAfter,
	sequencer.TruncatedRun:     hub.RuleEnd,
	sequencer.Stray:            hub.RuleStarted,
	sequencer.ResumedUnknown:   hub.RuleStarted, // only where the request is known
}

// order reports what the sequencer has repaired and made up for the record at work.
func (c *Checker) order() {
	for r, n := range c.seq.Repairs {
		repair := sequencer.Repair(r)
		rule, ok := repairRules[repair]
		if ok && n > c.before[r] && (repair != sequencer.ResumedUnknown || c.asked) {
			c.report(rule, "", repair.String())
		}
	}
	c.before = c.seq.Repairs
	end := endOf(c.strict)
	c.well = c.well || end == hub.StatusDone
	for i := range c.strict {
		c.made(&c.strict[i], end)
	}
}

// endOf is the status of the end of the run among events, none if it is not there.
func endOf(events []hub.Event) hub.Status {
	if n := len(events); n > 0 && events[n-1].Kind == hub.RunEnd {
		return events[n-1].Status
	}
	return hub.StatusNone
}

// made reports an event that the sequencer has made up, or could not make valid.
func (c *Checker) made(ev *hub.Event, end hub.Status) {
	switch {
	case ev.Kind == hub.ToolReady && ev.Flags.Has(hub.Invalid):
		c.report(hub.RuleArguments, "", "")
	case !ev.Flags.Has(hub.Synthetic) || c.said(ev.Kind):
	case ev.Kind == hub.RunStart && end != hub.StatusTruncated && end != hub.StatusFailed:
		c.report(hub.RuleStart, "", "")
	case !whole(end):
	case ev.Kind == hub.ToolEnd && ev.Status == hub.StatusClient: // the client runs it
	case ev.Kind == hub.ToolEnd:
		c.report(hub.RuleResult, "", "")
	case ev.Kind == hub.StepEnd, ev.Kind == hub.AgentEnd:
		c.report(hub.RuleClosed, "", ev.Kind.String())
	}
}

// whole reports whether a run with that end has said all that it had to. One that failed, was cancelled or waits need not.
func whole(end hub.Status) bool { return end >= hub.StatusDone && end <= hub.StatusTools }

// said reports whether the record at work itself says of an event of this kind that it is made up, as native can.
func (c *Checker) said(k hub.Kind) bool {
	return slices.ContainsFunc(c.loose, func(ev hub.Event) bool { return ev.Kind == k && ev.Flags.Has(hub.Synthetic) })
}

// form reports what is wrong with a record whatever it says: its name, its number, its place behind the end mark.
func (c *Checker) form(rec wire.Record) {
	g := &c.cfg.Dialect.Grammar
	if c.marked {
		c.report(hub.RuleEndMark, "", "a record behind it")
	}
	if g.EndMark != "" && string(rec.Data) == g.EndMark {
		c.marked = true
		return
	}
	c.named = c.named || len(rec.Event) > 0
	if g.EventName != "" && c.named && string(rec.Event) != string(rawjson.Text(rec.Data, g.EventName)) {
		c.report(hub.RuleEventName, g.EventName, "")
	}
	if g.Counter != "" {
		c.number(rec, g.Counter)
	}
}

// number compares the number of a record with that before.
func (c *Checker) number(rec wire.Record, member string) {
	n, ok := rawjson.Int(rawjson.Get(rec.Data, member))
	if !ok {
		return
	}
	if c.numbers && n != c.counted+1 {
		c.report(hub.RuleCounter, member, "")
	}
	c.numbers, c.counted = true, n
}
