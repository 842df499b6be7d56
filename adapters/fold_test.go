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
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
)

// TestFold folds the streams of all dialects: the messages say what a reader of the stream understands, and unfolded they say
// it again.
func TestFold(t *testing.T) {
	streams := 0
	for _, name := range adapters.Names() {
		d, err := adapters.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if d.NewDecoder == nil {
			continue
		}
		for _, s := range adaptertest.Streams(t, d, filepath.Join(strings.ReplaceAll(name, "-", ""), "testdata")) {
			streams++
			testFold(t, s)
		}
	}
	if streams < 1000 {
		t.Errorf("only %d streams", streams)
	}
}

func testFold(t *testing.T, s *adaptertest.Stream) {
	var read adaptertest.Meaning
	folder := conversation.NewFolder(nil)
	seq := sequencer.New(sequencer.Config{Replace: true, EndGrace: s.EndGrace})
	take := func(evs []hub.Event) {
		for i := range evs {
			own, mem := adaptertest.CopyEvent(&evs[i])
			read.Event(&own, hub.Native)
			folder.Add(&own)
			adaptertest.Overwrite(mem)
		}
	}
	for i := range s.Loose {
		take(seq.Push(nil, s.Loose[i:i+1], 0))
	}
	take(seq.Flush(nil, s.Cause))
	run := folder.Run()
	got := saidIn(run.Messages)
	compareRun(t, s.Name, &read, &run, got)
	if folder.Size() == 0 && len(run.Messages) > 0 {
		t.Errorf("%s: the folder has no size", s.Name)
	}
	spoken := saidIn(withoutSystem(run.Messages))
	if a, b := spoken.show(), saidIn(refold(run.Messages)).show(); a != b {
		t.Errorf("%s: unfolded and folded again it says\n%s\nwant\n%s", s.Name, b, a)
	}
}

func compareRun(t *testing.T, name string, read *adaptertest.Meaning, run *hub.Run, got *said) {
	t.Helper()
	for ch, text := range map[hub.Chan]string{hub.AnswerText: got.answer, hub.Reasoning: got.reasoning, hub.Refusal: got.refusal} {
		want := read.Text("", ch)
		if ch != hub.Reasoning && read.Text("", hub.AnswerText)+read.Text("", hub.Refusal) == "" {
			want = read.SubAgentTexts(ch)
		}
		if text != want {
			t.Errorf("%s: the text of channel %d is %q, want %q", name, ch, text, want)
		}
	}
	if !run.Ended || run.Status != read.Status || adaptertest.Plain(run.Err) != read.Err {
		t.Errorf("%s: ended %t as %s %q, want %s %q", name, run.Ended, run.Status, run.Err, read.Status, read.Err)
	}
}

// refold says messages as events, sequences these and folds them again.
func refold(ms []hub.Message) []hub.Message {
	seq := sequencer.New(sequencer.Config{})
	evs := seq.Push(nil, conversation.Unfold(nil, ms), 0)
	return conversation.Fold(nil, seq.Flush(evs, nil))
}

func withoutSystem(ms []hub.Message) []hub.Message {
	return slices.DeleteFunc(slices.Clone(ms), func(m hub.Message) bool { return m.Role == hub.RoleSystem })
}

// said is what messages say.
type said struct {
	user, answer, reasoning, refusal string
	calls, others                    []string
}

// saidIn lists what messages say. Texts that say they are the system's count as the agent's here: readers of streams take them so.
func saidIn(ms []hub.Message) *said {
	s := new(said)
	for i := range ms {
		m := &ms[i]
		for j := range m.Parts {
			s.part(m, &m.Parts[j])
		}
	}
	return s
}

func (s *said) part(m *hub.Message, p *hub.Part) {
	text := adaptertest.Plain(p.Text)
	switch {
	case m.Role == hub.RoleUser && p.Kind == hub.PartText:
		s.user += text + "\n"
	case m.Role == hub.RoleUser && p.Kind == hub.PartReasoning:
	case p.Kind == hub.PartText:
		s.answer += text
	case p.Kind == hub.PartReasoning:
		s.reasoning += text
	case p.Kind == hub.PartRefusal:
		s.refusal += text
	case p.Kind == hub.PartCall:
		s.calls = append(s.calls, showCall(p))
	case p.Kind != hub.PartRaw:
		s.others = append(s.others, fmt.Sprintf("%s %s %s %s %+v", p.Kind, p.Name, p.Title, p.Value, p.File))
	}
}

func showCall(p *hub.Part) string {
	call := fmt.Sprintf("%s %s client %t", p.Name, conversation.Arguments(p), p.ClientRuns)
	if p.Result != nil {
		ev := p.Result.Event()
		call += fmt.Sprintf(" = %s %s", p.Result.Status, toolresult.AppendText(nil, &ev))
	}
	if a := p.Approval; a != nil {
		call += fmt.Sprintf(" decided %t approved %t %s", a.Decided, a.Approved, a.Reason)
	}
	return call
}

func (s *said) show() string {
	return fmt.Sprintf("user %s\nanswer %s\nreasoning %s\nrefusal %s\ncalls %s\nothers %s",
		s.user, s.answer, s.reasoning, s.refusal, strings.Join(s.calls, "\n  "), strings.Join(s.others, "\n  "))
}

// TestUnfoldRequests says the histories of recorded requests as a stream, and folds that: nothing but the text of the system is
// missing.
func TestUnfoldRequests(t *testing.T) {
	for _, f := range adaptertest.RequestFixtures(t, ".") {
		req := hub.Request{Header: func(string) string { return "" }}
		if err := f.Dialect.Requests.DecodeRequest(&req, bytes.Clone(f.Body)); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		ms := conversation.Ready(req.Messages)
		if a, b := saidIn(withoutSystem(ms)).show(), saidIn(refold(ms)).show(); a != b {
			t.Errorf("%s %s: says\n%s\nwant\n%s", f.Dialect.Name, f.Name, b, a)
		}
	}
}
