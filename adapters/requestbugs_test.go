package adapters_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestRowsOfRequests: what other translators of requests got wrong. Each row is a request, where it goes, what must stand in the
// body there, what must not (behind a !), and the losses that are named.
func TestRowsOfRequests(t *testing.T) {
	const (
		asked  = `{"role":"user","content":"q"}`
		called = `{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}`
		both   = `{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}},` +
			`{"id":"c2","type":"function","function":{"name":"g","arguments":"{}"}}]}`
		result = `{"role":"tool","tool_call_id":"c1","content":"one"}`
		seen   = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"see"},` +
			`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]},{"type":"text","text":"and this"}]}`
		seenBy = `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]},` + seen + `]}`
		schema = `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"type":["string","null"],"x-own":1}},"$defs":{"n":{"const":1}}}`
		tool   = `"tools":[{"type":"function","function":{"name":"f"}}],`
	)
	chat := func(messages ...string) string { return `{"messages":[` + strings.Join(messages, ",") + `]}` }
	f := func(row, from, to, body string, losses string, wants ...string) {
		t.Helper()
		out, named := translated(t, from, to, body)
		if named != losses {
			t.Errorf("%s: %s to %s loses %q, want %q", row, from, to, named, losses)
		}
		for _, want := range wants {
			unwanted, not := strings.CutPrefix(want, "!")
			if not && strings.Contains(out, unwanted) || !not && !strings.Contains(out, want) {
				t.Errorf("%s: %s to %s: want %s in\n%s", row, from, to, want, out)
			}
		}
	}
	f("A15 two calls of one function", "gemini", "openai-chat",
		`{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{"n":1}}},`+
			`{"functionCall":{"name":"f","args":{"n":2}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"one"}}},`+
			`{"functionResponse":{"name":"f","response":{"output":"two"}}}]}]}`, "",
		`"id":"call_sabir_1","type":"function","function":{"name":"f","arguments":"{\"n\":1}"}`, `"tool_call_id":"call_sabir_1","content":"one"`,
		`"tool_call_id":"call_sabir_2","content":"two"`)
	f("A17 a call with two results", "openai-chat", "anthropic", chat(asked, called, result, `{"role":"tool","tool_call_id":"c1","content":"two"}`, asked), "",
		`[{"type":"tool_result","tool_use_id":"c1","content":"two"},{"type":"text","text":"q"}]`, `!"one"`)
	for _, to := range []string{"openai-chat", "gemini", "agui", "aisdk", "datastream"} {
		losses := ""
		if to == "openai-chat" {
			losses = "messages.reasoning"
		}
		f("I9 reasoning is never said by the user", "openai-responses", to, `{"input":[{"role":"user","content":"q"},{"type":"reasoning","id":"rs_1",`+
			`"summary":[{"type":"summary_text","text":"hmm"}],"content":null},{"role":"assistant","content":"a"},{"role":"user","content":"r"}]}`,
			losses, `!"role":"user","content":"hmm"`, `!{"text":"hmm"}`, `!"parts":[{"type":"text","text":"hmm"}`)
	}
	f("J1 images in results", "anthropic", "openai-responses", seenBy, "", `{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,AAAA"}`)
	f("J1 images in results", "anthropic", "openai-chat", seenBy, "messages.result.content", `"tool_call_id":"c1","content":"see\n[image]"`)
	f("J2 a text beside a result", "anthropic", "openai-chat", seenBy, "messages.result.content", `,{"role":"user","content":"and this"}]`)
	f("J3 tools without a type", "anthropic", "openai-chat", `{"tools":[{"name":"f","input_schema":{"type":"object"}},{"type":"custom","name":"g",`+
		`"input_schema":{"type":"object"}},{"type":"","name":"h","input_schema":{"type":"object"}}],"messages":[`+asked+`]}`, "",
		`{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}`, `"name":"g"`, `"name":"h"`)
	f("J4 system in the middle", "anthropic", "openai-chat", chat(asked, `{"role":"assistant","content":"a"}`, `{"role":"system","content":"Be brief."}`, asked), "",
		`{"role":"assistant","content":"a"},{"role":"system","content":"Be brief."},{"role":"user","content":"q"}`)
	f("J4 system in the middle", "openai-chat", "gemini", chat(asked, `{"role":"assistant","content":"a"}`, `{"role":"system","content":"Be brief."}`, asked),
		"messages.system", `"systemInstruction":{"parts":[{"text":"Be brief."}]}`)
	odd := chat(`{"role":"user","content":[{"type":"text","text":""},{"type":"text","text":"q"}]}`, `{"role":"assistant","content":""}`,
		`{"role":"assistant","content":"a"}`, `{"role":"user","content":"r"}`, `{"role":"user","content":""}`, `{"role":"user","content":"s"}`)
	f("J5 roles in a row, J6 empty texts", "openai-chat", "anthropic", odd, "",
		`"messages":[{"role":"user","content":[{"type":"text","text":"q"}]},{"role":"assistant","content":[{"type":"text","text":"a"}]},`+
			`{"role":"user","content":[{"type":"text","text":"r"},{"type":"text","text":"s"}]}]`)
	f("J5 roles in a row", "openai-chat", "gemini", odd, "", `{"role":"model","parts":[{"text":"a"}]},{"role":"user","parts":[{"text":"r"},{"text":"s"}]}]`)
	f("J6 empty texts", "openai-chat", "anthropic", chat(asked, called, `{"role":"tool","tool_call_id":"c1","content":""}`), "", `!"text":""`)
	f("J7 schemas pass as they are", "anthropic", "gemini", `{"tools":[{"name":"f","input_schema":`+schema+`}],"messages":[`+asked+`]}`, "",
		`"parametersJsonSchema":`+schema)
	f("J8 members that the agent does not know", "openai-chat", "gemini",
		`{"stream":true,"stream_options":{"include_usage":true},"logit_bias":{"1":1},"messages":[`+asked+`]}`, "extra", `!stream_options`, `!logit_bias`, `!"stream"`)
	f("J10 stop sequences", "anthropic", "openai-chat", `{"stop_sequences":["x"],"messages":[`+asked+`]}`, "", `"stop":["x"]`)
	f("J10 stop sequences", "openai-chat", "anthropic", `{"stop":"x","messages":[`+asked+`]}`, "", `"stop_sequences":["x"]`)
	f("J11 most tokens", "openai-chat", "anthropic", `{"max_tokens":5,"messages":[`+asked+`]}`, "", `"max_tokens":5`)
	f("J11 most tokens", "openai-chat", "anthropic", `{"max_tokens":5,"max_completion_tokens":6,"messages":[`+asked+`]}`, "", `"max_tokens":6`)
	f("J11 most tokens", "openai-chat", "anthropic", chat(asked), "", `"max_tokens":32000`)
	f("J12 built-in tools", "openai-responses", "anthropic", `{"tools":[{"type":"web_search"}],"input":"q"}`, "tools.builtin", `!"tools"`)
	choice := `"tool_choice":{"type":"function","function":{"name":"f"}},"messages":[` + asked + `]}`
	f("J13 choice of a tool", "openai-chat", "anthropic", `{`+tool+choice, "", `"tool_choice":{"type":"tool","name":"f"}`)
	f("J13 choice of a tool", "openai-chat", "gemini", `{`+tool+choice, "", `{"mode":"ANY","allowedFunctionNames":["f"]}`)
	f("J13 no tools to choose from", "openai-chat", "anthropic", `{"tools":[],`+choice, "", `!"tools"`, `!tool_choice`)
	f("J13 any tool, one at a time", "anthropic", "openai-responses", `{"tools":[{"name":"f","input_schema":{"type":"object"}}],`+
		`"tool_choice":{"type":"any","disable_parallel_tool_use":true},"messages":[`+asked+`]}`, "", `"tool_choice":"required","parallel_tool_calls":false`)
	f("J14 a text and a call", "openai-responses", "openai-chat", `{"input":[{"role":"user","content":"q"},{"role":"assistant","content":"Let me look."},`+
		`{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"ok"}]}`, "",
		`{"role":"assistant","content":"Let me look.","tool_calls":[{"id":"c1",`)
	f("J15 results together", "openai-chat", "anthropic", chat(`{"role":"system","content":"s"}`, asked, both, result, `{"role":"tool","tool_call_id":"c2","content":"two"}`, asked), "",
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"one"},{"type":"tool_result","tool_use_id":"c2","content":"two"},{"type":"text","text":"q"}]}`)
	f("J18 blocks of tools that the provider runs", "anthropic", "openai-chat", `{"messages":[`+asked+`,{"role":"assistant","content":[`+
		`{"type":"server_tool_use","id":"s1","name":"tool_search","input":{}},{"type":"tool_search_tool_result","tool_use_id":"s1","content":{"found":1}},`+
		`{"type":"text","text":"a"}]},`+asked+`]}`, "", `"name":"tool_search"`, `"tool_call_id":"s1","content":"{\"found\":1}"`, `{"role":"assistant","content":"a"}`)
	f("J19 prefill without space at its end, which is refused", "openai-chat", "anthropic", chat(asked, `{"role":"assistant","content":"It is "}`), "",
		`{"role":"assistant","content":[{"type":"text","text":"It is"}]}]`)
	f("J21 marks of caches", "anthropic", "openai-chat", `{"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],"messages":[`+asked+`]}`, "", `!cache`)
	f("J21 marks of caches", "openai-chat", "anthropic", `{"prompt_cache_key":"k","messages":[`+asked+`]}`, "", `!cache`)
}

// TestHistoriesThatAreRefused: what an API refuses in a history that others take.
func TestHistoriesThatAreRefused(t *testing.T) {
	const (
		asked  = `{"role":"user","content":"q"}`
		called = `{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}`
		result = `{"role":"tool","tool_call_id":"c1","content":"one"}`
	)
	chat := func(messages ...string) string { return `{"messages":[` + strings.Join(messages, ",") + `]}` }
	f := func(to, body, losses string, wants ...string) {
		t.Helper()
		out, named := translated(t, "openai-chat", to, body)
		if named != losses {
			t.Errorf("%s: loses %q, want %q", to, named, losses)
		}
		for _, want := range wants {
			if unwanted, not := strings.CutPrefix(want, "!"); strings.Contains(out, unwanted) == not {
				t.Errorf("%s: want %s in\n%s", to, want, out)
			}
		}
	}
	gone := `"toolConfig":{"tools":[{"toolSpec":{"name":"f","description":"This tool is not available any more.","inputSchema":{"json":{"type":"object","properties":{}}}}}]}`
	f("bedrock", chat(asked, called, result, asked), "", gone) // calls where no tool is defined
	f("bedrock", `{"tools":[{"type":"function","function":{"name":"f"}}],"messages":[`+asked+`,`+called+`,`+result+`]}`, "", "!any more")
	f("bedrock", `{"tools":[],"tool_choice":"required","messages":[`+asked+`,`+called+`,`+result+`]}`, "", gone)
	f("bedrock", chat(asked), "", "!toolConfig")
	greeted := chat(`{"role":"system","content":"s"}`, `{"role":"assistant","content":"Hello!"}`, asked) // the agent begins
	f("anthropic", greeted, "", `"messages":[{"role":"user","content":[{"type":"text","text":"The assistant begins the conversation."}]},{"role":"assistant","content":[{"type":"text","text":"Hello!"}]},{"role":"user",`)
	f("bedrock", greeted, "", `"messages":[{"role":"user","content":[{"text":"The assistant begins the conversation."}]},{"role":"assistant","content":[{"text":"Hello!"}]},{"role":"user",`)
	f("anthropic", chat(asked), "", "!begins")
}

// TestWordsInOtherBlocks: what is said in blocks that only one API has is said to every agent.
func TestWordsInOtherBlocks(t *testing.T) {
	const (
		cited = `{"role":"assistant","content":[{"type":"text","text":"a","citations":[{"type":"web_search_result_location","url":"https://u","title":"T"}]}]}`
		found = `{"type":"search_result","source":"https://s","title":"T","content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]}`
		doc   = `{"type":"document","title":"D","source":{"type":"content","content":"three"}}`
	)
	anthropic := func(blocks string) string { return `{"messages":[{"role":"user","content":[` + blocks + `]}]}` }
	bedrock := func(role, blocks string) string {
		return `{"messages":[{"role":"user","content":[{"text":"q"}]},{"role":"` + role + `","content":[` + blocks + `]}]}`
	}
	f := func(from, to, body, losses, want string) {
		t.Helper()
		if out, named := translated(t, from, to, body); named != losses || !strings.Contains(out, want) {
			t.Errorf("%s to %s: loses %q, want %q, and %s in\n%s", from, to, named, losses, want, out)
		}
	}
	source := `{"type":"source-url","sourceId":"source-1","url":"https://u","title":"T"}`
	f("anthropic", "aisdk", `{"messages":[{"role":"user","content":"q"},`+cited+`]}`, "", `{"type":"text","text":"a"},`+source)
	f("anthropic", "openai-chat", `{"messages":[`+cited+`]}`, "messages.source", `"content":"a"`)
	f("anthropic", "anthropic", `{"messages":[{"role":"user","content":"q"},`+cited+`]}`, "", cited)
	f("openai-responses", "aisdk", `{"input":[{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"a","annotations":`+
		`[{"type":"url_citation","url":"https://u","title":"T"}]}]}]}`, "", `{"type":"text","text":"a"},`+source)
	f("anthropic", "openai-chat", anthropic(found+`,`+doc), "", `[{"type":"text","text":"T\nhttps://s\none\ntwo"},{"type":"text","text":"D\nthree"}]`)
	f("anthropic", "anthropic", anthropic(found+`,`+doc), "", found+`,`+doc)
	f("anthropic", "openai-chat", `{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},{"role":"user","content":`+
		`[{"type":"tool_result","tool_use_id":"c","content":[`+found+`]}]}]}`, "", `"content":"T\nhttps://s\none\ntwo"`)
	f("bedrock", "aisdk", bedrock("assistant", `{"citationsContent":{"content":[{"text":"a"},{"text":"b"}],"citations":[{"title":"T","location":{"web":{"url":"https://u"}}}]}}`),
		"", `{"type":"text","text":"ab"},`+source)
	f("bedrock", "openai-chat", bedrock("user", `{"guardContent":{"text":{"text":"g"}}},{"searchResult":{"source":"s","title":"T","content":[{"text":"one"}]}}`),
		"", `[{"type":"text","text":"g"},{"type":"text","text":"T\ns\none"}]`)
}

func dialectOf(t *testing.T, name string) *hub.Dialect {
	t.Helper()
	d, err := adapters.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// translated is a request as another dialect has it, and its losses.
func translated(t *testing.T, from, to, body string) (out, losses string) {
	t.Helper()
	source := dialectOf(t, from)
	to, option, _ := strings.Cut(to, " ")
	target := dialectOf(t, to)
	req := hub.Request{Model: []byte("m"), Header: func(string) string { return "" }}
	if option != "" {
		req.Upstream = adaptertest.Options(t, target, option)
	}
	if err := source.Requests.DecodeRequest(&req, []byte(body)); err != nil {
		t.Fatalf("%s: %v\n%s", from, err, body)
	}
	var l hub.Losses
	written, err := target.RequestWriter()(nil, &req, &l)
	if err != nil {
		t.Fatalf("%s: %v\n%s", to, err, body)
	}
	slices.Sort(l.Names)
	return string(written), strings.Join(l.Names, ",")
}
