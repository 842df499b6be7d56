package adapters

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// A Trait is one thing that streams of agents say, and what each dialect makes of it.
type Trait struct {
	Name  string
	Cells []hub.Disposition // of each dialect, as given to Fidelity: Native, Extension, Folded or Dropped
}

// traits is what the matrix asks: a name, then a stream in the notation of package native. A line that begins with > is
// asked about: its disposition is that of the trait. Words after the > are members that must come back as they were when the
// dialect's own decoder reads what was written, or else the event has lost what the trait is about.
//
//go:embed fidelity.txt
var traits string

// Fidelity is what each of the dialects makes of each trait, with its default options and policies. Nothing in it is
// typed by hand: the encoders are given the events, and what they write is read back.
func Fidelity(dialects []*hub.Dialect) ([]Trait, error) {
	var all []Trait
	for _, block := range strings.Split(strings.TrimSpace(traits), "\n\n") {
		name, stream, _ := strings.Cut(block, "\n")
		probe, err := parseProbe(stream)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		t := Trait{Name: name}
		for _, d := range dialects {
			t.Cells = append(t.Cells, probe.ask(d))
		}
		all = append(all, t)
	}
	return all, nil
}

// probe is a normalized stream with an event that is asked about.
type probe struct {
	events  []hub.Event
	asked   int
	members []string
}

func parseProbe(stream string) (*probe, error) {
	p := &probe{asked: -1}
	dec := native.Dialect.NewDecoder(hub.Options{})
	for line := range strings.Lines(stream) {
		if words, ok := strings.CutPrefix(line, ">"); ok {
			at := strings.IndexByte(words, '{')
			if at < 0 {
				return nil, fmt.Errorf("no event in %q", line)
			}
			p.asked, p.members, line = len(p.events), strings.Fields(words[:at]), words[at:]
		}
		// Every event has a line of its own and stays valid as long as that.
		evs, err := dec.Decode(nil, wire.Record{Data: []byte(line)})
		if err != nil {
			return nil, err
		}
		p.events = append(p.events, copied(evs)...)
	}
	if p.asked < 0 {
		return nil, fmt.Errorf("no line is asked about")
	}
	sequencer.Number(p.events)
	return p, nil
}

// copied gives events memory of their own.
func copied(evs []hub.Event) []hub.Event {
	for i := range evs {
		own, err := native.Dialect.NewDecoder(hub.Options{}).Decode(nil, wire.Record{Data: native.Append(nil, &evs[i])})
		if err != nil || len(own) != 1 {
			panic(fmt.Sprintf("BUG: an event cannot be copied: %v", err))
		}
		evs[i] = own[0]
	}
	return evs
}

// ask writes the stream in a dialect. One that is only decoded carries nothing to its clients, since it has none.
func (p *probe) ask(d *hub.Dialect) hub.Disposition {
	if d.NewEncoder == nil {
		return hub.Dropped
	}
	if ev := &p.events[p.asked]; ev.Kind == hub.TextDelta && ev.Op == hub.Replace && !d.Caps.Has(hub.CapReplace) {
		return hub.Dropped // by the sequencer, which keeps what was shown
	}
	disposition := hub.Native
	worse := func(f hub.Disposition) {
		if f == hub.Implied || f == hub.Deferred {
			f = hub.Native
		}
		disposition = max(disposition, f)
	}
	asked := false
	count := func(_ hub.Kind, f hub.Disposition) {
		if asked {
			worse(f)
		}
	}
	enc, out := policy.NewEncoder(d, d.Defaults(), policy.Settings{}), wire.NewOut(d.Framing)
	stages := policy.Stages(d, policy.Settings{}, count)
	for i := range p.events {
		asked = i == p.asked
		evs := p.events[i : i+1]
		for _, st := range stages {
			evs = st.Push(nil, evs, 0)
		}
		for j := range evs {
			if f := enc.Encode(out, &evs[j]); asked {
				worse(f)
			}
		}
	}
	enc.Finish(out)
	if disposition == hub.Native && len(p.members) > 0 && d.NewDecoder != nil && !p.comesBack(d, out.Buf) {
		return hub.Folded
	}
	return disposition
}

// comesBack reports whether what was written still says what the trait is about.
func (p *probe) comesBack(d *hub.Dialect, written []byte) bool {
	want := p.signature(&p.events[p.asked])
	seq := sequencer.New(sequencer.Config{Replace: true})
	dec, split := policy.NewDecoder(d, d.Defaults()), wire.NewSplitter(d.Framing, 0)
	found := false
	look := func(loose []hub.Event) {
		strict := seq.Push(nil, loose, 0)
		for i := range strict {
			found = found || bytes.Equal(p.signature(&strict[i]), want)
		}
	}
	for len(written) > 0 {
		rec, n, err := split.Split(written, true)
		if err != nil || n == 0 {
			break
		}
		if rec.Data != nil {
			loose, _ := dec.Decode(nil, rec)
			look(loose)
		}
		written = written[n:]
	}
	look(dec.Finish(nil, nil))
	strict := seq.Flush(nil, nil)
	for i := range strict {
		found = found || bytes.Equal(p.signature(&strict[i]), want)
	}
	return found
}

// signature is the kind of an event and the members that the trait is about.
func (p *probe) signature(ev *hub.Event) []byte {
	more := ev.More
	if more == nil {
		more = &hub.More{}
	}
	sig := []byte(ev.Kind.String())
	for _, name := range p.members {
		sig = append(append(sig, '\n'), member(ev, more, name)...)
	}
	return sig
}

func member(ev *hub.Event, more *hub.More, name string) []byte {
	switch name {
	case "status":
		return []byte(ev.Status.String())
	case "chan":
		return []byte(ev.Chan.String())
	case "op":
		return []byte(ev.Op.String())
	case "flags":
		return []byte{byte(ev.Flags &^ hub.Synthetic)}
	case "id":
		return ev.ID
	case "ref":
		return ev.Ref
	case "name":
		return ev.Name
	case "title":
		return ev.Title
	case "text":
		return ev.Text
	case "value":
		return ev.Value
	case "lane":
		return ev.SubAgent
	case "sig":
		return more.Sig
	case "tool_kind":
		return more.ToolKind
	case "locations":
		return more.Locations
	case "content":
		return more.Content
	case "err":
		return more.Err
	case "url":
		return more.File.URL
	case "usage":
		return fmt.Appendf(nil, "%d %d", more.Usage.In, more.Usage.Out)
	case "cost":
		return more.Usage.Cost
	case "items":
		return fmt.Appendf(nil, "%s", more.Items)
	}
	panic("BUG: the matrix asks about an unknown member: " + name)
}
