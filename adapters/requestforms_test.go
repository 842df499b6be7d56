package adapters_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// translates wants what a request becomes: the losses that are named, and what stands in the body, or must not (behind a !).
func translates(t *testing.T, from, to, body, losses string, wants ...string) {
	t.Helper()
	out, named := translated(t, from, to, body)
	if named != losses {
		t.Errorf("%s to %s loses %q, want %q: %s", from, to, named, losses, body)
	}
	for _, want := range wants {
		if unwanted, not := strings.CutPrefix(want, "!"); strings.Contains(out, unwanted) == not {
			t.Errorf("%s to %s: want %s in\n%s", from, to, want, out)
		}
	}
}

// TestBase64OfPython: Google's library in Python writes bytes with the digits - and _, which only Google takes.
func TestBase64OfPython(t *testing.T) {
	const body = `{"contents":[{"role":"user","parts":[{"inline_data":{"mime_type":"image/png","data":"_-9_AA=="}}]},` +
		`{"role":"model","parts":[{"text":"hm","thought":true,"thought_signature":"_-8="},{"functionCall":{"name":"f","args":{}},"thoughtSignature":"_-8="}]},` +
		`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"x"},"parts":[{"inlineData":{"mimeType":"image/png","data":"_-9_AA=="}}]}}]}]}`
	const bytes, sig = `"/+9/AA=="`, `"/+8="`
	translates(t, "gemini", "anthropic", body, "", `"source":{"type":"base64","media_type":"image/png","data":`+bytes, `"signature":`+sig, "!_-")
	translates(t, "gemini", "bedrock", body, "", `"source":{"bytes":`+bytes, "!_-")
	translates(t, "gemini", "openai-chat", body, "messages.reasoning,messages.result.content", `base64,/+9/AA==`, "!_-")
	translates(t, "gemini", "aisdk", body, "messages.result.content", `data:image/png;base64,/+9/AA==`, "!base64,_")
}

// TestArgumentsOfOtherKinds: arguments are an object, whether a client says them as text, as the object itself, or as text in a string. They
// were lost where the client says the object.
func TestArgumentsOfOtherKinds(t *testing.T) {
	const args = `{"q":1.0,"n":12345678901234567890}`
	quoted := `"{\"q\":1.0,\"n\":12345678901234567890}"`
	calls := map[string]string{
		"openai-chat":         `{"messages":[{"role":"user","content":"q"},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":<>}}]}]}`,
		"openai-responses":    `{"input":[{"role":"user","content":"q"},{"type":"function_call","call_id":"c","name":"f","arguments":<>}]}`,
		"agui":                `{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":"q"},{"id":"2","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":<>}}]}]}`,
		"anthropic":           `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":<>}]}]}`,
		"bedrock":             `{"messages":[{"role":"user","content":[{"text":"q"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c","name":"f","input":<>}}]}]}`,
		"gemini":              `{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"id":"c","name":"f","args":<>}}]}]}`,
		"gemini-interactions": `{"input":[{"type":"user_input","content":[{"type":"text","text":"q"}]},{"type":"function_call","id":"c","name":"f","arguments":<>}]}`,
		"aisdk":               `{"id":"t","messages":[{"id":"1","role":"user","parts":[{"type":"text","text":"q"}]},{"id":"2","role":"assistant","parts":[{"type":"tool-f","toolCallId":"c","state":"input-available","input":<>}]}]}`,
		"langgraph":           `{"input":{"messages":[{"type":"human","content":"q"},{"type":"ai","content":"","tool_calls":[{"id":"c","name":"f","args":<>}]}]}}`,
	}
	for from, body := range calls {
		for _, said := range []string{args, quoted} {
			body := strings.Replace(body, "<>", said, 1)
			translates(t, from, "anthropic", body, "", `"name":"f","input":`+args)
			translates(t, from, "bedrock", body, "", `"name":"f","input":`+args)
			translates(t, from, "openai-chat", body, "", `"arguments":`+quoted)
			translates(t, from, "openai-responses", body, "", `"arguments":`+quoted)
		}
	}
}

// TestResultsOfOtherKinds: what a client says as the result of a call reaches the model, also where its API knows texts alone.
func TestResultsOfOtherKinds(t *testing.T) {
	results := map[string]string{
		"openai-chat": `{"messages":[{"role":"user","content":"q"},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
			`{"role":"tool","tool_call_id":"c","content":<>}]}`,
		"openai-responses": `{"input":[{"role":"user","content":"q"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":<>}]}`,
		"langgraph": `{"input":{"messages":[{"type":"human","content":"q"},{"type":"ai","content":"","tool_calls":[{"id":"c","name":"f","args":{}}]},` +
			`{"type":"tool","tool_call_id":"c","content":<>}]}}`,
	}
	for from, body := range results {
		translates(t, from, "anthropic", strings.Replace(body, "<>", `{"r":1}`, 1), "", `"content":"{\"r\":1}"`)
	}
	pictures := map[string]string{
		"openai-chat":      `[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,QUJD"}}]`,
		"openai-responses": `[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"data:image/png;base64,QUJD"}]`,
		"langgraph":        `["see",{"type":"image_url","image_url":{"url":"data:image/png;base64,QUJD"}}]`,
	}
	for from, content := range pictures {
		body := strings.Replace(results[from], "<>", content, 1)
		translates(t, from, "anthropic", body, "", `[{"type":"text","text":"see"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}}]`)
		translates(t, from, "bedrock", body, "", `[{"text":"see"},{"image":{"format":"png","source":{"bytes":"QUJD"}}}]`)
		translates(t, from, "gemini", body, "", `"parts":[{"inlineData":{"mimeType":"image/png","data":"QUJD"}}],"response":{"output":"see"}`)
	}
}

// TestDocumentsInResults: a document that a tool gives reaches the APIs that take it, and is no text of base64 for those that do not.
func TestDocumentsInResults(t *testing.T) {
	given := map[string]string{
		"openai-responses": `{"input":[{"role":"user","content":"q"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c",` +
			`"output":[{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,QUJD"},{"type":"input_image","image_url":"https://x/y.png"}]}]}`,
		"anthropic": `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},{"role":"user","content":[` +
			`{"type":"tool_result","tool_use_id":"c","content":[{"type":"document","title":"a.pdf","source":{"type":"base64","media_type":"application/pdf","data":"QUJD"}},` +
			`{"type":"image","source":{"type":"url","url":"https://x/y.png"}}]}]}]}`,
	}
	const lost, name = "messages.result.content", "messages.file.name"
	for from, body := range given {
		translates(t, from, "anthropic", body, "", `"source":{"type":"base64","media_type":"application/pdf","data":"QUJD"}`, `{"type":"image","source":{"type":"url","url":"https://x/y.png"}}`)
		translates(t, from, "bedrock", body, lost, `{"document":{"format":"pdf","name":"a pdf","source":{"bytes":"QUJD"}}}`, `{"text":"https://x/y.png"}`)
		translates(t, from, "gemini", body, name+","+lost, `{"inlineData":{"mimeType":"application/pdf","data":"QUJD"}}`, `"output":"https://x/y.png"`)
		translates(t, from, "openai-responses", body, "", `"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,QUJD"`, `"image_url":"https://x/y.png"`)
		translates(t, from, "gemini-interactions", body, name, `{"type":"document","mime_type":"application/pdf","data":"QUJD"}`, `"uri":"https://x/y.png"`)
		translates(t, from, "openai-chat", body, lost, `"content":"[resource: a.pdf]\nhttps://x/y.png"`, "!QUJD")
		translates(t, from, "claude-cli", body, "", `"title":"a.pdf","source":{"type":"base64","media_type":"application/pdf","data":"QUJD"}`, `"source":{"type":"url","url":"https://x/y.png"}`)
	}
}

// TestRootsOfSchemas: OpenAI, Anthropic and Bedrock want an object with properties at the root of a tool's schema, and no choice there.
func TestRootsOfSchemas(t *testing.T) {
	const (
		empty  = `{"type":"object","properties":{}}`
		plain  = `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}},"additionalProperties":false}`
		ref    = `{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"required":["a"]}}}`
		either = `{"description":"d","oneOf":[{"type":"object","properties":{"k":{"const":"x"},"a":{"type":"string"}},"required":["k","a"]},` +
			`{"type":"object","properties":{"k":{"const":"y"}},"required":["k"]}]}`
		demand = `{"type":"object","properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`
		both   = `{"type":"object","properties":{"a":{}},"required":["a"],"allOf":[{"properties":{"b":{}},"required":["b"]}]}`
	)
	for _, c := range []struct{ schema, want, losses string }{
		{plain, plain, ""},
		{`{"type":"object"}`, empty, ""},
		{`{}`, empty, ""},
		{`{"type":null}`, empty, ""},
		{`{"$ref":"#"}`, empty, ""},
		{ref, `{"type":"object","$defs":{"A":{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"required":["a"]}},"properties":{"a":{"$ref":"#/$defs/A"}},"required":["a"]}`, ""},
		{either, `{"type":"object","description":"d","properties":{"k":{"anyOf":[{"const":"x"},{"const":"y"}]},"a":{"type":"string"}},"required":["k"]}`, "tools.schema"},
		{demand, `{"type":"object","properties":{"a":{},"b":{}}}`, "tools.schema"},
		{both, `{"type":"object","properties":{"a":{},"b":{}},"required":["a","b"]}`, ""},
	} {
		chat := `{"messages":[{"role":"user","content":"q"}],"tools":[{"type":"function","function":{"name":"f","parameters":` + c.schema + `}}]}`
		anthropic := `{"messages":[{"role":"user","content":"q"}],"tools":[{"name":"f","input_schema":` + c.schema + `}]}`
		translates(t, "openai-chat", "anthropic", chat, c.losses, `"input_schema":`+c.want+`}`)
		translates(t, "openai-chat", "bedrock", chat, c.losses, `"json":`+c.want+`}`)
		translates(t, "openai-chat", "openai-responses", chat, c.losses, `"parameters":`+c.want+`,`)
		translates(t, "anthropic", "openai-chat", anthropic, c.losses, `"parameters":`+c.want+`}`)
		translates(t, "anthropic", "gemini", anthropic, "", `"parametersJsonSchema":`+c.schema)
	}
}

// TestHistoriesWithoutBeginning: what is left of a conversation that a client has cut, and instructions alone, are taken by model APIs.
func TestHistoriesWithoutBeginning(t *testing.T) {
	const (
		opening = "The assistant begins the conversation."
		system  = `{"messages":[{"role":"system","content":"s"}]}`
		lone    = `{"messages":[{"role":"tool","tool_call_id":"c","content":"r"},{"role":"user","content":"q"}]}`
		called  = `{"messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
			`{"role":"tool","tool_call_id":"c","content":"r"},{"role":"user","content":"q"}]}`
	)
	translates(t, "openai-chat", "anthropic", system, "", `"messages":[{"role":"user","content":[{"type":"text","text":"`+opening)
	translates(t, "openai-chat", "bedrock", system, "", `"messages":[{"role":"user","content":[{"text":"`+opening)
	translates(t, "openai-chat", "gemini", system, "", `"contents":[{"role":"user","parts":[{"text":"`+opening+`"}]}]`)
	translates(t, "openai-chat", "gemini-interactions", system, "", `"input":[{"type":"user_input","content":[{"type":"text","text":"`+opening)
	translates(t, "openai-chat", "openai-responses", system, "", `"input":[{"type":"message","role":"system","content":"s"}]`, "!instructions")
	refuses(t, "openai-chat", "anthropic", `{"messages":[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"QUJD","format":"wav"}}]}]}`, "messages: missing")
	translates(t, "openai-chat", "gemini", called, "", `"contents":[{"role":"user","parts":[{"text":"`+opening+`"}]},{"role":"model",`)
	for _, to := range []string{"anthropic", "bedrock", "gemini", "gemini-interactions", "openai-responses"} {
		translates(t, "openai-chat", to, lone, "messages.result", "!"+opening, `!"r"`, `"q"`)
	}
	translates(t, "anthropic", "openai-chat", `{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"r"},{"type":"text","text":"q"}]}]}`,
		"messages.result", `"messages":[{"role":"user","content":"q"}]`)
}

// TestNamesOfTypes: files reach APIs that compare types, whatever name clients have for theirs.
func TestNamesOfTypes(t *testing.T) {
	file := func(url string) string {
		return `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"` + url + `"}}]}]}`
	}
	for _, url := range []string{"data:image/jpg;base64,QUJD", "data:IMAGE/JPEG;base64,QUJD", "data:image/jpeg;name=a.jpg;base64,QUJD"} {
		translates(t, "openai-chat", "anthropic", file(url), "", `{"type":"base64","media_type":"image/jpeg","data":"QUJD"}`)
		translates(t, "openai-chat", "bedrock", file(url), "", `{"format":"jpeg","source":{"bytes":"QUJD"}}`)
		translates(t, "openai-chat", "gemini", file(url), "", `{"mimeType":"image/jpeg","data":"QUJD"}`)
		translates(t, "openai-chat", "openai-responses", file(url), "", `"data:image/jpeg;base64,QUJD"`)
	}
	translates(t, "openai-chat", "anthropic", file("data:text/plain,a%20b"), "", `"source":{"type":"text","media_type":"text/plain","data":"a b"}`)
	translates(t, "openai-chat", "bedrock", file("data:text/plain,a%20b"), "", `{"format":"txt","name":"document","source":{"bytes":"YSBi"}}`)
	translates(t, "agui", "anthropic", `{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":[{"type":"image","source":{"type":"data","value":"QUJD","mimeType":"image/jpg"}}]}]}`,
		"", `"media_type":"image/jpeg"`)
	translates(t, "anthropic", "bedrock", `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},`+
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"image","source":{"type":"base64","media_type":"image/jpg","data":"QUJD"}}]}]}]}`,
		"", `{"format":"jpeg","source":{"bytes":"QUJD"}}`)
}

// TestSchemasOfAnswers: Anthropic's models, also at Amazon, are held to schemas whose objects are closed, and that have no bounds.
func TestSchemasOfAnswers(t *testing.T) {
	const (
		open   = `{"type":"object","properties":{"minimum":{"type":"object","properties":{}},"a":{"oneOf":[{"type":"string"},{"$ref":"#/$defs/A"}]}},"$defs":{"A":{"type":"object","properties":{}}}}`
		closed = `{"type":"object","properties":{"minimum":{"type":"object","properties":{},"additionalProperties":false},"a":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/A"}]}},` +
			`"$defs":{"A":{"type":"object","properties":{},"additionalProperties":false}},"additionalProperties":false}`
		bound = `{"type":"object","properties":{"n":{"type":"integer","minimum":1},"l":{"type":"array","minItems":2,"items":{"type":"object","additionalProperties":true}}},"additionalProperties":false}`
		free  = `{"type":"object","properties":{"n":{"type":"integer"},"l":{"type":"array","items":{"type":"object","additionalProperties":false}}},"additionalProperties":false}`
	)
	asked := func(schema string) string {
		return `{"messages":[{"role":"user","content":"q"}],"response_format":{"type":"json_schema","json_schema":{"schema":` + schema + `}}}`
	}
	translates(t, "openai-chat", "anthropic", asked(open), "", `"schema":`+closed)
	translates(t, "openai-chat", "anthropic", asked(closed), "", `"schema":`+closed)
	translates(t, "openai-chat", "anthropic", asked(bound), "settings.format.schema", `"schema":`+free)
	translates(t, "openai-chat", "bedrock", asked(bound), "settings.format.schema", `"schema":"`+strings.ReplaceAll(free, `"`, `\"`))
	translates(t, "openai-chat", "openai-responses", asked(bound), "", `"schema":`+bound)
	translates(t, "openai-chat", "gemini", asked(bound), "", `"responseJsonSchema":`+bound)
	translates(t, "anthropic", "openai-responses", `{"messages":[{"role":"user","content":"q"}],"output_format":{"type":"json_schema","schema":`+bound+`}}`, "", `"schema":`+bound)
}

// TestRangesOfSettings: what is beyond the range that an API takes is counted, and does not have the whole request refused.
func TestRangesOfSettings(t *testing.T) {
	const asked = `"messages":[{"role":"user","content":"q"}]}`
	translates(t, "openai-chat", "bedrock", `{"temperature":1.9,`+asked, "settings.temperature", `"temperature":1}`)
	translates(t, "openai-chat", "bedrock", `{"temperature":1.0,`+asked, "", `"temperature":1.0}`)
	translates(t, "openai-chat", "anthropic", `{"temperature":1.9,`+asked, "settings.temperature", `"temperature":1,`)
	translates(t, "openai-chat", "gemini", `{"temperature":1.9,"seed":2147483647,`+asked, "", `"temperature":1.9,"seed":2147483647`)
	translates(t, "openai-chat", "gemini", `{"seed":2147483648,`+asked, "settings.seed", "!seed")
	translates(t, "openai-chat", "gemini-interactions", `{"seed":2147483648,`+asked, "settings.seed", "!seed")
	stops := `{"stop_sequences":["a","b","c","d","e","f"],` + asked
	translates(t, "anthropic", "openai-chat", stops, "settings.stop", `"stop":["a","b","c","d"]`)
	translates(t, "anthropic", "gemini", stops, "settings.stop", `"stopSequences":["a","b","c","d","e"]`)
	translates(t, "anthropic", "gemini-interactions", stops, "settings.stop", `"stop_sequences":["a","b","c","d","e"]`)
	translates(t, "anthropic", "bedrock", stops, "", `"stopSequences":["a","b","c","d","e","f"]`)
	translates(t, "anthropic", "openai-chat", `{"stop_sequences":["a","b"],`+asked, "", `"stop":["a","b"]`)
}

// TestHalvesOfCharacters: what a client has cut in the middle of a character is taken by APIs that want every character whole.
func TestHalvesOfCharacters(t *testing.T) {
	const cut, whole = `{"messages":[{"role":"user","content":"a\ud83d b \ud83d\ude00"}]}`, `{"messages":[{"role":"user","content":"a \\ud83d b \ud83d\ude00"}]}`
	for _, to := range []string{"anthropic", "gemini", "openai-responses", "agui", "copilot"} {
		translates(t, "openai-chat", to, cut, "messages.unicode", `a\ufffd b \ud83d\ude00`)
		translates(t, "openai-chat", to, whole, "", `a \\ud83d b \ud83d\ude00`)
	}
}

// TestSchemasOfGemini: schemas of Gemini clients are JSON Schema to others, also in the names of Python, and with numbers as protobuf has them.
func TestSchemasOfGemini(t *testing.T) {
	const (
		theirs = `{"type":"OBJECT","properties":{"a":{"any_of":[{"type":"STRING","min_length":1},{"ref":"#/defs/P"}],"nullable":true},"e":{"type":"STRING","enum":["x"],"nullable":true},` +
			`"l":{"type":"ARRAY","minItems":"1","max_items":3,"items":{"type":"INTEGER"}},"any_of":{"type":"BOOLEAN"}},"defs":{"P":{"type":"OBJECT","additional_properties":{"type":"NUMBER"}}}}`
		ours = `{"type":"object","properties":{"a":{"anyOf":[{"type":"string","minLength":1},{"$ref":"#/$defs/P"},{"type":"null"}]},"e":{"type":["string","null"],"enum":["x",null]},` +
			`"l":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"integer"}},"any_of":{"type":"boolean"}},"$defs":{"P":{"type":"object","additionalProperties":{"type":"number"}}}}`
	)
	body := `{"contents":[{"role":"user","parts":[{"text":"q"}]}],"tools":[{"functionDeclarations":[{"name":"f","parameters":` + theirs + `}]}],` +
		`"generationConfig":{"responseMimeType":"application/json","responseSchema":` + theirs + `}}`
	translates(t, "gemini", "openai-chat", body, "", `"parameters":`+ours, `"schema":`+ours)
	translates(t, "gemini", "anthropic", body, "settings.format.schema", `"input_schema":`+ours)
}

// TestDocumentsOfBedrock: the API refuses a request with two documents of a name, and documents without a text.
func TestDocumentsOfBedrock(t *testing.T) {
	file := func(name string) string {
		return `{"type":"file","file":{"file_data":"data:application/pdf;base64,QUJD"` + name + `}}`
	}
	body := `{"messages":[{"role":"user","content":[` + file("") + `,` + file(`,"filename":"a.pdf"`) + `]},{"role":"assistant","content":"Which?"},` +
		`{"role":"user","content":[{"type":"text","text":"This."},` + file(`,"filename":"A_pdf"`) + `,` + file("") + `]}]}`
	translates(t, "openai-chat", "bedrock", body, "", `"name":"document",`, `"name":"a pdf",`, `}}},{"text":"See the document."}]}`, `[{"text":"This."},{"document":`,
		`"name":"A pdf-2",`, `"name":"document-2",`)
}

// TestFilesOfUnknownTypes: a file whose type a client does not say has that of its name or address; base64 may be in lines.
func TestFilesOfUnknownTypes(t *testing.T) {
	part := func(part string) string { return `{"input":[{"role":"user","content":[` + part + `]}]}` }
	address := part(`{"type":"input_file","file_url":"https://x/a.PDF?b=c"}`)
	translates(t, "openai-responses", "anthropic", address, "", `{"type":"document","source":{"type":"url","url":"https://x/a.PDF?b=c"}}`)
	translates(t, "openai-responses", "gemini", address, "", `"fileData":{"mimeType":"application/pdf",`)
	translates(t, "openai-responses", "anthropic", part(`{"type":"input_file","filename":"a.pdf","file_data":"QUJD\nQUJD\n"}`), "",
		`"source":{"type":"base64","media_type":"application/pdf","data":"QUJDQUJD"}`)
	translates(t, "openai-responses", "anthropic", part(`{"type":"input_image","image_url":"data:image/png;base64,QUJD QUJD\r\n"}`), "", `"data":"QUJDQUJD"`)
	translates(t, "openai-responses", "anthropic", part(`{"type":"input_text","text":"q"},{"type":"input_file","file_url":"https://x/a"}`), "messages.file")
}

// TestManyDocuments: documents of one name get names of their own, also where there are many, and where such a name is another's.
func TestManyDocuments(t *testing.T) {
	const n = 20_000
	file := func(name string) string {
		return `{"type":"file","file":{"filename":"` + name + `","file_data":"data:text/plain;base64,QQ=="}}`
	}
	body := `{"messages":[{"role":"user","content":[{"type":"text","text":"Hi"},` + file("a-3") + "," + strings.TrimSuffix(strings.Repeat(file("a")+",", n), ",") + `]}]}`
	out, _ := translated(t, "openai-chat", "bedrock", body)
	var got struct {
		Messages []struct {
			Content []struct{ Document struct{ Name string } }
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Messages) != 1 {
		t.Fatal(err, len(got.Messages))
	}
	names := map[string]bool{}
	for _, block := range got.Messages[0].Content {
		names[block.Document.Name] = true
	}
	delete(names, "") // of the text
	if len(names) != n+1 || !names["a"] || !names["a-2"] || !names["a-3"] || !names["a-4"] {
		t.Errorf("%d documents have %d names", n+1, len(names))
	}
}

// TestSignaturesOfOthers: what a server of Chat wants back is nothing that the API of another provider takes.
func TestSignaturesOfOthers(t *testing.T) {
	const extra = `"extra_content":{"vertex":{"thought_signature":"EjQK"}}`
	body := func(members, call string) string {
		return `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a",` + members + `"tool_calls":[{"id":"c1","type":"function",` + call +
			`"function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"r"}]}`
	}
	const details = `"reasoning_details":[{"type":"reasoning.text","text":"So ","format":"f","index":0},{"type":"reasoning.text","text":"be it.","format":"f","signature":"EqQB","index":0}],`
	for _, to := range []string{"anthropic", "bedrock", "gemini", "gemini-interactions", "openai-responses"} {
		translates(t, "openai-chat", to, body("", extra+","), "messages.signature", "!eyJzYWJpciI6", "!EjQK")
	}
	gemini := `{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"EjQK"}]},` +
		`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}]}`
	translates(t, "gemini", "openai-chat", gemini, "", "!extra_content") // OpenAI refuses the member
	translates(t, "openai-chat", "anthropic", body(details, ""), "messages.reasoning,messages.signature", "!EqQB")
	translates(t, "openai-chat", "openai-chat", body(details, extra+","), "",
		extra, `"reasoning_details":[{"type":"reasoning.text","format":"f","signature":"EqQB","text":"So be it."}]`)

	// Those that came of Anthropic's own API go back to it.
	const plain = `"reasoning_details":[{"type":"reasoning.text","text":"So.","signature":"EqQB","index":0},{"type":"reasoning.encrypted","data":"EmRl","index":1}],`
	translates(t, "openai-chat", "anthropic", body(plain, ""), "",
		`{"type":"thinking","thinking":"So.","signature":"EqQB"},{"type":"redacted_thinking","data":"EmRl"}`)
	translates(t, "openai-chat", "openai-chat", body(plain, ""), "messages.reasoning", "!EqQB")

	// What says in which member reasoning came is no signature, and so none is lost.
	const thought = `{"max_tokens":9,"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"thinking","thinking":"So.",` +
		`"signature":"eyJzYWJpciI6eyJtZW1iZXIiOiJyZWFzb25pbmcifX0="},{"type":"tool_use","id":"c1","name":"f","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"r"}]}]}`
	for to, lost := range map[string]string{
		"anthropic": "messages.reasoning", "bedrock": "messages.reasoning", "gemini": "", "gemini-interactions": "", "openai-responses": "messages.reasoning", "openai-chat": "",
	} {
		translates(t, "anthropic", to, thought, lost, "!eyJzYWJpciI6")
	}
}

// TestLongIDs: ids that LiteLLM has put a signature of Gemini's into go back as they are; others are cut to what the API takes.
func TestLongIDs(t *testing.T) {
	body := func(id string) string {
		return `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"` + id + `","type":"function",` +
			`"function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"` + id + `","content":"r"}]}`
	}
	long := "call_1__thought__" + strings.Repeat("EjQK+/", 20)
	translates(t, "openai-chat", "openai-chat", body(long), "", `"id":"`+long+`"`, `"tool_call_id":"`+long+`"`)
	other := strings.ReplaceAll(long, "__thought__", "__")
	translates(t, "openai-chat", "openai-chat", body(other), "", "!"+other)
}
