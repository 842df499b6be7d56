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

// proofs are answers of agents that want back more than words, in records, and what the next request must have.
var proofs = []struct {
	agent   string
	records []string
	want    string
}{
	{"openai-chat", chatAnswer(`"reasoning":"So.","reasoning_details":[{"type":"reasoning.text","text":"So.","signature":"EqQB","format":"anthropic-claude-v1","index":0}]`, ""),
		`"reasoning_details":[{"type":"reasoning.text","signature":"EqQB","format":"anthropic-claude-v1","text":"So."}]`},
	{"openai-chat", chatAnswer(`"reasoning_details":[{"type":"reasoning.encrypted","data":"gAAAA","id":"rs_1","format":"openai-responses-v1","index":0}]`, ""),
		`"reasoning_details":[{"type":"reasoning.encrypted","data":"gAAAA","id":"rs_1","format":"openai-responses-v1"}]`},
	{"openai-chat", chatAnswer(`"reasoning":"Sum","reasoning_details":[{"type":"reasoning.summary","summary":"Sum","format":"openai-responses-v1"},`+
		`{"type":"reasoning.encrypted","data":"gAAAA","format":"openai-responses-v1"}]`, ""),
		`"reasoning_details":[{"type":"reasoning.summary","format":"openai-responses-v1","summary":"Sum"},{"type":"reasoning.encrypted","data":"gAAAA","format":"openai-responses-v1"}]`},
	{"openai-chat", chatAnswer(`"reasoning_content":"So.","thinking_blocks":[{"type":"thinking","thinking":"So.","signature":"EqQB"}]`, ""),
		`"thinking_blocks":[{"type":"thinking","signature":"EqQB","thinking":"So."}]`},
	{"openai-chat", chatAnswer(`"content":null`, `"extra_content":{"google":{"thought_signature":"EjQK"}},`),
		`{"id":"c1","extra_content":{"google":{"thought_signature":"EjQK"}},"type":"function","function":`},
	{"openai-chat", chatAnswer(`"content":null`, `"extra_content":{"vertex":{"thought_signature":"EjQK"}},`),
		`{"id":"c1","extra_content":{"vertex":{"thought_signature":"EjQK"}},"type":"function","function":`},
	{"gemini", []string{
		`{"candidates":[{"content":{"role":"model","parts":[{"text":"So.","thought":true}]}}]}`,
		`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"c1","name":"weather","args":{}},"thoughtSignature":"EjQK"}]},"finishReason":"STOP"}]}`,
	}, `{"thoughtSignature":"EjQK","functionCall":{"id":"c1","name":"weather","args":{}}}`},
	{"aisdk", signedByAISDK, `"providerMetadata":{"anthropic":{"signature":"EqQB"}}`},
	{"aisdk", signedByAISDK, `"callProviderMetadata":{"google":{"thoughtSignature":"EjQK"}}`},
	{"openai-chat", chatAnswer(`"reasoning_content":"So."`, ""), `"reasoning_content":"So."`},
	{"openai-chat", chatAnswer(`"reasoning":"So."`, ""), `"reasoning":"So."`},
	{"openai-chat", chatAnswer(`"reasoning":"So.","reasoning_details":[{"type":"reasoning.text","text":"So.","format":"unknown","index":0}]`, ""), `"reasoning":"So."`},
	{"openai-chat", chatAnswer(`"reasoning_content":"So.","content":"Let me see."`, ""), `"content":"Let me see.","reasoning_content":"So."`},
}

// signedByAISDK is an answer of a server of the AI SDK, of which each provider finds its own metadata only.
var signedByAISDK = []string{
	`{"type":"start","messageId":"m1"}`, `{"type":"start-step"}`,
	`{"type":"reasoning-start","id":"r1"}`, `{"type":"reasoning-delta","id":"r1","delta":"So."}`,
	`{"type":"reasoning-end","id":"r1","providerMetadata":{"anthropic":{"signature":"EqQB"}}}`,
	`{"type":"tool-input-available","toolCallId":"c1","toolName":"weather","input":{},"providerMetadata":{"google":{"thoughtSignature":"EjQK"}}}`,
	`{"type":"finish-step"}`, `{"type":"finish"}`,
}

// chatAnswer is an answer of Chat with a call, before which a delta stands.
func chatAnswer(delta, call string) []string {
	chunk := func(delta, finish string) string {
		return `{"id":"x","object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":{` + delta + `},"finish_reason":` + finish + `}]}`
	}
	call = `"tool_calls":[{"index":0,"id":"c1",` + call + `"type":"function","function":{"name":"weather","arguments":"{}"}}]`
	return []string{chunk(delta, "null"), chunk(call, "null"), chunk("", `"tool_calls"`)}
}

// readBy is what the decoder of a dialect reads of records.
func readBy(t *testing.T, d *hub.Dialect, records []string) (all []hub.Event) {
	t.Helper()
	raw := map[string]any{}
	if d.Name == "aisdk" { // whose records do not say which tools the client runs
		raw["client_tools"] = []any{"weather"}
	}
	options, problems := d.ParseOptions(raw)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	dec := d.NewDecoder(options)
	add := func(evs []hub.Event) {
		for i := range evs {
			ev, _ := adaptertest.CopyEvent(&evs[i])
			all = append(all, ev)
		}
	}
	for _, rec := range records {
		evs, err := dec.Decode(nil, framing.Record{Data: []byte(rec)})
		if err != nil {
			t.Fatal(err)
		}
		add(evs)
	}
	add(dec.Finish(nil, nil))
	return all
}

// keptBy is the conversation that a client has which keeps what it reads of an answer.
func keptBy(t *testing.T, client *hub.Dialect, answer []hub.Event) []hub.Message {
	t.Helper()
	raw := map[string]any{}
	if client.Name == "openai-chat" { // its clients are shown reasoning_details only where that is asked for
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
	return kept
}

// TestProofsComeBack: what an agent signs comes back to it as it was, whatever its client speaks. Gemini's servers refuse calls without.
func TestProofsComeBack(t *testing.T) {
	carry := []string{"adk", "agui", "aisdk", "anthropic", "bedrock", "claude-cli", "copilot", "datastream", "gemini", "gemini-interactions", "native", "openai-chat", "openai-responses"}
	for _, c := range proofs {
		agent, err := adapters.Lookup(c.agent)
		if err != nil {
			t.Fatal(err)
		}
		answer := readBy(t, agent, c.records)
		for _, client := range adapters.All() {
			if client.NewEncoder == nil || client.NewDecoder == nil || client.Messages == nil {
				continue
			}
			got, err := agent.RequestWriter()(nil, &hub.Request{Messages: keptBy(t, client, answer)}, new(hub.Losses))
			if err != nil {
				t.Fatalf("%s: %v", client.Name, err)
			}
			// Reasoning of Copilot's is in no message, and so in another one than the text behind it.
			apart := client.Name == "copilot" && strings.Contains(c.want, "Let me see.")
			if does := strings.Contains(string(got), c.want); does != (slices.Contains(carry, client.Name) && !apart) {
				t.Errorf("%s: %t for %s\n%s", client.Name, does, c.want, got)
			}
		}
	}
}
