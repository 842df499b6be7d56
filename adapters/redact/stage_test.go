package redact_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/redact"
)

// TestWhole: every member with content is searched, and the event that came stays as it was.
func TestWhole(t *testing.T) {
	const mail, masked = "jane@example.com", "[redacted:emails]"
	b := func(s string) []byte { return []byte(s) }
	more := &hub.More{
		Err: b(mail), Meta: b(`{"by":"` + mail + `"}`), Content: b(`["` + mail + `"]`), File: hub.FileRef{URL: b("mailto:" + mail), Base64: b(mail)},
		Items: []hub.PlanItem{{ID: b(mail), Content: b(mail)}}, Options: []hub.AskOption{{Name: b(mail)}},
	}
	in := []hub.Event{
		{Kind: hub.Notice, ID: b(mail), Text: b("to " + mail), Title: b(mail), Name: b(mail), Value: b(`{"a":["x\u0020` + mail + `"]}`), More: more},
		{Kind: hub.Raw, Value: b(`{"x":"` + mail + `"}`)},
	}
	s := redact.NewStage(rules(t))
	var names []string
	dropped := 0
	s.Count = func(name string) { names = append(names, name) }
	s.Dropped = func(hub.Kind, hub.Disposition) { dropped++ }
	out := s.Push(nil, in, 0)
	if len(out) != 1 || dropped != 1 {
		t.Fatalf("%d events left, %d were dropped", len(out), dropped)
	}
	ev := &out[0]
	got := strings.Join([]string{
		string(ev.Text), string(ev.Title), string(ev.Name), string(ev.Value), string(ev.More.Err), string(ev.More.Meta), string(ev.More.Content),
		string(ev.More.File.URL), string(ev.More.Items[0].Content), string(ev.More.Options[0].Name),
	}, " ")
	want := strings.ReplaceAll(`to M M M {"a":["x\u0020M"]} M {"by":"M"} ["M"] mailto:M M M`, "M", masked)
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if len(names) != 10 || slices.ContainsFunc(names, func(n string) bool { return n != "emails" }) {
		t.Errorf("counted as %v", names)
	}
	if string(ev.ID) != mail || string(ev.More.Items[0].ID) != mail || string(ev.More.File.Base64) != mail {
		t.Error("ids and bytes have changed")
	}
	if string(more.Err) != mail || string(more.Items[0].Content) != mail {
		t.Error("the event that came has changed")
	}
}

// TestReplace: a text that is said again in full is searched in full, and one that says its beginning again and again shows no more of
// a secret each time.
func TestReplace(t *testing.T) {
	s := redact.NewStage(rules(t))
	const full = "id AKIAABCDEFGHIJKLMNOP!"
	for n := range len(full) + 1 {
		out := s.Push(nil, []hub.Event{{Kind: hub.TextDelta, ID: []byte("p"), Op: hub.Replace, Text: []byte(full[:n])}}, 0)
		if got := string(out[0].Text); strings.Contains(got, "AKIAABC") || out[0].Op != hub.Replace {
			t.Fatalf("after %d bytes it shows %q", n, got)
		}
	}
}

// TestBlock: what is found last is not too late, and only ends follow.
func TestBlock(t *testing.T) {
	r, err := redact.New([]string{"cards"}, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := redact.NewStage(r)
	id := []byte("p")
	out := s.Push(nil, []hub.Event{
		{Kind: hub.TextDelta, ID: id, Text: []byte("pay 4111 1111 ")}, {Kind: hub.TextDelta, ID: id, Text: []byte("1111 1111")},
		{Kind: hub.TextEnd, ID: id}, {Kind: hub.Notice, Text: []byte("more")}, {Kind: hub.AgentEnd, Text: []byte("result")},
		{Kind: hub.RunEnd, Status: hub.StatusDone},
	}, 0)
	var kinds []string
	for i := range out {
		kinds = append(kinds, out[i].Kind.String()+" "+string(out[i].Text))
	}
	if got := strings.Join(kinds, "|"); got != "text.delta pay |text.end |agent.end |run.end " || !s.Blocked() {
		t.Errorf("left: %s, blocked %v", got, s.Blocked())
	}
	if end := &out[len(out)-1]; end.Status != hub.StatusFailed || string(end.More.ErrCode) != "content_blocked" {
		t.Errorf("the run ends with %v %s", end.Status, end.More.ErrCode)
	}
	s.Reset()
	if s.Blocked() {
		t.Error("the next stream is blocked as well")
	}
}

// TestBadPatterns are refused, and the error says why.
func TestBadPatterns(t *testing.T) {
	for expr, want := range map[string]string{
		`a(`: "is no regular expression", `^abc`: "have no meaning in a stream", `a*`: "matches the empty text", `ab+`: "give max", `a{5}b{1000}c{1000}`: "",
		`(?:a{1000}){20}`: "is no regular expression",
	} {
		err := redact.Check(redact.Pattern{Expr: expr})
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", expr, err, want)
		}
	}
	if err := redact.Check(redact.Pattern{Expr: `abcd+`, Max: 3}); err == nil || !strings.Contains(err.Error(), "4 bytes or more, and max is 3") {
		t.Error(err)
	}
	if _, err := redact.New([]string{"phones"}, false, nil); err == nil || !strings.Contains(err.Error(), `"phones"; there are: cards, emails, ips, keys`) {
		t.Error(err)
	}
}

// TestAllocs: deltas without a match allocate nothing, be they held back or not.
func TestAllocs(t *testing.T) {
	s := redact.NewStage(rules(t))
	deltas := []hub.Event{
		{Kind: hub.TextDelta, ID: []byte("p"), Text: []byte("words and ")}, {Kind: hub.TextDelta, ID: []byte("p"), Text: []byte("half")},
		{Kind: hub.TextDelta, ID: []byte("p"), Text: []byte(" a word, 12 3\\n")},
		{Kind: hub.ToolArgs, ID: []byte("c"), Text: []byte(`\"key\":\"some\\nva`)}, {Kind: hub.ToolArgs, ID: []byte("c"), Text: []byte(`lue\",`)},
	}
	var dst []hub.Event
	push := func() { dst = s.Push(dst[:0], deltas, 0) }
	push()
	if n := testing.AllocsPerRun(200, push); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzCuts: however a text is cut, the same leaves.
func FuzzCuts(f *testing.F) {
	for _, c := range texts {
		f.Add(escaped(c.in), uint16(3), false)
	}
	for _, c := range arguments {
		f.Add(escaped(c.in), uint16(7), true)
	}
	s := redact.NewStage(rules(f))
	f.Fuzz(func(t *testing.T, in string, at uint16, args bool) {
		kind, end := hub.TextDelta, hub.TextEnd
		if args {
			kind, end = hub.ToolArgs, hub.ToolReady
		}
		cut := min(int(at), len(in))
		if len(in) > 60 || inEscape(in, cut) || strings.HasSuffix(in[:cut], `\`) {
			return // longer ones may be cut where they outgrow a pattern
		}
		if whole, cut := pieces(s, kind, end, in), pieces(s, kind, end, in[:cut], in[cut:]); whole != cut {
			t.Errorf("%q:\nwhole %s\n  cut %s", in, whole, cut)
		}
	})
}
