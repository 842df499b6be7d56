package adapters_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// taken is what the APIs of models take as names of tools and ids of calls. They refuse requests with any other. Package legalid writes
// ids for Anthropic, and turns them back when they are read.
var taken = map[string]struct{ tool, call string }{
	"openai-chat":         {`^[a-zA-Z0-9_-]{1,64}$`, `^.{1,40}$`},
	"openai-responses":    {`^[a-zA-Z0-9_-]{1,64}$`, `^.{1,64}$`},
	"anthropic":           {`^[a-zA-Z0-9_-]{1,128}$`, ``},
	"bedrock":             {`^[a-zA-Z0-9_-]{1,64}$`, `^[a-zA-Z0-9_-]{1,64}$`},
	"gemini":              {`^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$`, ``},
	"gemini-interactions": {`^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$`, ``},
}

// oddNames are names that front ends and MCP servers give tools. Some differ in nothing but what an API does not take.
var oddNames = []string{
	"mcp.server/read", "mcp.server:read", "mcp server read", "mcp_server_read", "1password", "\u83b7\u53d6", `say "hi"`, "-x", "$READFILE", "<|channel|>", ".",
	strings.Repeat("long", 40), strings.Repeat("long", 40) + "er", strings.Repeat("n", 64), strings.Repeat("n", 65),
}

// oddRequest is a request of an AG-UI client that has these tools, has called each, and calls of whatever id.
func oddRequest() string {
	type object = map[string]any
	var tools, calls, messages []any
	for i, name := range oddNames {
		id := fmt.Sprintf("functions.%s:%d", strings.Repeat("x", 8*i), i)
		tools = append(tools, object{"name": name, "description": "d", "parameters": object{"type": "object"}})
		calls = append(calls, object{"id": id, "type": "function", "function": object{"name": name, "arguments": fmt.Sprintf(`{"n":%d}`, i)}})
		messages = append(messages, object{"id": fmt.Sprint("r", i), "role": "tool", "toolCallId": id, "content": fmt.Sprint("result ", i)})
	}
	messages = append([]any{object{"id": "u1", "role": "user", "content": "Hello"}, object{"id": "a1", "role": "assistant", "toolCalls": calls}}, messages...)
	messages = append(messages, object{"id": "u2", "role": "user", "content": "And?"})
	body, err := json.Marshal(object{"threadId": "t", "runId": "r", "tools": tools, "messages": messages})
	if err != nil {
		panic(err)
	}
	return string(body)
}

// TestLegalNames: agents get tools and calls by names that they take, each tool by one of its own and in every turn the same, and the
// request says which tool is meant.
func TestLegalNames(t *testing.T) {
	for name, rule := range taken {
		to, err := adapters.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		req, body := written(t, to)
		got := hub.Request{Header: func(string) string { return "" }}
		if err := to.Requests.DecodeRequest(&got, body); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, body)
		}
		tool, call := regexp.MustCompile(rule.tool), regexp.MustCompile(rule.call)
		meant := map[string]string{}
		for i, def := range got.Tools.Defs {
			wire := string(def.Name)
			if !tool.MatchString(wire) || tool.MatchString(oddNames[i]) && wire != oddNames[i] {
				t.Errorf("%s: the tool %q goes out as %q", name, oddNames[i], wire)
			}
			if plain := clientName(req, wire); plain != oddNames[i] {
				t.Errorf("%s: an answer that names %q is about the tool %q, not %q", name, wire, plain, oddNames[i])
			}
			meant[wire] = oddNames[i]
		}
		checkCalls(t, name, &got, meant, call)
		if _, again := written(t, to); !bytes.Equal(again, body) {
			t.Errorf("%s: the same request is written as\n%s\nand\n%s", name, body, again)
		}
	}
	for _, d := range adapters.All() {
		if _, listed := taken[d.Name]; listed != (d.ToolNames != nil) {
			t.Errorf("%s: ToolNames %v", d.Name, d.ToolNames)
		}
	}
}

func written(t *testing.T, to *hub.Dialect) (*hub.Request, []byte) {
	t.Helper()
	from, err := adapters.Lookup("agui")
	if err != nil {
		t.Fatal(err)
	}
	req := &hub.Request{Model: []byte("m"), Header: func(string) string { return "" }}
	if err := from.Requests.DecodeRequest(req, []byte(oddRequest())); err != nil {
		t.Fatal(err)
	}
	body, err := to.RequestWriter()(nil, req, new(hub.Losses))
	if err != nil {
		t.Fatalf("%s: %v", to.Name, err)
	}
	return req, body
}

// clientName is what the client calls the tool that the agent knows by the name.
func clientName(req *hub.Request, wire string) string {
	if plain, ok := req.Renamed[wire]; ok {
		var s string
		if json.Unmarshal([]byte(`"`+string(plain)+`"`), &s) != nil {
			return "no string body"
		}
		return s
	}
	return wire
}

// checkCalls fails where the history has not each call, of the tool that was called, with an id that is taken and its own result.
func checkCalls(t *testing.T, name string, got *hub.Request, meant map[string]string, id *regexp.Regexp) {
	t.Helper()
	n, ids := 0, map[string]bool{}
	for _, m := range got.Messages {
		for _, p := range m.Parts {
			if p.Kind != hub.PartCall {
				continue
			}
			if meant[string(p.Name)] != oddNames[n] || p.Result == nil || !strings.HasSuffix(string(p.Result.Text), fmt.Sprint(" ", n)) {
				t.Errorf("%s: call %d is of %q with the result %+v", name, n, p.Name, p.Result)
			}
			if !id.Match(p.ID) || ids[string(p.ID)] {
				t.Errorf("%s: call %d has the id %q", name, n, p.ID)
			}
			ids[string(p.ID)] = true
			n++
		}
	}
	if n != len(oddNames) {
		t.Errorf("%s: %d calls of %d", name, n, len(oddNames))
	}
}

// TestParticipantNames: Chat Completions agents get names of those who speak as they take them.
func TestParticipantNames(t *testing.T) {
	f := func(name, want string) {
		t.Helper()
		quoted, _ := json.Marshal(name)
		body := `{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","name":` + string(quoted) + `,"content":"Hi"}]}`
		out, losses := translated(t, "agui", "openai-chat", body)
		var got struct{ Messages []struct{ Name string } }
		if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Messages) != 1 || got.Messages[0].Name != want || losses != "" {
			t.Errorf("%q: %s, lost %q, %v", name, out, losses, err)
		}
	}
	f("ada", "ada")
	f("Ada Lovelace", "Ada_Lovelace")
	f("Zo\u00eb", "Zo\u00eb")
	f(`<b>a\b/c|d"e`+"\n", `_b_a_b_c_d"e_`)
	f(strings.Repeat("\u00eb", 40), strings.Repeat("\u00eb", 32))
	f(strings.Repeat("n", 63)+"\u00eb", strings.Repeat("n", 63))
}
