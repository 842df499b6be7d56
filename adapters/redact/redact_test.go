package redact_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/redact"
)

// rules are all built-in patterns, and some of one's own.
func rules(t testing.TB) *redact.Rules {
	t.Helper()
	r, err := redact.New(redact.Builtin(), false, []redact.Pattern{
		{Name: "staff", Expr: `\bE-[0-9]{6}\b`},
		{Name: "wide", Expr: `secret=.{4,20};`, Max: 40},
		{Name: "shell", Expr: `rm -rf /[a-z]*`, Max: 24, Tools: []string{"bash*"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// pieces takes the deltas of one text through a stage, and returns the text that left.
func pieces(s *redact.Stage, kind, end hub.Kind, deltas ...string) string {
	s.Reset()
	var b strings.Builder
	push := func(ev hub.Event) {
		for _, out := range s.Push(nil, []hub.Event{ev}, 0) {
			if out.Kind == kind {
				b.Write(out.Text)
			}
		}
	}
	push(hub.Event{Kind: hub.ToolStart, ID: []byte("x"), Name: []byte("bash_run")})
	for _, d := range deltas {
		push(hub.Event{Kind: kind, ID: []byte("x"), Text: []byte(d)})
	}
	push(hub.Event{Kind: end, ID: []byte("x")})
	push(hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone})
	return b.String()
}

// escaped is a text as the body of a JSON string.
func escaped(s string) string {
	q, _ := json.Marshal(s)
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(q[1 : len(q)-1]))
}

var texts = []struct{ in, want string }{
	{"plain words", "plain words"},
	{"Grüße, 世界 🎉 and more", "Grüße, 世界 🎉 and more"},
	{"key sk-abcdefghij0123456789 end", "key [redacted:keys] end"},
	{"sk-" + strings.Repeat("aB3", 200) + " end", "[redacted:keys] end"},
	{"risk-abcdefghij0123456789abc", "risk-abcdefghij0123456789abc"},
	{"id AKIAABCDEFGHIJKLMNOP, next", "id [redacted:keys], next"},
	{"ghp_0123456789abcdefghijABCDEFGHIJ012345", "[redacted:keys]"},
	{"-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA" + strings.Repeat("abcd/+0=\n", 90) + "-----END RSA PRIVATE KEY-----\nafter", "[redacted:keys]\nafter"},
	{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4 x", "[redacted:keys] x"},
	{"pay 4111 1111 1111 1111 now", "pay [redacted:cards] now"},
	{"pay 4111-1111-1111-1111.", "pay [redacted:cards]."},
	{"12 4111111111111111 2030", "12 [redacted:cards] 2030"},
	{"no card 4111111111111112, no 1234567", "no card 4111111111111112, no 1234567"},
	{strings.Repeat("4", 70), strings.Repeat("4", 70)},
	{"write to jane.doe+x@mail.example.com, please", "write to [redacted:emails], please"},
	{strings.Repeat("a", 400) + " ends", strings.Repeat("a", 400) + " ends"},
	{"host 10.1.255.7: up; not 1.2.3 or 300.1.1.1", "host [redacted:ips]: up; not 1.2.3 or 300.1.1.1"},
	{"v6 2001:db8::8a2e:370:7334. at 12:30:45 std::dead", "v6 [redacted:ips]. at 12:30:45 std::dead"},
	{"E-123456 and E-1234567 and XE-123456", "[redacted:staff] and E-1234567 and XE-123456"},
	{"secret=abcdef;E-123456", "[redacted:wide][redacted:staff]"},
	{"secret=" + strings.Repeat("z", 100), "secret=" + strings.Repeat("z", 100)},
	{`C:\user\new "quoted" \ end\`, `C:\user\new "quoted" \ end\`},
	{`json {"m":"a\u0040b.example.com"}`, `json {"m":"[redacted:emails]"}`},
	{"rm -rf /home", "rm -rf /home"},
}

// TestTexts: what a text becomes does not depend on where it is cut into deltas, and on how it is escaped.
func TestTexts(t *testing.T) {
	s := redact.NewStage(rules(t))
	for _, c := range texts {
		in, want := escaped(c.in), escaped(c.want)
		for cut := range in {
			if inEscape(in, cut) {
				continue
			}
			if got := pieces(s, hub.TextDelta, hub.TextEnd, in[:cut], in[cut:]); got != want {
				t.Fatalf("%q cut at %d:\n got %s\nwant %s", in, cut, got, want)
			}
		}
		if got := pieces(s, hub.TextDelta, hub.TextEnd, each(in)...); got != want {
			t.Errorf("%q byte by byte:\n got %s\nwant %s", in, got, want)
		}
		var codes strings.Builder // every character as an escape
		for _, r := range c.in {
			if r < 0x80 {
				codes.WriteString(`\u00` + string("0123456789abcdef"[r>>4]) + string("0123456789ABCDEF"[r&15]))
			}
		}
		if got := pieces(s, hub.TextDelta, hub.TextEnd, codes.String()); strings.Count(got, "[redacted:") != strings.Count(c.want, "[redacted:") {
			t.Errorf("%q in escapes became %q", c.in, got)
		}
	}
}

// inEscape reports whether a cut would be inside of an escape or a character, where no delta can end.
func inEscape(s string, cut int) bool {
	for i := 0; i < cut; {
		n := 1
		switch {
		case strings.HasPrefix(s[i:], `\u`):
			n = 6
		case s[i] == '\\':
			n = 2
		}
		if i += n; i > cut {
			return true
		}
	}
	return cut < len(s) && s[cut]&0xC0 == 0x80
}

// each cuts a text wherever a delta can end.
func each(s string) (deltas []string) {
	from := 0
	for cut := 1; cut <= len(s); cut++ {
		if cut == len(s) || !inEscape(s, cut) {
			deltas, from = append(deltas, s[from:cut]), cut
		}
	}
	return deltas
}

var arguments = []struct{ in, want string }{
	{`{"to":"jane@example.com","n":12}`, `{"to":"[redacted:emails]","n":12}`},
	{`{"to":"jane\u0040example\u002ecom"}`, `{"to":"[redacted:emails]"}`},
	{`{"card":4111111111111111,"x":true}`, `{"card":9999999999999999,"x":true}`},
	{`[4111111111111111]`, `[9999999999999999]`},
	{`{"jane@example.com":"a\"b\\"}`, `{"[redacted:emails]":"a\"b\\"}`},
	{`{"a":"line\nE-123456","b":"E-12345"}`, `{"a":"line\n[redacted:staff]","b":"E-12345"}`},
	{`{"inner":"{\"m\":\"j\\u0040example.com\"}"}`, `{"inner":"{\"m\":\"[redacted:emails]\"}"}`},
	{`{"cmd":"rm -rf /home"}`, `{"cmd":"[redacted:shell]"}`},
	{`*** patch jane@example.com "x`, `*** patch [redacted:emails] "x`},
	{`{"cut":"jane@exam`, `{"cut":"jane@exam`},
}

// TestArguments: arguments stay JSON, whatever is found in them and wherever they are cut, in their escapes as well.
func TestArguments(t *testing.T) {
	s := redact.NewStage(rules(t))
	for _, c := range arguments {
		in, want := escaped(c.in), escaped(c.want)
		for cut := range in {
			if inEscape(in, cut) {
				continue
			}
			if got := pieces(s, hub.ToolArgs, hub.ToolReady, in[:cut], in[cut:]); got != want {
				t.Fatalf("%q cut at %d:\n got %s\nwant %s", in, cut, got, want)
			}
		}
		got := pieces(s, hub.ToolArgs, hub.ToolReady, each(in)...)
		if got != want {
			t.Errorf("%q byte by byte:\n got %s\nwant %s", in, got, want)
		}
		if json.Valid([]byte(c.in)) {
			out := s.Push(nil, []hub.Event{{Kind: hub.ToolReady, ID: []byte("x"), Value: []byte(c.in)}}, 0)
			if string(out[0].Value) != c.want || !json.Valid(out[0].Value) {
				t.Errorf("%s as a value became %s, want %s", c.in, out[0].Value, c.want)
			}
		}
	}
}

// TestHeld: no more waits than the longest match could still need, and all leaves at the end.
func TestHeld(t *testing.T) {
	r, err := redact.New(nil, false, []redact.Pattern{{Name: "long", Expr: `x[a-z]{3,30}!`}, {Name: "short", Expr: `[0-9]{4,6}`}})
	if err != nil {
		t.Fatal(err)
	}
	s := redact.NewStage(r)
	sent, left := 0, 0
	for i, c := range []byte("ab x" + strings.Repeat("k", 200) + " 123x") {
		sent++
		for _, ev := range s.Push(nil, []hub.Event{{Kind: hub.TextDelta, ID: []byte("p"), Text: []byte{c}}}, 0) {
			left += len(ev.Text)
		}
		if held := sent - left; held >= 32 {
			t.Fatalf("%d bytes are held after %d", held, i+1)
		}
		if i == 2 && left != sent {
			t.Errorf("%d bytes wait that are the beginning of nothing", sent-left)
		}
	}
	for _, ev := range s.Push(nil, []hub.Event{{Kind: hub.TextEnd, ID: []byte("p")}}, 0) {
		left += len(ev.Text)
	}
	if left != sent {
		t.Errorf("%d of %d bytes have left at the end", left, sent)
	}
}

// TestSideBySide: matches without anything between them are all found, though each ends where the next one begins.
func TestSideBySide(t *testing.T) {
	for expr, in := range map[string]string{`[0-9]{3}`: "123456789", `[a-z]`: "abc", `[0-9a-f]{4}\b`: "x:dead beef", `x[0-9]+`: "x1x2x3", `(?i:k|[a-f0-9]{8})`: "0a1b2c3d4e5f6a7bK"} {
		r, err := redact.New(nil, false, []redact.Pattern{{Name: "own", Expr: expr, Max: 8}})
		if err != nil {
			t.Fatal(err)
		}
		s := redact.NewStage(r)
		for cut := range in {
			got := pieces(s, hub.TextDelta, hub.TextEnd, in[:cut], in[cut:])
			if left := strings.Trim(strings.ReplaceAll(got, "[redacted:own]", ""), "x: "); left != "" {
				t.Errorf("%s cut at %d: %q left: %s", expr, cut, left, got)
			}
		}
	}
}
