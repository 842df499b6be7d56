package stages

import (
	"bytes"
	"slices"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// FilterConfig says what a [Filter] takes away.
type FilterConfig struct {
	Classes []hub.Class // all events of these
	Tools   []string    // calls of tools of these names; a name may end in *
	Data    []string    // data events of these names; a name may end in *
	Count   func(hub.Kind, hub.Disposition)
}

// Filter takes events away that clients must not or need not see. What it takes is counted as dropped.
type Filter struct {
	cfg    FilterConfig
	hidden [][]byte // ids of open calls that are filtered
	parts  [][]byte // ids of open parts that are filtered
}

// NewFilter makes a stage; Count may be nil.
func NewFilter(cfg FilterConfig) *Filter {
	if cfg.Count == nil {
		cfg.Count = func(hub.Kind, hub.Disposition) {}
	}
	return &Filter{cfg: cfg}
}

// Reset implements [hub.Stage].
func (f *Filter) Reset() { f.hidden, f.parts = f.hidden[:0], f.parts[:0] }

// Flush implements [hub.Stage].
func (f *Filter) Flush(dst []hub.Event, _ error) []hub.Event { return dst }

// Push implements [hub.Stage].
func (f *Filter) Push(dst, in []hub.Event, _ time.Duration) []hub.Event {
	for i := range in {
		ev := &in[i]
		if f.takes(ev) {
			f.cfg.Count(ev.Kind, hub.Dropped)
			continue
		}
		dst = append(dst, *ev)
		if ev.Kind == hub.Ask && contains(f.hidden, ev.Ref) {
			dst[len(dst)-1].Ref, dst[len(dst)-1].RefSlot = nil, 0 // the user must answer, whether or not the call is shown
		}
	}
	return dst
}

func (f *Filter) takes(ev *hub.Event) bool {
	switch ev.Kind {
	case hub.TextStart, hub.TextDelta, hub.TextEnd:
		return f.takesText(ev)
	case hub.ToolStart, hub.ToolArgs, hub.ToolReady, hub.ToolUpdate, hub.ToolOutput, hub.ToolEnd:
		return f.takesTool(ev)
	case hub.Data:
		return f.class(hub.ClassData) || matches(f.cfg.Data, ev.Name)
	}
	c := hub.ClassOf(ev)
	return c != hub.ClassNone && f.class(c)
}

func (f *Filter) class(c hub.Class) bool { return slices.Contains(f.cfg.Classes, c) }

func (f *Filter) takesText(ev *hub.Event) bool {
	if ev.Kind == hub.TextStart {
		if ev.Chan != hub.Reasoning || !f.class(hub.ClassReasoning) {
			return false
		}
		f.parts = append(f.parts, bytes.Clone(ev.ID))
		return true
	}
	return open(&f.parts, ev.ID, ev.Kind == hub.TextEnd)
}

func (f *Filter) takesTool(ev *hub.Event) bool {
	if ev.Kind == hub.ToolStart {
		if !f.class(hub.ClassTools) && !matches(f.cfg.Tools, ev.Name) || ev.Flags.Has(hub.ClientRuns) {
			return false
		}
		f.hidden = append(f.hidden, bytes.Clone(ev.ID))
		return true
	}
	if open(&f.hidden, ev.ID, ev.Kind == hub.ToolEnd) {
		return true
	}
	return (ev.Kind == hub.ToolUpdate || ev.Kind == hub.ToolOutput) && f.class(hub.ClassProgress)
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
