package adapters_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	framing "github.com/sabir-proxy/sabir/adapters/wire"
)

// namesMember begins what the decoder of Chat notes of the member in which reasoning came, if something follows it: {"sabir":{"member" in base64.
const namesMember = "eyJzYWJpciI6eyJtZW1iZXIi"

// factsOf are what a client reads in an answer beside its texts, each with its kind in front.
func factsOf(evs []hub.Event) (facts []string) {
	signed := map[string]string{}
	add := func(kind string, values ...[]byte) {
		if fact := kind + " " + string(slices.Concat(values...)); len(fact) > len(kind)+1 && !slices.Contains(facts, fact) {
			facts = append(facts, fact)
		}
	}
	for i := range evs {
		ev := &evs[i]
		if ev.Flags.Has(hub.User) || len(ev.SubAgent) > 0 || ev.Instructs() {
			continue
		}
		more := ev.Rare()
		switch ev.Kind {
		case hub.RunEnd:
			facts = append(facts, fmt.Sprintf("end %v %s", ev.Status, ev.Name))
			add("end.why", more.Err)
			add("end.code", more.ErrCode)
			add("end.sequence", ev.StopSequence("anthropic"))
			add("end.result", ev.Value)
		case hub.TextEnd, hub.ToolStart, hub.ToolUpdate, hub.ToolReady:
			if bytes.HasPrefix(more.Sig, []byte(namesMember)) {
				continue
			}
			if before, again := signed[string(ev.ID)]; again && len(more.Sig) > 0 { // the last one counts
				facts = slices.DeleteFunc(facts, func(f string) bool { return f == "signature "+before })
			}
			if add("signature", more.Sig); len(more.Sig) > 0 {
				signed[string(ev.ID)] = string(more.Sig)
			}
		case hub.Source:
			add("source", ev.Title, more.File.Name, []byte("|"), more.File.URL)
			add("source.quote", ev.Text)
			add("source.id", more.File.FileID)
			add("source.range", ev.Value)
		case hub.File:
			add("file", more.File.Media, []byte("|"), more.File.URL, more.File.FileID, more.File.Base64)
			add("file.name", more.File.Name)
			add("file.title", ev.Title)
			add("file.description", ev.Text)
		case hub.Usage:
			if ev.Scope == hub.RunScope {
				facts = slices.DeleteFunc(facts, func(f string) bool { return strings.HasPrefix(f, "usage.") })
				c := &more.Usage
				for name, n := range map[string]int64{"cached": c.Cached, "reasoning": c.ReasoningTokens, "in": c.In, "out": c.Out, "written": c.CacheWrite, "total": c.Total} {
					if n > 0 {
						facts = append(facts, fmt.Sprintf("usage.%s %d", name, n))
					}
				}
			}
		}
	}
	return facts
}

// foldedFor is what has come of a stream for clients of a dialect.
func foldedFor(target *hub.Dialect, s *adaptertest.Stream) *hub.Run {
	folder := conversation.NewFolder(nil)
	seq := sequencer.New(sequencer.Config{Replace: target.Caps.Has(hub.CapReplace), EndGrace: s.EndGrace, SealCalls: target.Caps.Has(hub.CapSealCalls)})
	for i := range s.Loose {
		for _, ev := range seq.Push(nil, s.Loose[i:i+1], 0) {
			folder.Add(&ev)
		}
	}
	for _, ev := range seq.Flush(nil, s.Cause) {
		folder.Add(&ev)
	}
	run := folder.Run()
	return &run
}

// readWhole reads an answer in one piece.
func readWhole(t *testing.T, d *hub.Dialect, body []byte) []hub.Event {
	t.Helper()
	dec, seq := d.NewDecoder(d.Defaults()), sequencer.New(sequencer.Config{})
	rec := framing.Record{Data: body}
	if d.Name == "langgraph" {
		rec.Event = []byte("values")
		if _, err := dec.Decode(nil, framing.Record{Event: rec.Event, Data: []byte(`{"messages":[]}`)}); err != nil { // the first state is the input
			t.Error(err)
		}
	}
	evs, err := dec.Decode(nil, rec)
	if err != nil {
		t.Errorf("%s: %v\n%s", d.Name, err, body)
	}
	var all []hub.Event
	keep := func(evs []hub.Event) {
		for i := range evs {
			all = append(all, evs[i].Clone())
		}
	}
	keep(seq.Push(nil, evs, 0))
	keep(seq.Push(nil, dec.Finish(nil, nil), 0))
	keep(seq.Flush(nil, nil))
	return all
}

// The losses of an answer, and the kinds of events that a stream drops or folds, for which a fact may be missing.
var (
	lostInWhole = map[string][]string{
		"source": {"messages.source"}, "file": {"messages.file", "messages.file.name"}, "signature": {"messages.signature", "messages.call", "messages.reasoning"},
		"end": {"messages.arguments"},
	}
	lostInStream = map[string][]hub.Kind{
		"source": {hub.Source}, "file": {hub.File}, "signature": {hub.TextEnd, hub.ToolStart, hub.ToolUpdate, hub.ToolReady}, "usage": {hub.Usage},
		"end": {hub.RunEnd, hub.ToolReady},
	}
)

// groupOf is the kind of a fact without what it is in particular.
func groupOf(fact string) string {
	kind, _, _ := strings.Cut(fact, " ")
	group, _, _ := strings.Cut(kind, ".")
	return group
}

// takesBack reports whether a fact is the end of a stream that has handed a call to the client before it turned out to have been run, which an
// answer in one piece does not show, or that end in such an answer.
func takesBack(fact string, run *hub.Run, x *adaptertest.Translation) bool {
	handed := func(s adaptertest.Sent) bool { return s.Kind == hub.ToolStart && s.Flags.Has(hub.ClientRuns) }
	return groupOf(fact) == "end" && run.Status == hub.StatusDone && slices.ContainsFunc(x.Sent, handed)
}

// hidden reports whether a question is in the texts of a stream, and nowhere else: about the call of a sub-agent, which streams do not show, and
// answers in one piece do. The stream then does not end as one that waits.
func hidden(s adaptertest.Sent) bool {
	return s.Kind == hub.Ask && s.Disposition >= hub.Folded && len(s.Ref) == 0
}

// unread reports whether a fact is not compared for a dialect, or cannot be read back; see TestWholeAndStreamed.
func unread(target *hub.Dialect, fact string, run *hub.Run, x *adaptertest.Translation, body []byte) bool {
	inside := func(s adaptertest.Sent) bool { return s.Kind == hub.Source && len(s.SubAgent) > 0 }
	group := groupOf(fact)
	switch target.Name {
	case "langgraph":
		_, data, _ := strings.Cut(fact, "|")
		return group == "end" || group == "file" && bytes.Contains(body, []byte(data))
	case "mastra":
		return group == "end" && !strings.HasPrefix(fact, "end.why ") || group == "signature" || group == "usage" && run.Status == hub.StatusPaused || group == "source" && slices.ContainsFunc(x.Sent, inside)
	}
	return false
}

// TestWholeAndStreamed: what a client reads in a stream beside the texts it reads in the answer in one piece, and the other way round: sources,
// files, signatures, usage, and how and why the run ended, with the code of a refusal and the text at which the model stopped. Where one of them has no
// place, that is counted. LangGraph answers with a state, which does not say how the run ended, whose
// images by address have no type, and in which what stands before words of the user's is not new. Mastra's streams have no end, and so no usage, where a call waits, and sources of a sub-agent are in its frames; how a run has ended, but for
// why, and signatures of calls, differ there. Log-probabilities, safety ratings and tiers are no part of the model, and are in neither form; the sound of
// an answer is a file.
func TestWholeAndStreamed(t *testing.T) {
	compared := 0
	for _, target := range adapters.All() {
		if target.AppendAnswer == nil || target.NewEncoder == nil {
			continue
		}
		for _, name := range adapters.Names() {
			d, _ := adapters.Lookup(name)
			if d.NewDecoder == nil {
				continue
			}
			for _, s := range adaptertest.Streams(t, d, filepath.Join(strings.ReplaceAll(name, "-", ""), "testdata")) {
				compared += compareWhole(t, target, s)
			}
		}
	}
	if compared < 4000 {
		t.Errorf("only %d facts were compared", compared)
	}
}

func compareWhole(t *testing.T, target *hub.Dialect, s *adaptertest.Stream) (compared int) {
	t.Helper()
	run := foldedFor(target, s)
	if failed(run.Status) {
		return 0
	}
	var losses hub.Losses
	body := target.AppendAnswer(nil, target.Defaults(), &hub.Request{Model: []byte("asked"), Unique: []byte("u1"), Usage: true}, run, &losses)
	whole, x := factsOf(readWhole(t, target, body)), s.Translate(target, target.Defaults())
	streamed := factsOf(x.Strict)
	for _, fact := range streamed {
		counted := slices.ContainsFunc(lostInWhole[groupOf(fact)], func(loss string) bool { return slices.Contains(losses.Names, loss) })
		counted = counted || groupOf(fact) == "end" && slices.ContainsFunc(x.Sent, hidden)
		if !counted && !slices.Contains(whole, fact) && !takesBack(fact, run, x) && !unread(target, fact, run, x, body) {
			t.Errorf("%s to %s: the answer lacks %s, and only %q are counted\n%s", s.Name, target.Name, fact, losses.Names, body)
		}
	}
	for _, fact := range whole {
		counted := slices.ContainsFunc(x.Sent, func(sent adaptertest.Sent) bool {
			lost := sent.Disposition == hub.Dropped && sent.Scope != hub.SessionScope || sent.Disposition == hub.Folded && sent.Kind != hub.Usage
			return lost && slices.Contains(lostInStream[groupOf(fact)], sent.Kind)
		})
		if !counted && !slices.Contains(streamed, fact) && !takesBack(fact, run, x) && !unread(target, fact, run, x, body) {
			t.Errorf("%s to %s: the stream lacks %s", s.Name, target.Name, fact)
		}
	}
	return len(streamed)
}
