package redact_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/redact"
)

// ended takes a text through a stage whose run ends with a status, after events between. own says that the agent ends the text itself. It
// returns the text that left, the kinds of events in their order, and what was counted.
func ended(r *redact.Rules, text string, status hub.Status, own bool, between ...hub.Kind) (left, kinds string, counted []string) {
	s := redact.NewStage(r)
	s.Count = func(name string) { counted = append(counted, name) }
	id := []byte("p")
	var b, order strings.Builder
	push := func(in ...hub.Event) {
		for _, ev := range s.Push(nil, in, 0) {
			order.WriteString(ev.Kind.String() + " ")
			if ev.Kind == hub.TextDelta {
				b.Write(ev.Text)
			}
		}
	}
	for _, c := range []byte(text) {
		push(hub.Event{Kind: hub.TextDelta, ID: id, Text: []byte{c}})
	}
	order.Reset()
	if end := (hub.Event{Kind: hub.RunEnd, Status: status}); own {
		push(hub.Event{Kind: hub.TextEnd, ID: id})
		for _, kind := range between {
			push(hub.Event{Kind: kind})
		}
		push(end)
	} else {
		push(hub.Event{Kind: hub.TextEnd, ID: id, Flags: hub.Synthetic}, end)
	}
	return b.String(), order.String(), counted
}

var halves = []struct{ in, cut string }{
	{"key sk-abcdefgh", "key [redacted:keys]"},
	{"key sk-abcd", "key sk-abcd"},
	{"key ghp_0123456789abcdef", "key [redacted:keys]"},
	{"desk-abcdefghijk", "desk-abcdefghijk"},
	{"pay 4111 1111 11", "pay [redacted:cards]"},
	{"pay 4111 11", "pay 4111 11"},
	{"order 12345678901", "order 12345678901"},
	{"mail jane.doe@exa", "mail [redacted:emails]"},
	{"the configuration", "the configuration"},
	{"host 192.168.1", "host [redacted:ips]"},
	{"pi is 3.14", "pi is 3.14"},
	{"at 10:30:15", "at 10:30:15"},
	{"net 2001:db8:0:1", "net [redacted:ips]"},
	{"staff E-1234", "staff [redacted:staff]"},
	{"staff E-1", "staff E-1"},
	{"staff E-123456", "staff [redacted:staff]"},
	{"say E-123456 and sk-abcdefgh", "say [redacted:staff] and [redacted:keys]"},
	{"till 4111111111111111 2030", "till [redacted:cards] 2030"},
	{"plain words.", "plain words."},
}

// TestHalves: where a limit or a filter ends a run, the beginning of a secret does not leave, whoever ends the text; where the model has come to
// its end it does, as it is none.
func TestHalves(t *testing.T) {
	r := rules(t)
	for _, c := range halves {
		for _, status := range []hub.Status{hub.StatusLength, hub.StatusLimit, hub.StatusFiltered, hub.StatusRefused} {
			for _, own := range []bool{false, true} {
				left, _, counted := ended(r, c.in, status, own, hub.Usage, hub.StepEnd)
				if left != c.cut || len(counted) != strings.Count(c.cut, "[redacted:") {
					t.Errorf("%s, %v, ended by the agent %v: left %q, counted %v", c.in, status, own, left, counted)
				}
			}
		}
		for _, status := range []hub.Status{hub.StatusDone, hub.StatusTools, hub.StatusPaused} {
			want := strings.NewReplacer("E-123456", "[redacted:staff]", "4111111111111111", "[redacted:cards]").Replace(c.in)
			if left, _, _ := ended(r, c.in, status, true, hub.Usage); left != want {
				t.Errorf("%s, %v: left %q", c.in, status, left)
			}
		}
	}
}

// TestLateEnds: the end of a text that waits comes before all that may not overtake it, and what came with it stays behind it.
func TestLateEnds(t *testing.T) {
	r := rules(t)
	for _, c := range []struct {
		between []hub.Kind
		want    string
	}{
		{nil, "text.end run.end "},
		{[]hub.Kind{hub.Usage, hub.StepEnd}, "text.end usage step.end run.end "},
		{[]hub.Kind{hub.StepEnd, hub.StepStart}, "text.delta text.end step.end step.start run.end "},
		{[]hub.Kind{hub.Data, hub.Usage}, "text.delta text.end data usage run.end "},
	} {
		_, kinds, _ := ended(r, "sk-abcdefgh", hub.StatusLength, true, c.between...)
		if kinds != c.want && kinds != "text.delta "+c.want {
			t.Errorf("%v: %s", c.between, kinds)
		}
	}
	const many = 100
	usage := make([]hub.Kind, many)
	for i := range usage {
		usage[i] = hub.Usage
	}
	if left, kinds, _ := ended(r, "sk-abcdefgh", hub.StatusLength, true, usage...); strings.Count(kinds, "usage") != many || left != "sk-abcdefgh" {
		t.Errorf("left %q in %s", left, kinds)
	}
}

// TestLateEndIsForgotten: a stream that ended without its last event leaves nothing to the next, and Flush lets go what has waited.
func TestLateEndIsForgotten(t *testing.T) {
	s := redact.NewStage(rules(t))
	say := func() {
		s.Push(nil, []hub.Event{{Kind: hub.TextDelta, ID: []byte("p"), Text: []byte("sk-abcdefgh")}, {Kind: hub.TextEnd, ID: []byte("p")}}, 0)
	}
	say()
	if out := s.Flush(nil, nil); len(out) != 2 || string(out[0].Text) != "sk-abcdefgh" || out[1].Kind != hub.TextEnd {
		t.Errorf("%d events have waited", len(out))
	}
	say()
	s.Reset()
	if out := s.Flush(nil, nil); len(out) != 0 {
		t.Errorf("the next stream begins with %v", out[0].Kind)
	}
}

// TestHalfArguments: arguments that are no JSON have been cut, whatever ends the run.
func TestHalfArguments(t *testing.T) {
	id := []byte("c")
	for _, with := range []bool{false, true} {
		s := redact.NewStage(rules(t))
		var left strings.Builder
		in := []hub.Event{{Kind: hub.ToolStart, ID: id, Name: []byte("pay")}, {Kind: hub.ToolArgs, ID: id, Text: []byte(`{\"card\":\"4111 1111 1111`)}}
		ready := hub.Event{Kind: hub.ToolReady, ID: id, Name: []byte("pay"), Flags: hub.Invalid}
		if with {
			ready.Text = in[1].Text
		}
		for _, ev := range append(s.Push(nil, in, 0), s.Push(nil, []hub.Event{ready, {Kind: hub.RunEnd, Status: hub.StatusTools}}, 0)...) {
			left.Write(ev.Text)
		}
		if got := left.String(); strings.Contains(got, "4111") || !strings.Contains(got, "[redacted:cards]") {
			t.Errorf("left %s", got)
		}
	}
}

// TestHalfBlocks: the beginning of what would end the run is masked; what is whole ends it.
func TestHalfBlocks(t *testing.T) {
	r, err := redact.New(nil, false, []redact.Pattern{{Name: "shell", Expr: `rm -rf /[a-z]{0,8}`, Block: true}})
	if err != nil {
		t.Fatal(err)
	}
	for in, blocks := range map[string]bool{"do rm -rf": false, "do rm -rf /": true} {
		s := redact.NewStage(r)
		id := []byte("p")
		out := s.Push(nil, []hub.Event{
			{Kind: hub.TextDelta, ID: id, Text: []byte(in)}, {Kind: hub.TextEnd, ID: id, Flags: hub.Synthetic}, {Kind: hub.RunEnd, Status: hub.StatusLength},
		}, 0)
		if s.Blocked() != blocks || (out[len(out)-1].Status == hub.StatusLength) == blocks {
			t.Errorf("%s: blocked %v, the run ends with %v", in, s.Blocked(), out[len(out)-1].Status)
		}
	}
}

// TestHalfIsBounded: a long run in which a match may begin at each byte is masked as a whole and not searched for ever.
func TestHalfIsBounded(t *testing.T) {
	r, err := redact.New(nil, false, []redact.Pattern{{Name: "long", Expr: `a[ab]+c[0-9]d`, Max: 16000}})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("a", 8000) + "c1"
	if left, _, counted := ended(r, text, hub.StatusLength, false); left != "[redacted:long]" || len(counted) != 1 {
		t.Errorf("left %.40q, counted %v", left, counted)
	}
}
