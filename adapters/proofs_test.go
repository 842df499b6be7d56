package adapters_test

import (
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

// chatProofs are chunks of servers that want back more than words, and what their next request must have.
var chatProofs = []struct{ delta, want string }{
	{`"reasoning":"So.","reasoning_details":[{"type":"reasoning.text","text":"So.","signature":"EqQB","format":"anthropic-claude-v1","index":0}]`,
		`"reasoning_details":[{"type":"reasoning.text","signature":"EqQB","format":"anthropic-claude-v1","text":"So."}]`},
	{`"reasoning_details":[{"type":"reasoning.encrypted","data":"gAAAA","id":"rs_1","format":"openai-responses-v1","index":0}]`,
		`"reasoning_details":[{"type":"reasoning.encrypted","data":"gAAAA","id":"rs_1","format":"openai-responses-v1"}]`},
	{`"reasoning":"Sum","reasoning_details":[{"type":"reasoning.summary","summary":"Sum","format":"openai-responses-v1"},{"type":"reasoning.encrypted","data":"gAAAA","format":"openai-responses-v1"}]`,
		`"reasoning_details":[{"type":"reasoning.summary","format":"openai-responses-v1","summary":"Sum"},{"type":"reasoning.encrypted","data":"gAAAA","format":"openai-responses-v1"}]`},
	{`"reasoning_content":"So.","thinking_blocks":[{"type":"thinking","thinking":"So.","signature":"EqQB"}]`,
		`"thinking_blocks":[{"type":"thinking","signature":"EqQB","thinking":"So."}]`},
	{``, `{"id":"c1","extra_content":{"google":{"thought_signature":"EjQK"}},"type":"function","function":`},
}

// chatAnswer is what the decoder of Chat reads of an answer with a call.
func chatAnswer(t *testing.T, delta string) []hub.Event {
	t.Helper()
	call := `{"index":0,"id":"c1","type":"function","function":{"name":"weather","arguments":"{}"}}`
	if delta == "" {
		call = strings.Replace(call, `"type"`, `"extra_content":{"google":{"thought_signature":"EjQK"}},"type"`, 1)
		delta = `"content":null`
	}
	chat, err := adapters.Lookup("openai-chat")
	if err != nil {
		t.Fatal(err)
	}
	dec := chat.NewDecoder(chat.Defaults())
	var all []hub.Event
	for _, delta := range []string{delta, `"tool_calls":[` + call + `]`} {
		evs, err := dec.Decode(nil, framing.Record{Data: []byte(`{"id":"x","object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":{` + delta + `}}]}`)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range evs {
			ev, _ := adaptertest.CopyEvent(&evs[i])
			all = append(all, ev)
		}
	}
	evs, _ := dec.Decode(nil, framing.Record{Data: []byte(`{"id":"x","object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`)})
	return append(all, evs...)
}

// nextRequest is what a server of Chat is asked next by a client that keeps what it has read of the stream.
func nextRequest(t *testing.T, client *hub.Dialect, answer []hub.Event) string {
	t.Helper()
	raw := map[string]any{}
	if client.Name == "openai-chat" { // its clients are shown them only where that is asked for
		raw["reasoning"] = "details"
	}
	options, problems := client.ParseOptions(raw)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	x := (&adaptertest.Stream{Loose: answer}).Translate(client, options)
	folder, seq := conversation.NewFolder(nil), sequencer.New(sequencer.Config{Replace: true})
	for i := range x.Loose {
		for _, ev := range seq.Push(nil, x.Loose[i:i+1], 0) {
			folder.Add(&ev)
		}
	}
	for _, ev := range seq.Flush(nil, nil) {
		folder.Add(&ev)
	}
	messages := append([]hub.Message{{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartText, Text: []byte("Weather?")}}}}, folder.Run().Messages...)
	kept, err := client.Messages.DecodeMessages(nil, client.Messages.AppendMessages(nil, messages, new(hub.Losses)))
	if err != nil {
		t.Fatalf("%s: %v", client.Name, err)
	}
	chat, _ := adapters.Lookup("openai-chat")
	out, err := chat.RequestWriter()(nil, &hub.Request{Messages: kept}, new(hub.Losses))
	if err != nil {
		t.Fatalf("%s: %v", client.Name, err)
	}
	return string(out)
}

// TestProofsComeBack: what a server of Chat signs comes back to it as it was, whatever its client speaks: Gemini's refuse calls without.
func TestProofsComeBack(t *testing.T) {
	carry := []string{"adk", "agui", "aisdk", "anthropic", "bedrock", "claude-cli", "copilot", "datastream", "gemini", "gemini-interactions", "native", "openai-chat", "openai-responses"}
	for _, client := range adapters.All() {
		if client.NewEncoder == nil || client.NewDecoder == nil || client.Messages == nil {
			continue
		}
		for _, c := range chatProofs {
			got := nextRequest(t, client, chatAnswer(t, c.delta))
			if does := strings.Contains(got, c.want); does != slices.Contains(carry, client.Name) {
				t.Errorf("%s: %t for %s\n%s", client.Name, does, c.want, got)
			}
		}
	}
}
