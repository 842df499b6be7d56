package adapters_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestSettingsOfTheWrongType: a setting that its own dialect has in another form is lost on its way to any other, and that is said. It vanished.
func TestSettingsOfTheWrongType(t *testing.T) {
	lose := func(from, body string, members map[string]string) {
		t.Helper()
		for member, loss := range members {
			for _, to := range []string{"openai-chat", "anthropic", "langgraph", "adk", "agentevent"} {
				if to != from {
					loses(t, from, to, strings.Replace(body, "<>", member, 1), loss)
				}
			}
		}
	}
	lose("openai-chat", `{<>,"messages":[{"role":"user","content":"q"}]}`, map[string]string{
		`"temperature":"hot"`: "settings.temperature", `"max_tokens":{}`: "settings.max_tokens", `"tools":"none"`: "tools", `"stop":5`: "settings.stop",
		`"user":7`: "settings.user", `"parallel_tool_calls":"yes"`: "settings.parallel_calls", `"reasoning_effort":3`: "settings.effort",
		`"tool_choice":"some"`: "settings.tool_choice", `"response_format":"json"`: "settings.format", `"n":[]`: "settings.choices",
		`"temperature":null,"tools":null,"stop":null,"tool_choice":null,"response_format":null`: "", `"response_format":{"type":"text"}`: "",
	})
	lose("openai-responses", `{<>,"input":"q"}`, map[string]string{
		`"temperature":"hot"`: "settings.temperature", `"max_output_tokens":{}`: "settings.max_tokens", `"tools":{}`: "tools", `"reasoning":"high"`: "settings",
		`"reasoning":{"effort":1}`: "settings.effort", `"text":{"format":"json"}`: "settings.format", `"tool_choice":{"type":"file_search"}`: "settings.tool_choice",
		`"reasoning":null,"text":{"format":{"type":"text"}}`: "",
	})
	lose("anthropic", `{<>,"messages":[{"role":"user","content":"q"}]}`, map[string]string{
		`"temperature":"hot"`: "settings.temperature", `"stop_sequences":1`: "settings.stop", `"thinking":true`: "settings.budget", `"metadata":"u"`: "settings",
		`"thinking":{"type":"enabled","budget_tokens":"all"}`: "settings.budget", `"tool_choice":"any"`: "settings.tool_choice",
		`"tool_choice":{"type":"auto","disable_parallel_tool_use":1}`: "settings.parallel_calls", `"tools":7`: "tools", `"output_config":{"format":{"type":"x"}}`: "settings.format",
	})
	lose("gemini", `{<>,"contents":[{"role":"user","parts":[{"text":"q"}]}]}`, map[string]string{
		`"generationConfig":{"temperature":"hot"}`: "settings.temperature", `"generation_config":{"top_p":[]}`: "settings.top_p", `"generationConfig":1`: "settings",
		`"tools":"none"`: "tools", `"toolConfig":{"functionCallingConfig":{"mode":"SOME"}}`: "settings.tool_choice",
		`"generationConfig":{"thinkingConfig":{"thinkingBudget":"all"}}`: "settings.budget", `"toolConfig":{"functionCallingConfig":{"mode":"MODE_UNSPECIFIED"}}`: "",
	})
	lose("gemini-interactions", `{<>,"input":"q"}`, map[string]string{
		`"generation_config":{"temperature":"hot"}`: "settings.temperature", `"generation_config":"x"`: "settings", `"tools":"none"`: "tools",
		`"generation_config":{"tool_choice":"some"}`: "settings.tool_choice",
	})
	lose("bedrock", `{<>,"messages":[{"role":"user","content":[{"text":"q"}]}]}`, map[string]string{
		`"inferenceConfig":{"temperature":"hot"}`: "settings.temperature", `"inferenceConfig":[]`: "settings", `"toolConfig":{"tools":"none"}`: "tools",
		`"toolConfig":{"toolChoice":{"some":{}}}`: "settings.tool_choice", `"outputConfig":{"textFormat":{"structure":{"jsonSchema":{"schema":"x"}}}}`: "settings.format",
	})
	lose("mastra", `{<>,"messages":[{"role":"user","content":"q"}]}`, map[string]string{
		`"modelSettings":{"temperature":"hot"}`: "settings.temperature", `"modelSettings":1`: "settings", `"clientTools":[]`: "tools",
		`"toolChoice":"some"`: "settings.tool_choice", `"structuredOutput":{}`: "settings.format",
	})
	lose("agui", `{<>,"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":"q"}]}`, map[string]string{`"tools":"none"`: "tools"})
	lose("datastream", `{<>,"id":"t","messages":[{"id":"1","role":"user","content":"q"}]}`, map[string]string{`"tools":"none"`: "tools"})
	translates(t, "anthropic", "openai-chat", `{"stop_sequences":"x","messages":[{"role":"user","content":"q"}]}`, "", `"stop":["x"]`)
}

// loses wants the loss beside those that a request has anyway; "" for none.
func loses(t *testing.T, from, to, body, loss string) {
	t.Helper()
	_, named := translated(t, from, to, body)
	all := "," + named + ","
	if loss == "" && named != "" || !strings.Contains(all, ","+loss+",") {
		t.Errorf("%s to %s loses %q, want %q: %s", from, to, named, loss, body)
	}
}

// TestStrictTools: that arguments are kept to their schema is said of a tool, or of all by the mode of a choice. What has no place for it says so.
func TestStrictTools(t *testing.T) {
	const (
		question = `"messages":[{"role":"user","content":"q"}]`
		tool     = `{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}},"strict":<>}}`
		gemini   = `{"contents":[{"role":"user","parts":[{"text":"q"}]}],"tools":[{"functionDeclarations":[{"name":"f"}]}],"toolConfig":{"functionCallingConfig":{"mode":"VALIDATED"}}}`
		bare     = `{"contents":[{"role":"user","parts":[{"text":"q"}]}],"toolConfig":{"functionCallingConfig":{"mode":"VALIDATED"}}}`
		actions  = `{"input":"q","tools":[{"type":"function","name":"f"}],"generation_config":{"tool_choice":<>}}`
	)
	chat := func(strict string) string {
		return `{"tools":[` + strings.Replace(tool, "<>", strict, 1) + `],` + question + `}`
	}
	for _, to := range []string{"gemini", "gemini-interactions", "mastra", "agui"} {
		translates(t, "openai-chat", to, chat("true"), "tools.strict")
		translates(t, "openai-chat", to, chat("false"), "")
	}
	for _, to := range []string{"openai-responses", "anthropic", "bedrock"} {
		translates(t, "openai-chat", to, chat("true"), "", `"strict":true`)
	}
	for _, to := range []string{"openai-chat", "openai-responses", "anthropic", "bedrock", "mastra"} {
		translates(t, "gemini", to, gemini, "tools.strict", `!"strict":true`)
		translates(t, "gemini", to, bare, "")
		for _, choice := range []string{`"validated"`, `{"allowed_tools":{"mode":"validated","tools":["f"]}}`} {
			if _, named := translated(t, "gemini-interactions", to, strings.Replace(actions, "<>", choice, 1)); !strings.Contains(named, "tools.strict") {
				t.Errorf("gemini-interactions to %s with %s loses %q", to, choice, named)
			}
		}
	}
}

// TestTextsOfTheWrongType: a part whose text is of another type is lost, and that is said.
func TestTextsOfTheWrongType(t *testing.T) {
	for from, body := range map[string]string{
		"openai-chat": `{"messages":[{"role":"user","content":[{"type":"text","text":"q"},{"type":"text","text":<>}]}]}`,
		"anthropic":   `{"messages":[{"role":"user","content":[{"type":"text","text":"q"},{"type":"text","text":<>}]}]}`,
		"agui":        `{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":[{"type":"text","text":"q"},{"type":"text","text":<>}]}]}`,
		"aisdk":       `{"id":"c","messages":[{"id":"1","role":"user","parts":[{"type":"text","text":"q"},{"type":"text","text":<>}]}]}`,
		"mastra":      `{"messages":[{"role":"user","content":[{"type":"text","text":"q"},{"type":"text","text":<>}]}]}`,
		"datastream":  `{"id":"t","messages":[{"id":"1","role":"user","content":"q","parts":[{"type":"text","text":"q"},{"type":"text","text":<>}]}]}`,
	} {
		for _, wrong := range []string{`5`, `true`, `{"x":"y"}`, `["y"]`} {
			loses(t, from, "agentevent", strings.Replace(body, "<>", wrong, 1), "messages.members")
		}
		for _, fine := range []string{`"r"`, `""`, `null`} {
			loses(t, from, "agentevent", strings.Replace(body, "<>", fine, 1), "")
		}
	}
}

// TestPlacesOfOneDialect: what only the client's dialect has a place for is a loss on the way to any other.
func TestPlacesOfOneDialect(t *testing.T) {
	const (
		graph = `{"assistant_id":"a","input":{"messages":[{"type":"human","content":"q"},{"type":"ai","content":"","tool_calls":[{"id":"c","name":"f","args":{}}]},` +
			`{"type":"tool","tool_call_id":"c","content":"r"<>}]}}`
		file = `{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":[{"type":"text","text":"q"},` +
			`{"type":"image","source":{"type":"url","value":"https://x/a.png"},"metadata":<>}]}]}`
		call = `{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":"q"},{"id":"2","role":"assistant",` +
			`"toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"},"metadata":<>}]}]}`
		message = `{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":"q","metadata":<>}]}`
	)
	fill := func(body, with string) string { return strings.Replace(body, "<>", with, 1) }
	for _, to := range []string{"openai-chat", "anthropic", "langgraph"} {
		translates(t, "langgraph", to, fill(graph, `,"artifact":{"rows":[1]}`), "messages.result.artifact")
		translates(t, "langgraph", to, fill(graph, `,"artifact":null`), "")
		translates(t, "agui", to, fill(file, `{"filename":"a.png"}`), "messages.file.name")
		translates(t, "agui", to, fill(file, `{"x":1}`), "messages.metadata")
		translates(t, "agui", to, fill(call, `{"x":1}`), "messages.metadata")
		translates(t, "agui", to, fill(message, `{"x":1}`), "messages.metadata")
		translates(t, "agui", to, fill(message, `{"sabir":{"x":1}}`), "")
	}
	for _, body := range []string{file, call, message} {
		translates(t, "agui", "agui", fill(body, `{"x":1}`), "", `"metadata":{"x":1}`)
	}
}

// TestOtherSettings: members beside the settings that are known count as those beside the request's own do.
func TestOtherSettings(t *testing.T) {
	f := func(from, body, member, loss string) {
		t.Helper()
		loses(t, from, "openai-chat", strings.Replace(body, "<>", member, 1), loss)
	}
	const gemini = `{"contents":[{"role":"user","parts":[{"text":"q"}]}],"generationConfig":{"temperature":1,"response_mime_type":"application/json",<>}}`
	f("gemini", gemini, `"responseModalities":["TEXT","IMAGE"]`, "extra")
	f("gemini", gemini, `"media_resolution":"MEDIA_RESOLUTION_LOW"`, "extra")
	f("gemini", gemini, `"response_modalities":["TEXT"],"responseLogprobs":false,"logprobs":null`, "")
	f("bedrock", `{"messages":[{"role":"user","content":[{"text":"q"}]}],"inferenceConfig":{"topP":1,<>}}`, `"topK":4`, "extra")
	f("mastra", `{"messages":[{"role":"user","content":"q"}],"modelSettings":{"topP":1,<>}}`, `"headers":{"a":"b"}`, "extra")
	f("mastra", `{"messages":[{"role":"user","content":"q"}],"modelSettings":{"topP":1,<>}}`, `"maxRetries":2`, "")
}

// TestNamesOfTheWrongType: what names the conversation to go on with is a text. A turn that goes on from something else would begin anew.
func TestNamesOfTheWrongType(t *testing.T) {
	for dialect, names := range map[string][]string{
		"openai-responses":    {`"previous_response_id":7`, `"previous_response_id":{"id":"x"}`, `"conversation":7`, `"conversation":{"id":7}`, `"conversation":[]`},
		"gemini-interactions": {`"previous_interaction_id":7`, `"previous_interaction_id":["x"]`},
	} {
		d := dialectOf(t, dialect)
		for _, name := range names {
			member, _, _ := strings.Cut(strings.TrimPrefix(name, `"`), `"`)
			req := hub.Request{Header: func(string) string { return "" }}
			err := d.Requests.DecodeRequest(&req, []byte(`{"model":"m","input":"q",`+name+`}`))
			if err == nil || !strings.Contains(err.Error(), member+": type: want") {
				t.Errorf("%s with %s: %v", dialect, name, err)
			}
		}
	}
}

// TestUnknownMembers: what a message, a part, a call or a tool has and the model has no place for is lost, and that is said; but not for the
// dialect that keeps it. What says nothing, or says what other members say, is no loss.
func TestUnknownMembers(t *testing.T) {
	f := func(from, body, member, loss, own string) {
		t.Helper()
		body = strings.Replace(body, "<>", member, 1)
		loses(t, from, "agentevent", body, loss)
		if _, named := translated(t, from, from, body); named != own {
			t.Errorf("%s to itself loses %q, want %q: %s", from, named, own, body)
		}
	}
	const (
		members, tools = "messages.members", "tools.members"

		chat      = `{"messages":[{"role":"user","content":[{"type":"text","text":"q"},{"type":"image_url","image_url":{"url":"https://x/a.png"<>}}]}]}`
		chatCall  = `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"<>}}]},{"role":"tool","tool_call_id":"c","content":"r"},{"role":"user","content":"q"}]}`
		chatTool  = `{"messages":[{"role":"user","content":"q"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}<>}}]}`
		responses = `{"input":[{"role":"user","content":[{"type":"input_text","text":"q"},{"type":"input_image","image_url":"https://x/a.png"<>}]}]}`
		claude    = `{"messages":[{"role":"user","content":[{"type":"text","text":"q"<>}]}]}`
		claudeMsg = `{"max_tokens":9,"messages":[{"role":"user","content":"q"<>}]}`
		gemini    = `{"contents":[{"role":"user","parts":[{"text":"q"},{"fileData":{"mimeType":"video/mp4","fileUri":"https://x/a.mp4"}<>}]}]}`
		function  = `{"contents":[{"role":"user","parts":[{"text":"q"}]}],"tools":[{"functionDeclarations":[{"name":"f"<>}]}]}`
		actions   = `{"input":[{"type":"user_input","content":[{"type":"text","text":"q"<>}]}]}`
		bedrock   = `{"messages":[{"role":"user","content":[{"text":"q"}]<>}]}`
		agui      = `{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":"q"<>}]}`
		aisdk     = `{"id":"t","messages":[{"id":"1","role":"user","parts":[{"type":"text","text":"q"<>}]}]}`
		stream    = `{"id":"t","messages":[{"id":"1","role":"user","content":"q"<>}]}`
		mastra    = `{"messages":[{"role":"user","content":"q"<>}]}`
		graph     = `{"assistant_id":"a","input":{"messages":[{"type":"human","content":"q","additional_kwargs":{<>}}]}}`
	)
	f("openai-chat", chat, `,"detail":"high"`, "messages.file,"+members, "")
	f("openai-chat", chat, `,"detail":"auto"`, "messages.file", "")
	f("openai-chat", chatCall, `,"strict":true`, members, members)
	f("openai-chat", chatCall, `,"parsed_arguments":{}`, "messages.result", "")
	f("openai-chat", chatTool, `,"examples":["x"]`, tools, tools)
	f("openai-chat", `{"messages":[{"role":"user","content":"q"<>}]}`, `,"id":"m1","createdAt":"2026-11-28T10:00:00Z"`, "", "")
	f("openai-responses", responses, `,"detail":"low"`, "messages.file,"+members, "")
	f("anthropic", claude, `,"citations":{"enabled":true}`, "", "")
	f("anthropic", claude, `,"cache_control":{"type":"ephemeral"}`, "", "")
	f("anthropic", claude, `,"x":1`, members, "")
	f("anthropic", claudeMsg, `,"x":1`, members, members)
	f("gemini", gemini, `,"videoMetadata":{"fps":1}`, "messages.file,"+members, "")
	f("gemini", gemini, "", "messages.file", "")
	f("gemini", function, `,"response":{"type":"OBJECT"}`, tools, tools)
	f("gemini-interactions", actions, `,"x":1`, members, members)
	f("bedrock", bedrock, `,"x":1`, members, members)
	f("agui", agui, `,"x":1`, members, members)
	f("agui", agui, `,"x":{},"y":[],"z":""`, "", "")
	f("aisdk", aisdk, `,"x":1`, members, members)
	f("aisdk", aisdk, `,"state":"done","id":"p"`, "", "")
	f("datastream", stream, `,"x":1`, members, members)
	f("datastream", stream, `,"createdAt":"2026-11-28T10:00:00Z"`, "", "")
	f("mastra", mastra, `,"x":1`, members, members)
	f("langgraph", graph, `"x":1`, members, members)
	f("langgraph", graph, `"tool_calls":[{"id":"c"}]`, "", "")
	f("agui", `{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":"q"}]<>}`, `,"x":1`, "extra", "extra")
	f("langgraph", `{"assistant_id":"a","input":{"messages":[{"type":"human","content":"q"}]}<>}`, `,"interrupt_before":["tools"]`, "extra", "extra")
	f("langgraph", `{"assistant_id":"a","input":{"messages":[{"type":"human","content":"q"}]}<>}`, `,"stream_resumable":true,"webhook":null`, "", "")
}

// TestFlagsOfTheWrongType: a member that is true or false and is something else is an error that names it. The client would get a whole answer
// in place of a stream, or none that is remembered.
func TestFlagsOfTheWrongType(t *testing.T) {
	for from, body := range map[string]string{
		"openai-chat":         `{"messages":[{"role":"user","content":"q"}],"stream":<>,"stream_options":{"include_usage":<>}}`,
		"anthropic":           `{"max_tokens":9,"messages":[{"role":"user","content":"q"}],"stream":<>}`,
		"openai-responses":    `{"input":"q","stream":<>,"store":<>,"background":<>}`,
		"gemini-interactions": `{"input":"q","stream":<>,"store":<>,"background":<>}`,
	} {
		for i := range strings.Count(body, "<>") {
			for _, v := range []string{`"true"`, "1", "{}", "true", "false", "null"} {
				asked := strings.Replace(body, "<>", "null", i)
				at := asked[:strings.Index(asked, ":<>")]
				name := at[strings.LastIndexByte(at[:len(at)-1], '"')+1 : len(at)-1]
				asked = strings.ReplaceAll(strings.Replace(asked, "<>", v, 1), "<>", "null")
				err := dialectOf(t, from).Requests.DecodeRequest(&hub.Request{Header: func(string) string { return "" }}, []byte(asked))
				wrong := v == `"true"` || v == "1" || v == "{}"
				if (err != nil) != wrong || err != nil && (!strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "want true or false")) {
					t.Errorf("%s: %v: %s", from, err, asked)
				}
			}
		}
	}
}
