package hub

import (
	"bytes"
	"slices"
	"time"
)

// FilterConfig says what a [FilterStage] takes away.
type FilterConfig struct {
	Classes []Class  // all events of these
	Tools   []string // calls of tools of these names; a name may end in *
	Data    []string // data events of these names; a name may end in *
	Count   func(Kind, Fate)
}

// FilterStage takes events away that clients must not or need not see. What it takes is counted as dropped.
type FilterStage struct {
	cfg    FilterConfig
	hidden [][]byte // ids of open calls that are filtered
	parts  [][]byte // ids of open parts that are filtered
}

// NewFilterStage makes a stage; Count may be nil.
func NewFilterStage(cfg FilterConfig) *FilterStage {
	if cfg.Count == nil {
		cfg.Count = func(Kind, Fate) {}
	}
	return &FilterStage{cfg: cfg}
}

// Reset implements [Stage].
func (f *FilterStage) Reset() { f.hidden, f.parts = f.hidden[:0], f.parts[:0] }

// Flush implements [Stage].
func (f *FilterStage) Flush(dst []Event, _ error) []Event { return dst }

// Push implements [Stage].
func (f *FilterStage) Push(dst, in []Event, _ time.Duration) []Event {
	for i := range in {
		ev := &in[i]
		if f.takes(ev) {
			f.cfg.Count(ev.Kind, Dropped)
			continue
		}
		dst = append(dst, *ev)
		if ev.Kind == Ask && contains(f.hidden, ev.Ref) {
			dst[len(dst)-1].Ref = nil // the user must answer, whether or not the call is shown
		}
	}
	return dst
}

func (f *FilterStage) takes(ev *Event) bool {
	switch ev.Kind {
	case TextStart, TextDelta, TextEnd:
		return f.takesText(ev)
	case ToolStart, ToolArgs, ToolReady, ToolUpdate, ToolOutput, ToolEnd:
		return f.takesTool(ev)
	case Data:
		return f.class(ClassData) || matches(f.cfg.Data, ev.Name)
	}
	c := ClassOf(ev)
	return c != ClassNone && f.class(c)
}

func (f *FilterStage) class(c Class) bool { return slices.Contains(f.cfg.Classes, c) }

func (f *FilterStage) takesText(ev *Event) bool {
	if ev.Kind == TextStart {
		if ev.Chan != Reasoning || !f.class(ClassReasoning) {
			return false
		}
		f.parts = append(f.parts, bytes.Clone(ev.ID))
		return true
	}
	return open(&f.parts, ev.ID, ev.Kind == TextEnd)
}

func (f *FilterStage) takesTool(ev *Event) bool {
	if ev.Kind == ToolStart {
		if !f.class(ClassTools) && !matches(f.cfg.Tools, ev.Name) || ev.Flags.Has(ClientRuns) {
			return false
		}
		f.hidden = append(f.hidden, bytes.Clone(ev.ID))
		return true
	}
	if open(&f.hidden, ev.ID, ev.Kind == ToolEnd) {
		return true
	}
	return (ev.Kind == ToolUpdate || ev.Kind == ToolOutput) && f.class(ClassProgress)
}

// open reports whether id is in list, and with closes takes it out.
func open(list *[][]byte, id []byte, closes bool) bool {
	for i, o := range *list {
		if bytes.Equal(o, id) {
			if closes {
				*list = slices.Delete(*list, i, i+1)
			}
			return true
		}
	}
	return false
}

func contains(list [][]byte, id []byte) bool {
	return len(id) > 0 && open(&list, id, false)
}

// matches reports whether a pattern fits the name.
func matches(patterns []string, name []byte) bool {
	for _, p := range patterns {
		if n := len(p) - 1; n >= 0 && p[n] == '*' {
			if bytes.HasPrefix(name, []byte(p[:n])) {
				return true
			}
		} else if p == string(name) {
			return true
		}
	}
	return false
}
