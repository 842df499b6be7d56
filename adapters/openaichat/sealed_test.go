package openaichat_test

import (
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
	"github.com/sabir-proxy/sabir/adapters/openaichat"
)

// TestReasoningHistory: reasoning goes back in the member that the agent has for it, and is a loss where it has none.
func TestReasoningHistory(t *testing.T) {
	const body = `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a","reasoning_content":"So."},{"role":"assistant","reasoning":"Only."}]}`
	for value, want := range map[string]string{
		"none":              `{"role":"assistant","content":"a"}]`,
		"reasoning_content": `{"role":"assistant","content":"a","reasoning_content":"So."}]`,
		"reasoning":         `{"role":"assistant","content":"a","reasoning":"So."}]`,
	} {
		req := hub.Request{Upstream: adaptertest.Options(t, &openaichat.Dialect, "reasoning_history="+value), Header: func(string) string { return "" }}
		if err := openaichat.Dialect.Requests.DecodeRequest(&req, []byte(body)); err != nil {
			t.Fatal(err)
		}
		var l hub.Losses
		got, err := openaichat.Dialect.RequestWriter()(nil, &req, &l)
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: %v, want %s in %s", value, err, want, got)
		}
		if lost := strings.Join(l.Names, ","); lost != "messages.reasoning" { // of the message that has nothing else
			t.Errorf("%s: lost %s", value, lost)
		}
	}
}

// TestSameMember: from the first call of a tool on, reasoning goes back in the member that it came in. What was written of a conversation stays as it
// was when more is said.
func TestSameMember(t *testing.T) {
	user := hub.Message{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartText, Text: []byte("q")}}}
	answer := func(member string, more ...hub.Part) hub.Message {
		return hub.Message{Role: hub.RoleAgent, Parts: append([]hub.Part{{Kind: hub.PartReasoning, Text: []byte("So."), Sig: signatures.SealMember(member)}}, more...)}
	}
	text := hub.Part{Kind: hub.PartText, Text: []byte("a")}
	call := hub.Part{Kind: hub.PartCall, ID: []byte("c1"), Name: []byte("f"), Value: []byte("{}"), Result: &hub.CallResult{Status: hub.StatusDone, Text: []byte("r")}}
	silent := hub.Message{Role: hub.RoleAgent, Parts: []hub.Part{text}}
	const lost = "messages.reasoning"
	for _, c := range []struct {
		said         []hub.Message
		losses, want string // of each of the agent's messages, what follows its content
	}{
		{[]hub.Message{answer("reasoning_content", text), user}, lost, "-"},
		{[]hub.Message{answer("reasoning_content", call)}, "", `"reasoning_content":"So."`},
		{[]hub.Message{answer("reasoning", text), user, answer("reasoning", text, call), silent, user, answer("reasoning", text), user}, lost,
			`- "reasoning":"So." - "reasoning":"So."`},
		{[]hub.Message{answer("reasoning_content", call), silent, user, answer("x", text)}, "", `"reasoning_content":"So." "reasoning_content":"" "reasoning_content":"So."`},
		{[]hub.Message{answer("tool_calls", call)}, lost, "-"}, // which a client has made up
	} {
		var l hub.Losses
		got, err := openaichat.Dialect.RequestWriter()(nil, &hub.Request{Messages: append([]hub.Message{user}, c.said...)}, &l)
		if err != nil {
			t.Fatal(err)
		}
		var has []string
		for _, m := range regexp.MustCompile(`"assistant","content":(?:null|"a")(?:,("reasoning\w*":"[^"]*"))?`).FindAllSubmatch(got, -1) {
			has = append(has, string(rawjson.Or(m[1], "-")))
		}
		if strings.Join(has, " ") != c.want || strings.Join(l.Names, ",") != c.losses {
			t.Errorf("got %v, lost %v, want %s and %s\n%s", has, l.Names, c.want, c.losses, got)
		}
	}
}

// TestManyDetails: clients that keep each delta of the stream as a detail send thousands of them, which cost work in proportion.
func TestManyDetails(t *testing.T) {
	body := func(n int) []byte {
		detail := `{"type":"reasoning.text","text":"a piece of it ","index":0},`
		return []byte(`{"messages":[{"role":"assistant","content":"a","reasoning_details":[` + strings.Repeat(detail, n) + `{"type":"reasoning.text","signature":"EqQB","index":0}]}]}`)
	}
	grown := func(n int) uint64 {
		var before, after runtime.MemStats
		b := body(n)
		runtime.ReadMemStats(&before)
		req := hub.Request{Header: func(string) string { return "" }}
		if err := openaichat.Dialect.Requests.DecodeRequest(&req, b); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if p := req.Messages[0].Parts[0]; len(p.Text) != n*len("a piece of it ") || string(p.Sig) != "EqQB" {
			t.Fatalf("%d: %d bytes, signed %s", n, len(p.Text), p.Sig)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := grown(1000), grown(20_000); many > 40*few {
		t.Errorf("20 times as many details allocate %d bytes instead of %d", many, few)
	}
}
